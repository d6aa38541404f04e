import * as z from 'zod'
import { type EventPayment, EventPaymentSchema } from './payment.js'
import {
  absent,
  anyValue,
  type CurrencyCode,
  type DateTime,
  type Fields,
  minorUnits,
  type ObjectSchema,
  type OtherString,
  object,
} from './schema.js'

/** The webhook configuration in the dashboard that caused the event to be sent. */
export interface NotificationConfig {
  id?: string
  description?: string
}

const NotificationConfigSchema: ObjectSchema<NotificationConfig> = object({
  id: absent(z.string()),
  description: absent(z.string()),
})

interface PaymentEventFacts {
  /** When the webhook was sent, in UTC. */
  date?: DateTime
  /** When the webhook was signed: seconds since 1970, as a string. Absent for some accounts. */
  signedAt?: string
  notificationConfig?: NotificationConfig
  /** Version of the payload. */
  version?: string
  /** The payment with all of its fields. */
  payment: EventPayment
}

const paymentEventFacts: Fields<PaymentEventFacts> = {
  date: absent(z.string()),
  // Not checked, because the specification does not describe it.
  signedAt: absent(anyValue<string>()),
  notificationConfig: absent(NotificationConfigSchema),
  version: absent(z.string()),
  payment: EventPaymentSchema,
}

/** The event that reports a new payment status. */
export interface PaymentStatusEvent extends PaymentEventFacts {
  eventType: 'PAYMENT.STATUS'
}

export const PaymentStatusEventSchema: ObjectSchema<PaymentStatusEvent> = object({
  eventType: z.literal('PAYMENT.STATUS'),
  ...paymentEventFacts,
})

/** The event that reports the final state of a refund. `latestRefund(event.payment)` returns the refund. */
export interface PaymentRefundEvent extends PaymentEventFacts {
  eventType: 'PAYMENT.REFUND'
}

export const PaymentRefundEventSchema: ObjectSchema<PaymentRefundEvent> = object({
  eventType: z.literal('PAYMENT.REFUND'),
  ...paymentEventFacts,
})

/** The stage of a dispute. */
export type DisputeType = 'RETRIEVAL' | 'DISPUTE' | 'PREARBITRATION' | OtherString

/** The status of a dispute. */
export type DisputeStatus = 'OPEN' | OtherString

/** The event that reports a new or changed retrieval, dispute (chargeback) or pre-arbitration (open beta). */
export interface DisputeStatusEvent {
  eventType: 'DISPUTE.STATUS'
  /** Version of the payload. */
  version?: string
  type?: DisputeType
  status?: DisputeStatus
  /** Merchant account identifier. */
  primerAccountId?: string
  /** The disputed transaction. */
  transactionId?: string
  /** Your reference for the sale. */
  orderId?: string
  /** The disputed payment. */
  paymentId?: string
  paymentMethod?: {
    paymentMethodType?: string
    paymentMethodData?: {
      network?: string
    }
  }
  /** Name of the processor that reported the dispute. */
  processor?: string
  /**
   * The processor's identifier for the dispute. It is the same in all events about the dispute, regardless of type or
   * status.
   */
  processorDisputeId?: string
  /** When the service received the processor's report, in UTC. */
  receivedAt?: DateTime
  /** The deadline for a challenge, in UTC. Absent if the processor does not report it. */
  challengeRequiredBy?: DateTime
  /** The reason for the dispute, derived from `reasonCode`. All processors share the same set of reasons. */
  reason?: string
  /** The card scheme's code for the reason. */
  reasonCode?: string
  /** The processor's description of the reason. */
  processorReason?: string
  /** Disputed amount in minor units. It may differ from the payment's amount. */
  amount?: number
  /** ISO 4217 currency code. */
  currency?: CurrencyCode
  /** Merchant ID at the processor. */
  merchantId?: string
}

export const DisputeStatusEventSchema: ObjectSchema<DisputeStatusEvent> = object({
  eventType: z.literal('DISPUTE.STATUS'),
  version: absent(z.string()),
  type: absent(z.string()),
  status: absent(z.string()),
  primerAccountId: absent(z.string()),
  transactionId: absent(z.string()),
  orderId: absent(z.string()),
  paymentId: absent(z.string()),
  paymentMethod: absent(
    object({
      paymentMethodType: absent(z.string()),
      paymentMethodData: absent(object({ network: absent(z.string()) })),
    }),
  ),
  processor: absent(z.string()),
  processorDisputeId: absent(z.string()),
  receivedAt: absent(z.string()),
  challengeRequiredBy: absent(z.string()),
  reason: absent(z.string()),
  reasonCode: absent(z.string()),
  processorReason: absent(z.string()),
  amount: absent(minorUnits),
  currency: absent(z.string()),
  merchantId: absent(z.string()),
})

/** An event of a type that this version of the package supports. `eventType` narrows the type. */
export type KnownEvent = PaymentStatusEvent | PaymentRefundEvent | DisputeStatusEvent

/** The schema of each event type. */
export const eventSchemas = {
  'PAYMENT.STATUS': PaymentStatusEventSchema,
  'PAYMENT.REFUND': PaymentRefundEventSchema,
  'DISPUTE.STATUS': DisputeStatusEventSchema,
}
