import { parseDatetime } from '../internal/calendar.js'
import type { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from '../schemas/event.js'
import { isIneffective, latestRefund } from './payment-facts.js'

/**
 * Returns the outcome of the refund that an event reports, based on the most recent transaction of type `REFUND`.
 * Specification: PAYMENT.REFUND.
 *
 * @param event A PAYMENT.REFUND or PAYMENT.STATUS event.
 * @returns `succeeded` (the funds returned to the customer), `failed`, `pending`, or undefined if there is no refund.
 * @example
 * if (refundOutcome(event) === 'failed') await notifySupport(event.payment.id)
 */
export function refundOutcome(
  event: PaymentRefundEvent | PaymentStatusEvent,
): 'succeeded' | 'failed' | 'pending' | undefined {
  const refund = latestRefund(event.payment)
  if (refund === undefined) return undefined
  if (refund.processorStatus === 'SETTLED') return 'succeeded'
  return isIneffective(refund) ? 'failed' : 'pending'
}

/**
 * Returns the deadline for challenging a dispute, or undefined if `challengeRequiredBy` is missing or invalid.
 *
 * @param event A DISPUTE.STATUS event.
 */
export function disputeDeadline(event: DisputeStatusEvent): Date | undefined {
  const time = parseDatetime(event.challengeRequiredBy)
  return Number.isNaN(time) ? undefined : new Date(time)
}
