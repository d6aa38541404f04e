import { refundsOf } from '../core/helpers/payment-facts.js'
import type { Issue } from '../core/internal/issues.js'
import { agree } from '../core/internal/objects.js'
import type { Resolution } from '../operations/operations.js'
import type { Book } from './book.js'
import type { Calls } from './calls.js'
import type { OrdersStore } from './store.js'
import type { OrdersOptions } from './types.js'

interface Dependencies {
  readonly client: OrdersOptions['client']
  readonly store: OrdersStore
  readonly book: Book
  readonly calls: Calls
}

/** Returns the problem with a person's resolution of a decision: an ID that belongs to another order or decision. */
export async function problemWithAnswer(
  { client, store, book, calls }: Dependencies,
  orderId: string,
  key: string,
  { paymentId, transactionId }: Partial<Resolution>,
): Promise<Issue | undefined> {
  const owner = await calls.read(book.find({ paymentId }))
  if (owner !== undefined && owner !== orderId) {
    const message = `belongs to the order ${owner}: pass the payment of the order ${orderId}`
    return { path: ['paymentId'], code: 'invalid_value', message }
  }
  const { order } = await calls.read(store.tables.load({ orderId }))
  const decision = order?.decisions.find((row) => row.key === key)
  if (decision?.kind !== 'refund' || decision.paymentId === undefined || transactionId === undefined) return undefined
  const records = await client.operations.list({ paymentId: decision.paymentId })
  const other = records.find((record) => record.key !== key && record.transactionId === transactionId)
  // The tables may lack a refund that the service reports. If the service omits refunds, accepts the resolution.
  const payment = await client.payments.get(decision.paymentId).catch(() => undefined)
  const listed = payment?.transactions ? refundsOf(payment) : undefined
  const refund = listed?.find((row) => row.transactionId === transactionId)
  const mayBeUnlisted = listed?.some((row) => row.transactionId === undefined && agree(row.amount, decision.amount))
  const isUnknown = listed !== undefined && refund === undefined && !mayBeUnlisted
  if (!other && !isUnknown && agree(refund?.amount, decision.amount)) return undefined
  const problem = other ? `belongs to the decision ${other.key}` : 'is not a refund of this payment and amount'
  const message = `${problem}: pass the ID of the refund that this decision created`
  return { path: ['transactionId'], code: 'invalid_value', message }
}
