import { jsonObject } from './json.js'
import {
  type CurrencyCode,
  currencyCode,
  flag,
  map,
  type OtherString,
  object,
  openEnum,
  type Schema,
  text,
} from './schema.js'

/** The kind of payment, and whether the customer or the merchant initiates it. Specification: Payment types. */
export type PaymentType =
  | 'FIRST_PAYMENT'
  | 'ECOMMERCE'
  | 'SUBSCRIPTION'
  | 'UNSCHEDULED'
  | 'MOTO'
  | 'IN_STORE'
  | OtherString

/** The kind of payment method, e.g. a card or a wallet. */
export type PaymentMethodType = 'PAYMENT_CARD' | OtherString

/** The kind of authorization. `ESTIMATED` allows you to change the authorized amount later. */
export type AuthorizationType = 'ESTIMATED' | OtherString

/** Details of a card, derived from its first digits. */
export interface BinData {
  network?: 'AMEX' | OtherString
  /** Two-letter code of the issuer's country. */
  issuerCountryCode?: string
  issuerName?: string
  /** ISO 4217 code of the issuer's currency. */
  issuerCurrencyCode?: CurrencyCode
  regionalRestriction?: 'DOMESTIC_USE_ONLY' | OtherString
  accountNumberType?: 'PRIMARY_ACCOUNT_NUMBER' | OtherString
  accountFundingType?: 'CREDIT' | OtherString
  prepaidReloadableIndicator?: 'RELOADABLE' | OtherString
  productUsageType?: 'CONSUMER' | OtherString
  productCode?: string
  productName?: string
}

export const BinData = object<BinData>(() => ({
  network: openEnum,
  issuerCountryCode: text,
  issuerName: text,
  issuerCurrencyCode: currencyCode,
  regionalRestriction: openEnum,
  accountNumberType: openEnum,
  accountFundingType: openEnum,
  prepaidReloadableIndicator: openEnum,
  productUsageType: openEnum,
  productCode: text,
  productName: text,
}))

/**
 * Details of the payment method. Only the fields of cards (`paymentMethodType` is `PAYMENT_CARD`) and wallets are
 * typed. Other types have further fields at run time.
 */
export interface PaymentMethodData {
  first6Digits?: string
  last4Digits?: string
  /** Month in which the card expires, as two digits. */
  expirationMonth?: string
  /** Year in which the card expires, as four digits. */
  expirationYear?: string
  cardholderName?: string
  /** Card scheme, e.g. `Visa`. */
  network?: string
  isNetworkTokenized?: boolean
  binData?: BinData
}

export const PaymentMethodData = object<PaymentMethodData>(() => ({
  first6Digits: text,
  last4Digits: text,
  expirationMonth: text,
  expirationYear: text,
  cardholderName: text,
  network: text,
  isNetworkTokenized: flag,
  binData: BinData,
}))

/** Outcome of a 3-D Secure check. */
export interface ThreeDSecureAuthentication {
  responseCode?: 'NOT_PERFORMED' | OtherString
  reasonCode?: 'GATEWAY_UNAVAILABLE' | OtherString
  reasonText?: string
  protocolVersion?: string
  /** Whether the customer had to complete a challenge. */
  challengeIssued?: boolean
}

export const ThreeDSecureAuthentication = object<ThreeDSecureAuthentication>(() => ({
  responseCode: openEnum,
  reasonCode: openEnum,
  reasonText: text,
  protocolVersion: text,
  challengeIssued: flag,
}))

/** A payment's payment method, with the requested options and the token that was used. */
export interface PaymentMethod {
  /** Description on the bank statement. */
  descriptor?: string
  paymentType?: PaymentType
  /** Token used to process the payment. */
  paymentMethodToken?: string
  /** Token of the saved payment method. Present only in webhook events. */
  vaultedPaymentMethodToken?: string
  isVaulted?: boolean
  analyticsId?: string
  paymentMethodType?: PaymentMethodType
  paymentMethodData?: PaymentMethodData
  threeDSecureAuthentication?: ThreeDSecureAuthentication
  authorizationType?: AuthorizationType
}

export const PaymentMethod = object<PaymentMethod>(() => ({
  descriptor: text,
  paymentType: openEnum,
  paymentMethodToken: text,
  vaultedPaymentMethodToken: text,
  isVaulted: flag,
  analyticsId: text,
  paymentMethodType: openEnum,
  paymentMethodData: PaymentMethodData,
  threeDSecureAuthentication: ThreeDSecureAuthentication,
  authorizationType: openEnum,
}))

/** Options for one payment method type. */
export interface PaymentMethodOptions {
  /** Extra charge for this payment method. The specification does not define its fields. */
  surcharge?: Record<string, unknown>
  [option: string]: unknown
}

const PaymentMethodOptions: Schema<PaymentMethodOptions> = object<{ surcharge?: Record<string, unknown> }>(
  () => ({ surcharge: jsonObject }),
  { open: true },
)

/** The payment method options that can change after a session is created. */
export interface PaymentMethodChoices {
  /** Description for the bank statement. */
  descriptor?: string
  /** The kind of payment. Needed for recurring payments. */
  paymentType?: PaymentType
  /** `ESTIMATED` lets `payments.adjustAuthorization` change the amount later. */
  authorizationType?: AuthorizationType
  /** Saves the payment method when the payment succeeds. Needs a `customerId`, here or in the client session. */
  vaultOnSuccess?: boolean
}

/** The payment method options in a request. */
export interface PaymentMethodInput extends PaymentMethodChoices {
  /** Options by payment method type, e.g. `{ PAYMENT_CARD: { surcharge: { … } } }`. */
  options?: { [paymentMethodType: string]: PaymentMethodOptions }
}

export const paymentMethodInput = () => ({
  descriptor: text,
  paymentType: openEnum,
  authorizationType: openEnum,
  vaultOnSuccess: flag,
  options: map(PaymentMethodOptions),
})

export const PaymentMethodInput = object<PaymentMethodInput>(paymentMethodInput)
