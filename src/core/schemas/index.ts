/**
 * Zod schemas for the data that the service sends. They accept unknown fields and unknown enum values, and read `null`
 * in an optional field as absent.
 */

export {
  ClientSessionSchema,
  ClientSessionV21Schema,
  CreatedClientSessionSchema,
  CreatedClientSessionV21Schema,
  SessionWarningSchema,
} from './client-session.js'
export { AddressSchema, CustomerSchema } from './customer.js'
export { DisputeStatusEventSchema, PaymentRefundEventSchema, PaymentStatusEventSchema } from './event.js'
export { ExternalPaymentSchema } from './external-payment.js'
export { LoyaltyCustomerSchema, LoyaltyTransactionSchema } from './loyalty.js'
export {
  FeeSchema,
  LineItemSchema,
  OrderDetailsSchema,
  OrderSchema,
  ProductDataSchema,
  ShippingSchema,
} from './order.js'
export {
  PaymentSchema,
  PaymentSummarySchema,
  PaymentV21Schema,
  ProcessorSchema,
  RequiredActionSchema,
  RiskDataSchema,
  StatusReasonSchema,
  TransactionSchema,
} from './payment.js'
export { PaymentInstrumentSchema } from './payment-instrument.js'
export {
  BinDataSchema,
  PaymentMethodDataSchema,
  PaymentMethodSchema,
  ThreeDSecureAuthenticationSchema,
} from './payment-method.js'
export type { Fields, ObjectSchema } from './schema.js'
export type * from './types.js'
