/** The known values of open enumerations, separate from the schemas, so that using them does not load zod. */
import type { KnownEvent } from './event.js'
import type { KnownPaymentStatus } from './payment.js'

export const paymentStatuses = /* @__PURE__ */ Object.keys({
  PENDING: true,
  AUTHORIZED: true,
  SETTLING: true,
  PARTIALLY_SETTLED: true,
  SETTLED: true,
  DECLINED: true,
  FAILED: true,
  CANCELLED: true,
} satisfies Record<KnownPaymentStatus, true>) as KnownPaymentStatus[]

export const eventTypes = /* @__PURE__ */ Object.keys({
  'PAYMENT.STATUS': true,
  'PAYMENT.REFUND': true,
  'DISPUTE.STATUS': true,
} satisfies Record<KnownEvent['eventType'], true>) as KnownEvent['eventType'][]
