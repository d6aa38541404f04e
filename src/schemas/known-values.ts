/** The known event types, separate from the schemas, so that using them does not load zod. */
import type { KnownEvent } from './event.js'

export const eventTypes = /* @__PURE__ */ Object.keys({
  'PAYMENT.STATUS': true,
  'PAYMENT.REFUND': true,
  'DISPUTE.STATUS': true,
} satisfies Record<KnownEvent['eventType'], true>) as KnownEvent['eventType'][]
