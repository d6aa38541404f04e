import { PaymentMethodData, type PaymentMethodType } from './payment-method.js'
import { type DateTime, flag, identifier, list, type OtherString, object, openEnum, required, text } from './schema.js'

/** A saved payment method of a customer. */
export interface PaymentInstrument {
  /** The token of the saved payment method. To charge it, pass it as `paymentMethodToken`. */
  token: string
  /** `MULTI_USE` if the token can be used more than once. */
  tokenType?: 'MULTI_USE' | 'SINGLE_USE' | OtherString
  analyticsId?: string
  paymentMethodType?: PaymentMethodType
  paymentMethodData?: PaymentMethodData
  /** Your identifier for the customer. */
  customerId?: string
  /** A description that the customer entered. */
  description?: string
  /** Whether this is the customer's default payment method. */
  default?: boolean
  isVerified?: boolean
  /** When the payment method was saved, in UTC. */
  createdAt?: DateTime
  /** Whether the payment method was revoked. */
  deleted?: boolean
  /** When the payment method was revoked, in UTC. */
  deletedAt?: DateTime
}

export const PaymentInstrument = object<PaymentInstrument>(() => ({
  token: required(text),
  tokenType: openEnum,
  analyticsId: text,
  paymentMethodType: openEnum,
  paymentMethodData: PaymentMethodData,
  customerId: text,
  description: text,
  default: flag,
  isVerified: flag,
  createdAt: text,
  deleted: flag,
  deletedAt: text,
}))

export interface PaymentInstrumentList {
  data: PaymentInstrument[]
}

export const PaymentInstrumentList = object<PaymentInstrumentList>(() => ({ data: required(list(PaymentInstrument)) }))

/** The customer for whom to save the payment method. */
export interface VaultBody {
  /** Your identifier for the customer. */
  customerId: string
  /** Verifies the payment method first, and saves it only if the verification succeeds. @default false */
  verify?: boolean
}

export const VaultBody = object<VaultBody>(() => ({ customerId: required(identifier), verify: flag }))

/** The customer whose payment methods to list. */
export interface ListPaymentInstrumentsParams {
  /** Your identifier for the customer. */
  customerId: string
}

export const ListPaymentInstrumentsParams = object<ListPaymentInstrumentsParams>(() => ({
  customerId: required(identifier),
}))
