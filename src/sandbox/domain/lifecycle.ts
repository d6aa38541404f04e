import { refusalOf } from '../refusal.js'
import type { Status, StoredPayment } from '../store/records.js'

interface Move {
  /** Where the payment may be. */
  readonly from: readonly Status[]
  /** Where it may go; where it may stay is not listed. */
  readonly to: readonly Status[]
}

/** Who may move a payment, from where to where. */
export const moves = {
  'payments.create': { from: ['PENDING'], to: ['PENDING', 'AUTHORIZED', 'DECLINED', 'FAILED'] },
  'payments.authorize': { from: ['PENDING'], to: ['AUTHORIZED'] },
  'payments.resume': { from: ['PENDING'], to: ['AUTHORIZED', 'DECLINED'] },
  'payments.adjustAuthorization': { from: ['AUTHORIZED'], to: [] },
  'payments.capture': { from: ['AUTHORIZED', 'SETTLING', 'SETTLED'], to: ['SETTLING', 'SETTLED', 'FAILED'] },
  'payments.cancel': { from: ['PENDING', 'AUTHORIZED', 'SETTLING'], to: ['CANCELLED'] },
  'payments.refund': { from: ['SETTLING', 'SETTLED'], to: [] },
  'processor.authorize': { from: ['PENDING'], to: ['AUTHORIZED'] },
  'processor.settle': { from: ['AUTHORIZED', 'SETTLING'], to: ['SETTLED'] },
  'processor.decline': { from: ['PENDING'], to: ['DECLINED'] },
  'processor.fail': { from: ['PENDING', 'AUTHORIZED', 'SETTLING'], to: ['FAILED'] },
} as const satisfies Record<string, Move>

/** Who moves a payment. */
export type Mover = keyof typeof moves

/** Refuses unless the payment is where this move can start. */
export function requireMove(payment: StoredPayment, by: Mover): void {
  const from: readonly string[] = moves[by].from
  if (from.includes(payment.status)) return
  const problem = `${by} needs a payment that is ${from.join(' or ')}; this one is ${payment.status}`
  throw refusalOf(payment, 409, 'InvalidPaymentStatus', problem)
}

/** A move that is not in the table is a bug of the sandbox. */
export function assertMove(by: Mover, to: Status): void {
  const allowed: readonly string[] = moves[by].to
  if (!allowed.includes(to)) throw new Error(`${by} cannot lead to ${to}`)
}
