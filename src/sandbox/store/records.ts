import type { ClientSession } from '../../schemas/client-session.js'
import type { Payment, Processor, Transaction } from '../../schemas/payment.js'
import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import type { PaymentMethod } from '../../schemas/payment-method.js'
import type { ScenarioName } from '../domain/scenarios.js'

/** Every status the sandbox gives a payment. */
export type Status = 'PENDING' | 'AUTHORIZED' | 'SETTLING' | 'SETTLED' | 'DECLINED' | 'FAILED' | 'CANCELLED'

/** A payment in the service itself, where nothing important is missing. */
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

/** A payment, and what the sandbox knows about it beyond what it shows. */
export interface PaymentRecord {
  payment: StoredPayment
  scenario: ScenarioName
  /** Milliseconds since 1970. */
  createdAt: number
  /** A final capture was made, or everything is captured. */
  isCaptureClosed?: boolean
  /** For whom to save the payment method once the payment is authorized. */
  vaultFor?: string
  /** The saved payment method that paid, or that was saved by this payment. */
  vaultedToken?: string
  /** What the checkout handed over after the required action. */
  resumeToken?: string
}

export interface SessionRecord {
  clientToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
  /** As given: `amount` is here only if it overrides the computed one. */
  session: ClientSession
}

/** A single-use token. */
export interface TokenRecord {
  scenario: ScenarioName
  /** The session it was made in. */
  clientToken?: string
  isUsed?: boolean
}

export interface InstrumentRecord {
  instrument: PaymentInstrument
  scenario: ScenarioName
  /** The token that was vaulted. */
  source: string
}

/** The answer that a key brought. */
export interface RememberedAnswer {
  /** Body of the request. */
  request: string
  answer: object
}
