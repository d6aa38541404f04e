import type { DecisionKind } from '../core/helpers/order-keys.js'
import { OrderError, type OrderErrorReason } from './errors.js'
import { isFailed } from './facts.js'
import { type Decision, isOpen, type Order } from './order.js'

/** What the caller wants: pay for an order, or capture, refund or cancel its payment. */
export interface Intent {
  readonly kind: DecisionKind
  readonly id?: string | undefined
  readonly amount?: number | undefined
  readonly currencyCode?: string | undefined
}

/** What to do: continue the decision with this key, start a new attempt with this number, or nothing. */
export type Plan = { readonly do: 'continue'; readonly key: string } | { readonly do: 'start' } | { readonly do: 'nothing' }

/**
 * Decides whether an intent is new. The same intent never takes effect twice: a new attempt starts only after all
 * others have definitely failed.
 *
 * @throws {OrderError} The intent contradicts the order or an earlier intent.
 */
export function plan(intent: Intent, orderId: string, order: Order | undefined, reopen = false): Plan {
  const fail = (reason: OrderErrorReason) => {
    throw new OrderError(reason, orderId)
  }
  const { kind, id, amount } = intent
  const latest = order?.decisions.findLast((decision) => decision.kind === kind && decision.id === id)
  const isOpenAttempt = latest !== undefined && (isOpen(latest.state) || latest.state === 'needs_review')
  const live = order?.payments.find(({ status }) => !isFailed(status))

  if (kind === 'pay') {
    if (!isOpenAttempt && live === undefined) {
      if (order?.state === 'cancelled' && !reopen) fail('cancelled')
      return { do: 'start' }
    }
    if (order?.amount !== amount || order?.currencyCode !== intent.currencyCode) fail('changed')
    // A payment whose state is known is fetched again. Only an attempt without a payment is continued.
    return live === undefined && latest && isOpen(latest.state) ? { do: 'continue', key: latest.key } : { do: 'nothing' }
  }

  if (order === undefined) return fail('unknown_order')
  if (latest !== undefined && !hasFailed(latest)) {
    if (latest.amount !== amount) fail('changed')
    return isOpen(latest.state) ? { do: 'continue', key: latest.key } : { do: 'nothing' }
  }
  const { captured, refunded, decisions } = order
  // The amount that open decisions of this kind may still move.
  const reserved = decisions
    .filter((decision) => decision.kind === kind && isOpen(decision.state))
    .reduce((sum, decision) => sum + (decision.amount ?? 0), 0)
  const available = kind === 'refund' ? captured - refunded : (live?.amount ?? Infinity) - captured
  if (live === undefined || available <= 0) fail('no_payment')
  if (amount !== undefined && amount > available - reserved) fail('exceeds')
  return { do: 'start' }
}

/** Returns whether a decision has definitely had no effect. */
function hasFailed({ state, status }: Decision): boolean {
  return state === 'rejected' || state === 'not_executed' || isFailed(status)
}
