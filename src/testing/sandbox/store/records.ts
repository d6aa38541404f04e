import type { ClientSession } from '../../../core/schemas/client-session.js'
import type { DisputeStatusEvent } from '../../../core/schemas/event.js'
import type { ExternalPayment } from '../../../core/schemas/external-payment.js'
import type { LoyaltyTransaction } from '../../../core/schemas/loyalty.js'
import type { KnownPaymentStatus, Payment, Processor, Transaction } from '../../../core/schemas/payment.js'
import type { PaymentInstrument } from '../../../core/schemas/payment-instrument.js'
import type { PaymentMethod } from '../../../core/schemas/payment-method.js'
import type { ScenarioName } from '../internal/scenarios.js'

/** A status that payments can have in the sandbox. */
export type Status = Exclude<KnownPaymentStatus, 'PARTIALLY_SETTLED'>

/** A payment in the format of API version `2021-09-27`. The fields that the sandbox always sets are required. */
export interface StoredPayment extends Payment {
  status: Status
  orderId: string
  currencyCode: string
  amount: number
  paymentMethod: PaymentMethod & { paymentMethodToken: string }
  processor: Required<Processor>
  transactions: StoredTransaction[]
}

export interface StoredTransaction extends Transaction {
  amount: number
}

/** A status of a payment, and the time at which the payment changed to it. */
export interface StatusChange {
  readonly status: Status
  /** Time of the change on the sandbox's clock, ISO 8601 in UTC. */
  readonly at: string
}

/** One attempt to deliver a webhook. */
export interface Delivery {
  readonly id: string
  readonly eventType: string
  /** The subscriber's URL, or `function`. */
  readonly to: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Time of sending, as ISO 8601 in UTC. */
  readonly at: string
  /** Status of the subscriber's response. Absent until a response arrives. */
  readonly status?: number
  /**
   * The first 64 KiB of the response's body. Absent if the body is empty. The oldest bodies are removed if all bodies
   * together have more than 50 million characters.
   */
  readonly responseBody?: string
  /** The reason that no response arrived. */
  readonly error?: string
  /** The signature headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body that was sent. */
  readonly body: string
}

/** A payment, and the internal state that responses do not contain. */
export interface PaymentRecord {
  payment: StoredPayment
  scenario: ScenarioName
  /** API version of the request that created the payment. */
  apiVersion: string
  createdAt: number
  /** The payment's statuses, oldest first. */
  history: StatusChange[]
  /** Whether further captures are rejected, because a capture was final or the full amount was captured. */
  isCaptureClosed?: boolean | undefined
  /** The ID of the customer for whom the payment method is saved when the payment is authorized. */
  vaultFor?: string | undefined
  /** Token of the saved payment method that this payment charged or saved. */
  vaultedToken?: string | undefined
  resumeToken?: string | undefined
}

/** The row types of all tables except payments, in the store and in snapshots. */
export interface Rows {
  /** The session fields from the request. `amount` is present only if it overrides the calculated amount. */
  readonly sessions: { clientToken: string; expiresAt: number; session: ClientSession }
  readonly singleUseTokens: { scenario: ScenarioName; clientToken?: string | undefined; isUsed?: boolean | undefined }
  /** `source` is the token from which the payment method was saved. */
  readonly instruments: { instrument: PaymentInstrument; scenario: ScenarioName; source: string }
  readonly externalPayments: ExternalPayment
  readonly loyaltyTransactions: LoyaltyTransaction
  /** The points of each customer, by `balanceKey`. */
  readonly loyaltyBalances: number
  /** The events of each dispute, oldest first. */
  readonly disputes: DisputeStatusEvent[]
  /** For each operation, path and idempotency key: the body of the first request, and its response. */
  readonly idempotency: { request: string; response: { id: string }; at?: number }
}
