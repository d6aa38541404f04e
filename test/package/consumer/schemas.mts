/** A merchant's module whose exported schemas contain the package's schemas. */
import {
  CreatedClientSessionSchema,
  CustomerSchema,
  DisputeStatusEventSchema,
  ExternalPaymentSchema,
  type KnownEvent,
  type Payment,
  PaymentInstrumentSchema,
  PaymentMethodSchema,
  PaymentRefundEventSchema,
  PaymentSchema,
  PaymentStatusEventSchema,
  PaymentSummarySchema,
  PaymentV21Schema,
} from 'payments-client/schemas'
import * as z from 'zod'

export const Job = z.object({ payment: PaymentSchema, attempt: z.int() })
export const Stored = PaymentSchema.extend({ version: z.int() })
export const Picked = PaymentSchema.pick({ id: true, status: true })
export const Partial = PaymentSchema.partial()
export const Status = PaymentSchema.shape.status
export const Rows = z.array(PaymentSummarySchema)
export const Event = z.discriminatedUnion('eventType', [
  PaymentStatusEventSchema,
  PaymentRefundEventSchema,
  DisputeStatusEventSchema,
])
export const Everything = z.object({
  created: CreatedClientSessionSchema,
  customer: CustomerSchema,
  external: ExternalPaymentSchema,
  instrument: PaymentInstrumentSchema,
  method: PaymentMethodSchema,
  versions: z.union([PaymentSchema, PaymentV21Schema]),
})

export const toPayment = (json: unknown): Payment => PaymentSchema.parse(json)
export const toInferred = (payment: Payment): z.infer<typeof PaymentSchema> => payment
export const toEvent = (json: unknown): KnownEvent => Event.parse(json)

// @ts-expect-error Misspelled.
export const misspelled = PaymentSchema.parse({}).staus

export const customerCity: string | undefined = Stored.parse({}).customer?.billingAddress?.city
