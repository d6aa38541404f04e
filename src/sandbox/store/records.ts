import type { ClientSession } from '../../schemas/client-session.js'
import type { Payment, Processor, Transaction } from '../../schemas/payment.js'
import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import type { PaymentMethod } from '../../schemas/payment-method.js'
import type { ScenarioName } from '../internal/scenarios.js'

/** Every status that the sandbox gives a payment. */
export type Status = 'PENDING' | 'AUTHORIZED' | 'SETTLING' | 'SETTLED' | 'DECLINED' | 'FAILED' | 'CANCELLED'

/** A payment with the fields that the sandbox always sets, in the shape of version `2021-09-27`. */
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

/** A payment with the state that responses do not show. */
export interface PaymentRecord {
  payment: StoredPayment
  scenario: ScenarioName
  /** API version of the request that created the payment. */
  apiVersion: string
  /** Milliseconds since 1970. */
  createdAt: number
  /** After a final capture, or when the full amount is captured. */
  isCaptureClosed?: boolean
  /** The customer to save the payment method for once the payment is authorized. */
  vaultFor?: string
  /** The saved payment method that was charged, or that this payment saved. */
  vaultedToken?: string
  /** The token that `payments.resume` needs. */
  resumeToken?: string
}

export interface SessionRecord {
  clientToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
  /** As given: `amount` is present only if it overrides the computed amount. */
  session: ClientSession
}

/** A single-use token. */
export interface TokenRecord {
  scenario: ScenarioName
  /** The session that the token was created in. */
  clientToken?: string
  isUsed?: boolean
}

export interface InstrumentRecord {
  instrument: PaymentInstrument
  scenario: ScenarioName
  /** The token that was vaulted. */
  source: string
}

/** The first response to an idempotency key. */
export interface IdempotencyRecord {
  /** Body of the request. */
  request: string
  response: object
}
