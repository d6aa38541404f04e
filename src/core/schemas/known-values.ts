/** The known event types. They are separate from the schemas, so that importing the event types does not load zod. */
import type { KnownEvent } from './event.js'

export const eventTypes = /* @__PURE__ */ Object.keys({
  'PAYMENT.STATUS': true,
  'PAYMENT.REFUND': true,
  'DISPUTE.STATUS': true,
} satisfies Record<KnownEvent['eventType'], true>) as KnownEvent['eventType'][]
