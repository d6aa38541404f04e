import type { LiteralUnion } from 'type-fest'
import { jsonObject } from './json.js'
import { type CurrencyCode, currencyCode, flag, openEnum, text } from './scalars.js'
import { map, object, optional, type Schema } from './schema.js'

/** Whether the customer or the merchant initiates a payment, and with which details. Specification: Payment types. */
export type PaymentType = LiteralUnion<
  'FIRST_PAYMENT' | 'ECOMMERCE' | 'SUBSCRIPTION' | 'UNSCHEDULED' | 'MOTO' | 'IN_STORE',
  string
>

/** The kind of payment method, e.g. a card or a wallet. */
export type PaymentMethodType = LiteralUnion<'PAYMENT_CARD', string>

/** `ESTIMATED`: the authorized amount may be adjusted later. */
export type AuthorizationType = LiteralUnion<'ESTIMATED', string>

/** Details of a card, derived from its first digits. */
export interface BinData {
  network?: LiteralUnion<'AMEX', string>
  /** Two-letter country code. */
  issuerCountryCode?: string
  issuerName?: string
  /** ISO 4217. */
  issuerCurrencyCode?: CurrencyCode
  regionalRestriction?: LiteralUnion<'DOMESTIC_USE_ONLY', string>
  accountNumberType?: LiteralUnion<'PRIMARY_ACCOUNT_NUMBER', string>
  accountFundingType?: LiteralUnion<'CREDIT', string>
  prepaidReloadableIndicator?: LiteralUnion<'RELOADABLE', string>
  productUsageType?: LiteralUnion<'CONSUMER', string>
  productCode?: string
  productName?: string
}

export const BinData = object<BinData>(() => ({
  network: optional(openEnum()),
  issuerCountryCode: optional(text),
  issuerName: optional(text),
  issuerCurrencyCode: optional(currencyCode),
  regionalRestriction: optional(openEnum()),
  accountNumberType: optional(openEnum()),
  accountFundingType: optional(openEnum()),
  prepaidReloadableIndicator: optional(openEnum()),
  productUsageType: optional(openEnum()),
  productCode: optional(text),
  productName: optional(text),
}))

/**
 * Data of the payment method. These are the fields of a card (`paymentMethodType` is `PAYMENT_CARD`); wallets reuse
 * them, and other types have their own fields, which are readable at run time.
 */
export interface PaymentMethodData {
  first6Digits?: string
  last4Digits?: string
  /** Two digits. */
  expirationMonth?: string
  /** Four digits. */
  expirationYear?: string
  cardholderName?: string
  /** Card scheme, e.g. `Visa`. */
  network?: string
  isNetworkTokenized?: boolean
  binData?: BinData
}

export const PaymentMethodData = object<PaymentMethodData>(() => ({
  first6Digits: optional(text),
  last4Digits: optional(text),
  expirationMonth: optional(text),
  expirationYear: optional(text),
  cardholderName: optional(text),
  network: optional(text),
  isNetworkTokenized: optional(flag),
  binData: optional(BinData),
}))

/** Outcome of a 3-D Secure check. */
export interface ThreeDSecureAuthentication {
  responseCode?: LiteralUnion<'NOT_PERFORMED', string>
  reasonCode?: LiteralUnion<'GATEWAY_UNAVAILABLE', string>
  reasonText?: string
  protocolVersion?: string
  /** Whether the customer had to do something. */
  challengeIssued?: boolean
}

export const ThreeDSecureAuthentication = object<ThreeDSecureAuthentication>(() => ({
  responseCode: optional(openEnum()),
  reasonCode: optional(openEnum()),
  reasonText: optional(text),
  protocolVersion: optional(text),
  challengeIssued: optional(flag),
}))

/** The payment method of a payment: options given in the request, and the token used. */
export interface PaymentMethod {
  /** Description as it appears on a bank statement. */
  descriptor?: string
  paymentType?: PaymentType
  /** Token used to process the payment. */
  paymentMethodToken?: string
  /** Token of the saved payment method. Only in webhook events. */
  vaultedPaymentMethodToken?: string
  isVaulted?: boolean
  analyticsId?: string
  paymentMethodType?: PaymentMethodType
  paymentMethodData?: PaymentMethodData
  threeDSecureAuthentication?: ThreeDSecureAuthentication
  authorizationType?: AuthorizationType
}

export const PaymentMethod = object<PaymentMethod>(() => ({
  descriptor: optional(text),
  paymentType: optional(openEnum()),
  paymentMethodToken: optional(text),
  vaultedPaymentMethodToken: optional(text),
  isVaulted: optional(flag),
  analyticsId: optional(text),
  paymentMethodType: optional(openEnum()),
  paymentMethodData: optional(PaymentMethodData),
  threeDSecureAuthentication: optional(ThreeDSecureAuthentication),
  authorizationType: optional(openEnum()),
}))

/** Options for one payment method type. */
export interface PaymentMethodOptions {
  /** Extra charge for paying this way. Its content is not specified. */
  surcharge?: Record<string, unknown>
  [option: string]: unknown
}

const PaymentMethodOptions: Schema<PaymentMethodOptions> = object<{ surcharge?: Record<string, unknown> }>(
  () => ({ surcharge: optional(jsonObject) }),
  { open: true },
)

/** The payment method options of a request. */
export interface PaymentMethodInput {
  /** Description as it is to appear on a bank statement. */
  descriptor?: string
  /** Who initiates the payment; for recurring payments. */
  paymentType?: PaymentType
  /** `ESTIMATED` lets `payments.adjustAuthorization` change the amount later. */
  authorizationType?: AuthorizationType
  /** Save the payment method once the payment succeeds; needs a `customerId`, here or in the client session. */
  vaultOnSuccess?: boolean
  /** Options by payment method type, e.g. `{ PAYMENT_CARD: { surcharge: { … } } }`. */
  options?: Record<string, PaymentMethodOptions>
}

export const paymentMethodInput = () => ({
  descriptor: optional(text),
  paymentType: optional(openEnum<PaymentType>()),
  authorizationType: optional(openEnum<AuthorizationType>()),
  vaultOnSuccess: optional(flag),
  options: optional(map(PaymentMethodOptions)),
})

export const PaymentMethodInput = object<PaymentMethodInput>(paymentMethodInput)
