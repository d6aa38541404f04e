import type { Order } from '../../schemas/order.js'
import { invalidField, refusalOf } from '../refusal.js'
import type { PaymentRecord, StoredPayment } from '../store/records.js'
import { merged } from './merge.js'
import type { Payments } from './payments.js'
import { scenarios } from './scenarios.js'

/** How much a capture takes, if it is allowed: what was asked for, or everything that is left. */
export function amountToCapture(record: PaymentRecord, wanted: number | undefined): number {
  const { payment } = record
  if (record.isCaptureClosed) {
    throw refusalOf(payment, 409, 'FinalCaptureAlreadyMade', 'The final capture of this payment was made')
  }
  const left = payment.amount - payment.processor.amountCaptured
  const amount = wanted ?? left
  if (amount === 0 && payment.amount > 0) throw invalidField('amount', 'must be at least 1')
  if (amount > left) {
    throw refusalOf(payment, 422, 'CaptureExceedsAuthorizedAmount', `Of this payment ${left} can still be captured`)
  }
  if (amount < payment.amount && !scenarios[record.scenario].takesPartialCaptures) {
    throw refusalOf(payment, 422, 'PartialCaptureNotSupported', 'The processor does not support partial captures')
  }
  return amount
}

/** Capture so much. The first capture moves the payment; further ones leave it where it is. */
export function capture(
  payments: Payments,
  record: PaymentRecord,
  amount: number,
  { final, order }: { final?: boolean; order?: Order },
): StoredPayment {
  const { payment } = record
  const amountCaptured = payment.processor.amountCaptured + amount
  record.isCaptureClosed = final === true || amountCaptured === payment.amount
  const changes: Partial<StoredPayment> = {
    processor: { ...payment.processor, amountCaptured },
    ...(order && { order: merged(payment.order, order) }),
  }
  if (payment.status !== 'AUTHORIZED') return payments.change(record, changes)
  return payments.move(record, 'payments.capture', scenarios[record.scenario].onCapture.status, changes)
}
