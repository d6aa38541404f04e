import type { PaymentRecord, StoredPayment } from '../store/records.js'
import type { Desk } from './context.js'
import type { Mover } from './lifecycle.js'
import type { Outcome } from './scenarios.js'

/** A payment was authorized, or it was not: it goes on from there, and its payment method is saved if that was asked. */
export function conclude(
  desk: Desk,
  record: PaymentRecord,
  by: Mover,
  outcome: Outcome,
  changes: Partial<StoredPayment> = {},
): StoredPayment {
  const paymentMethod = { ...record.payment.paymentMethod, ...changes.paymentMethod }
  if (outcome.status === 'AUTHORIZED' && record.vaultFor !== undefined) {
    const source = { token: paymentMethod.paymentMethodToken, scenario: record.scenario }
    record.vaultedToken = desk.vault.save(source, record.vaultFor, true).token
    paymentMethod.isVaulted = true
    paymentMethod.paymentType ??= 'FIRST_PAYMENT'
  }
  return desk.payments.move(record, by, outcome.status, {
    ...changes,
    paymentMethod,
    requiredAction: outcome.status === 'PENDING' ? record.payment.requiredAction : undefined,
    statusReason: outcome.statusReason,
  })
}
