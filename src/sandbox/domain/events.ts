import { cartOf } from '../../contract/version.js'
import type { KnownEvent, PaymentRefundEvent, PaymentStatusEvent } from '../../schemas/event.js'
import type { PaymentRecord } from '../store/records.js'
import { fromOrder } from './fields.js'

/** Sends an event to the subscribers of webhooks. */
export type Emit = (event: KnownEvent) => void

type PaymentEvent = PaymentStatusEvent | PaymentRefundEvent

/** Creates the event that reports the current state of a payment. */
export function paymentEvent(
  eventType: PaymentEvent['eventType'],
  { payment, apiVersion, vaultedToken }: PaymentRecord,
  now: Date,
): PaymentEvent {
  const paymentMethod = { ...payment.paymentMethod, ...(vaultedToken && { vaultedPaymentMethodToken: vaultedToken }) }
  return {
    eventType,
    date: now.toISOString(),
    signedAt: String(Math.floor(now.getTime() / 1000)),
    notificationConfig: { id: 'sandbox', description: 'Sandbox' },
    version: apiVersion,
    payment: fromOrder(cartOf(apiVersion), { ...payment, paymentMethod }),
  }
}
