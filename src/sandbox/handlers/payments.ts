import type * as operations from '../../contract/index.js'
import { conclude } from '../domain/authorization.js'
import { amountToCapture, capture } from '../domain/captures.js'
import { createPayment } from '../domain/creation.js'
import { requireMove } from '../domain/lifecycle.js'
import { processorFor } from '../domain/processors.js'
import { hasRefunds, refundable, startRefund } from '../domain/refunds.js'
import { scenarios } from '../domain/scenarios.js'
import { invalidField, refusalOf } from '../refusal.js'
import type { Handlers } from './handler.js'

export const payments: Handlers<typeof operations.payments> = {
  create({ body, happened }, desk) {
    const record = createPayment(body, desk)
    happened(record.payment.id, record.payment.amount)
    return conclude(desk, record, 'payments.create', scenarios[record.scenario].onCreate)
  },

  get({ params }, { payments }) {
    return payments.get(params.id).payment
  },

  list({ query }, { payments }) {
    const { status, ...others } = query
    return payments.page(status === undefined ? others : { ...others, status: String(status).split(',') })
  },

  authorize({ params, body, happened }, desk) {
    const record = desk.payments.get(params.id)
    requireMove(record.payment, 'payments.authorize')
    const { name, processorMerchantId } = processorFor(body.processor)
    happened(record.payment.id, record.payment.amount)
    const { processor, transactions } = record.payment
    return conclude(
      desk,
      record,
      'payments.authorize',
      { status: 'AUTHORIZED' },
      {
        processor: { ...processor, name, processorMerchantId },
        transactions: transactions.map((each) => ({ ...each, processorName: name, processorMerchantId })),
      },
    )
  },

  capture({ params, body, happened }, { payments }) {
    const record = payments.get(params.id)
    requireMove(record.payment, 'payments.capture')
    const amount = amountToCapture(record, body.amount)
    const { onCapture } = scenarios[record.scenario]
    if (onCapture.status === 'FAILED') {
      happened(params.id)
      return payments.move(record, 'payments.capture', 'FAILED', { statusReason: onCapture.statusReason })
    }
    happened(params.id, amount)
    return capture(payments, record, amount, body)
  },

  cancel({ params, happened }, { payments }) {
    const record = payments.get(params.id)
    const { payment } = record
    requireMove(payment, 'payments.cancel')
    if (hasRefunds(payment))
      throw refusalOf(payment, 409, 'PaymentAlreadyRefunded', 'A refunded payment cannot be voided')
    if (!scenarios[record.scenario].takesVoids) {
      throw refusalOf(payment, 422, 'VoidRefused', 'The processor does not accept the void')
    }
    happened(payment.id)
    return payments.move(record, 'payments.cancel', 'CANCELLED', {
      processor: { ...payment.processor, amountCaptured: 0 },
      requiredAction: undefined,
    })
  },

  refund({ params, body, happened }, desk) {
    const record = desk.payments.get(params.id)
    const { payment } = record
    requireMove(payment, 'payments.refund')
    const left = refundable(payment)
    const amount = body.amount ?? left
    if (body.amount === 0) throw invalidField('amount', 'must be at least 1')
    if (left === 0 || amount > left) {
      throw refusalOf(payment, 422, 'RefundExceedsCapturedAmount', `Of this payment ${left} can still be refunded`)
    }
    happened(payment.id, amount)
    return startRefund(record, amount, desk)
  },

  adjustAuthorization({ params, body, happened }, { payments }) {
    const record = payments.get(params.id)
    const { payment } = record
    requireMove(payment, 'payments.adjustAuthorization')
    if (payment.paymentMethod.authorizationType !== 'ESTIMATED' || !scenarios[record.scenario].takesAdjustments) {
      throw refusalOf(payment, 422, 'AuthorizationNotAdjustable', 'The authorization is not an adjustable estimate')
    }
    const { amount } = body
    happened(payment.id, amount)
    return payments.change(record, {
      amount,
      transactions: payment.transactions.map((transaction) => ({ ...transaction, amount })),
    })
  },

  resume({ params, body, happened }, desk) {
    const record = desk.payments.get(params.id)
    const { payment } = record
    requireMove(payment, 'payments.resume')
    const { onResume } = scenarios[record.scenario]
    if (!onResume || body.resumeToken !== record.resumeToken) {
      throw refusalOf(payment, 400, 'InvalidResumeToken', 'The resume token does not belong to this payment')
    }
    delete record.resumeToken
    happened(payment.id)
    const challenge = onResume.status === 'AUTHORIZED' ? 'AUTH_SUCCESS' : 'AUTH_FAILED'
    const threeDSecureAuthentication = { responseCode: challenge, protocolVersion: '2.2.0', challengeIssued: true }
    return conclude(desk, record, 'payments.resume', onResume, {
      paymentMethod: { ...payment.paymentMethod, threeDSecureAuthentication },
    })
  },
}
