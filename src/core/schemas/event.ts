import { EventPayment } from './payment.js'
import {
  anyValue,
  type CurrencyCode,
  type DateTime,
  exactly,
  type Fields,
  minorUnits,
  type OtherString,
  object,
  openEnum,
  required,
  type Schema,
  text,
} from './schema.js'

/** The webhook configuration in the dashboard that caused the event to be sent. */
export interface NotificationConfig {
  id?: string
  description?: string
}

const NotificationConfig = object<NotificationConfig>(() => ({ id: text, description: text }))

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

const paymentEventFacts = (): Fields<PaymentEventFacts> => ({
  date: text,
  // Not checked, because the specification does not describe it.
  signedAt: anyValue(),
  notificationConfig: NotificationConfig,
  version: text,
  payment: required(EventPayment),
})

/** The event that reports a new payment status. */
export interface PaymentStatusEvent extends PaymentEventFacts {
  eventType: 'PAYMENT.STATUS'
}

export const PaymentStatusEvent = object<PaymentStatusEvent>(() => ({
  eventType: required(exactly('PAYMENT.STATUS')),
  ...paymentEventFacts(),
}))

/** The event that reports the final state of a refund. `latestRefund(event.payment)` returns the refund. */
export interface PaymentRefundEvent extends PaymentEventFacts {
  eventType: 'PAYMENT.REFUND'
}

export const PaymentRefundEvent = object<PaymentRefundEvent>(() => ({
  eventType: required(exactly('PAYMENT.REFUND')),
  ...paymentEventFacts(),
}))

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

export const DisputeStatusEvent = object<DisputeStatusEvent>(() => ({
  eventType: required(exactly('DISPUTE.STATUS')),
  version: text,
  type: openEnum,
  status: openEnum,
  primerAccountId: text,
  transactionId: text,
  orderId: text,
  paymentId: text,
  paymentMethod: object(() => ({
    paymentMethodType: text,
    paymentMethodData: object(() => ({ network: text })),
  })),
  processor: text,
  processorDisputeId: text,
  receivedAt: text,
  challengeRequiredBy: text,
  reason: text,
  reasonCode: text,
  processorReason: text,
  amount: minorUnits,
  currency: openEnum,
  merchantId: text,
}))

/** An event of a type that this version of the SDK supports. `eventType` narrows the type. */
export type KnownEvent = PaymentStatusEvent | PaymentRefundEvent | DisputeStatusEvent

/** The schema of each event type. */
export const eventSchemas: {
  readonly [Type in KnownEvent['eventType']]: Schema<Extract<KnownEvent, { eventType: Type }>>
} = {
  'PAYMENT.STATUS': PaymentStatusEvent,
  'PAYMENT.REFUND': PaymentRefundEvent,
  'DISPUTE.STATUS': DisputeStatusEvent,
}
