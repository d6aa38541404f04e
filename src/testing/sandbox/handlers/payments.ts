import type * as operations from '../../../core/contract/index.js'
import type { Order } from '../../../core/schemas/order.js'
import type { CaptureBody } from '../../../core/schemas/payment.js'
import type { Handlers } from '../domain/context.js'
import { createPayment, defaultProcessor } from '../domain/creation.js'
import { merged } from '../domain/fields.js'
import { hasRefunds, refundable, startRefund } from '../domain/refunds.js'
import { invalidField, paymentError } from '../internal/exchange.js'
import { scenarios } from '../internal/scenarios.js'
import type { PaymentRecord, StoredPayment } from '../store/records.js'

/** A merchant ID that several processors share. A request with this ID must also contain `processor.name`. */
const sharedMerchantId = 'shared-merchant'

export const payments: Handlers<typeof operations.payments> = {
  create({ body, apiVersion, recordEffect }, context) {
    const record = createPayment(body, apiVersion, context)
    recordEffect(record.payment.id, record.payment.amount)
    return context.payments.move(record, 'payments.create', scenarios[record.scenario].onCreate)
  },

  get({ params }, { payments }) {
    return payments.get(params.id).payment
  },

  list({ query }, { payments }) {
    const { status, ...others } = query
    return payments.page(status === undefined ? others : { ...others, status: String(status).split(',') })
  },

  authorize({ params, body, recordEffect }, { payments }) {
    const record = payments.get(params.id, 'payments.authorize')
    const { name, processorMerchantId } = body.processor
    if (name === undefined && processorMerchantId === sharedMerchantId) {
      throw invalidField('processor.name', 'is missing: several processors share this merchant ID')
    }
    const { payment } = record
    recordEffect(payment.id, payment.amount)
    const processor = { ...payment.processor, name: name ?? defaultProcessor.name, processorMerchantId }
    const transactions = payment.transactions.map((transaction) => ({
      ...transaction,
      processorName: processor.name,
      processorMerchantId,
    }))
    return payments.move(record, 'payments.authorize', { status: 'AUTHORIZED' }, { processor, transactions })
  },

  capture({ params, body, recordEffect }, { payments }) {
    const record = payments.get(params.id, 'payments.capture')
    const { payment, scenario } = record
    const amount = amountToCapture(record, body)
    const { onCapture } = scenarios[scenario]
    if (onCapture.status === 'FAILED') {
      recordEffect(payment.id)
      return payments.move(record, 'payments.capture', onCapture)
    }
    recordEffect(payment.id, amount)
    const amountCaptured = payment.processor.amountCaptured + amount
    record.isCaptureClosed = body.final === true || amountCaptured === payment.amount
    const changes: Partial<StoredPayment> = {
      processor: { ...payment.processor, amountCaptured },
      ...(body.order && { order: merged(payment.order, body.order as Order) }),
    }
    // Only the first capture changes the status and sends an event.
    if (payment.status !== 'AUTHORIZED') return payments.change(record, changes)
    return payments.move(record, 'payments.capture', onCapture, changes)
  },

  cancel({ params, recordEffect }, { payments }) {
    const record = payments.get(params.id, 'payments.cancel')
    const { payment } = record
    if (hasRefunds(payment)) {
      throw paymentError(payment, 409, 'PaymentAlreadyRefunded', 'A refunded payment cannot be cancelled')
    }
    if (!scenarios[record.scenario].allowsCancel) {
      throw paymentError(payment, 422, 'VoidRefused', 'The processor rejected the void')
    }
    recordEffect(payment.id)
    const processor = { ...payment.processor, amountCaptured: 0 }
    return payments.move(record, 'payments.cancel', { status: 'CANCELLED' }, { processor })
  },

  refund({ params, body, recordEffect }, context) {
    const record = context.payments.get(params.id, 'payments.refund')
    const { payment } = record
    const left = refundable(payment)
    const { amount = left } = body
    if (body.amount === 0) throw invalidField('amount', 'must be at least 1')
    if (left === 0 || amount > left) {
      const description = `The refundable amount of this payment is ${left}`
      throw paymentError(payment, 422, 'RefundExceedsCapturedAmount', description)
    }
    recordEffect(payment.id, amount)
    return startRefund(record, amount, context)
  },

  adjustAuthorization({ params, body: { amount }, recordEffect }, { payments }) {
    const record = payments.get(params.id, 'payments.adjustAuthorization')
    const { payment } = record
    if (payment.paymentMethod.authorizationType !== 'ESTIMATED' || !scenarios[record.scenario].allowsAdjustment) {
      throw paymentError(payment, 422, 'AuthorizationNotAdjustable', 'The authorization is not an adjustable estimate')
    }
    recordEffect(payment.id, amount)
    const transactions = payment.transactions.map((transaction) => ({ ...transaction, amount }))
    return payments.change(record, { amount, transactions })
  },

  resume({ params, body, recordEffect }, { payments }) {
    const record = payments.get(params.id, 'payments.resume')
    const { payment } = record
    const { onResume } = scenarios[record.scenario]
    if (!onResume || body.resumeToken !== record.resumeToken) {
      throw paymentError(payment, 400, 'InvalidResumeToken', 'The resume token does not belong to this payment')
    }
    delete record.resumeToken
    recordEffect(payment.id)
    const responseCode = onResume.status === 'AUTHORIZED' ? 'AUTH_SUCCESS' : 'AUTH_FAILED'
    const threeDSecureAuthentication = { responseCode, protocolVersion: '2.2.0', challengeIssued: true }
    const paymentMethod = { ...payment.paymentMethod, threeDSecureAuthentication }
    return payments.move(record, 'payments.resume', onResume, { paymentMethod })
  },
}

/** Returns the amount to capture: by default, the remaining amount. */
function amountToCapture({ payment, isCaptureClosed, scenario }: PaymentRecord, body: CaptureBody): number {
  if (isCaptureClosed) {
    throw paymentError(payment, 409, 'FinalCaptureAlreadyMade', 'The final capture of this payment was already made')
  }
  const left = payment.amount - payment.processor.amountCaptured
  const { amount = left } = body
  if (amount === 0 && payment.amount > 0) throw invalidField('amount', 'must be at least 1')
  if (amount > left) {
    const description = `The capturable amount of this payment is ${left}`
    throw paymentError(payment, 422, 'CaptureExceedsAuthorizedAmount', description)
  }
  if (amount < payment.amount && !scenarios[scenario].allowsPartialCapture) {
    throw paymentError(payment, 422, 'PartialCaptureNotSupported', 'The processor does not support partial captures')
  }
  return amount
}
