import * as z from 'zod'
import { type PaymentMethodData, PaymentMethodDataSchema, type PaymentMethodType } from './payment-method.js'
import { absent, type DateTime, flag, identifier, type ObjectSchema, type OtherString, object } from './schema.js'

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

export const PaymentInstrumentSchema: ObjectSchema<PaymentInstrument> = object({
  token: z.string(),
  tokenType: absent(z.string()),
  analyticsId: absent(z.string()),
  paymentMethodType: absent(z.string()),
  paymentMethodData: absent(PaymentMethodDataSchema),
  customerId: absent(z.string()),
  description: absent(z.string()),
  default: absent(flag),
  isVerified: absent(flag),
  createdAt: absent(z.string()),
  deleted: absent(flag),
  deletedAt: absent(z.string()),
})

export interface PaymentInstrumentList {
  data: PaymentInstrument[]
}

export const PaymentInstrumentListSchema: ObjectSchema<PaymentInstrumentList> = object({
  data: z.array(PaymentInstrumentSchema),
})

/** The customer for whom to save the payment method. */
export interface VaultBody {
  /** Your identifier for the customer. */
  customerId: string
  /** Verifies the payment method first, and saves it only if the verification succeeds. @default false */
  verify?: boolean
}

export const VaultBodySchema: ObjectSchema<VaultBody> = object({ customerId: identifier, verify: absent(flag) })

/** The customer whose payment methods are listed. */
export interface ListPaymentInstrumentsParams {
  /** Your identifier for the customer. */
  customerId: string
}

export const ListPaymentInstrumentsParamsSchema: ObjectSchema<ListPaymentInstrumentsParams> = object({
  customerId: identifier,
})
