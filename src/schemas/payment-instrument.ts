import type { LiteralUnion } from 'type-fest'
import { PaymentMethodData, type PaymentMethodType } from './payment-method.js'
import { type DateTime, flag, identifier, list, object, openEnum, required, text } from './schema.js'

/** A saved payment method of a customer. */
export interface PaymentInstrument {
  /** The vaulted token: pay with it as `paymentMethodToken`. */
  token: string
  /** `MULTI_USE`: the token can be used again. */
  tokenType?: LiteralUnion<'MULTI_USE' | 'SINGLE_USE', string>
  analyticsId?: string
  paymentMethodType?: PaymentMethodType
  paymentMethodData?: PaymentMethodData
  /** Your identifier of the customer. */
  customerId?: string
  /** Given by the customer. */
  description?: string
  /** Whether this is the customer's default. */
  default?: boolean
  isVerified?: boolean
  /** UTC. */
  createdAt?: DateTime
  /** Whether it was revoked. */
  deleted?: boolean
  /** When it was revoked, UTC. */
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

/** Whom to save a payment method for. */
export interface VaultBody {
  /** Your identifier of the customer. */
  customerId: string
  /** Verifies the payment method first, and saves it only on success. @default false */
  verify?: boolean
}

export const VaultBody = object<VaultBody>(() => ({ customerId: required(identifier), verify: flag }))

/** Whose payment methods to list. */
export interface ListPaymentInstrumentsParams {
  /** Your identifier of the customer. */
  customerId: string
}

export const ListPaymentInstrumentsParams = object<ListPaymentInstrumentsParams>(() => ({
  customerId: required(identifier),
}))
