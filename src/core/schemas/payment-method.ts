import * as z from 'zod'
import { jsonObject } from './json.js'
import {
  absent,
  type CurrencyCode,
  currencyCode,
  type Fields,
  flag,
  map,
  type ObjectSchema,
  type OtherString,
  object,
  requestRules,
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

export const BinDataSchema: ObjectSchema<BinData> = object({
  network: absent(z.string()),
  issuerCountryCode: absent(z.string()),
  issuerName: absent(z.string()),
  issuerCurrencyCode: absent(currencyCode),
  regionalRestriction: absent(z.string()),
  accountNumberType: absent(z.string()),
  accountFundingType: absent(z.string()),
  prepaidReloadableIndicator: absent(z.string()),
  productUsageType: absent(z.string()),
  productCode: absent(z.string()),
  productName: absent(z.string()),
})

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

export const PaymentMethodDataSchema: ObjectSchema<PaymentMethodData> = object({
  first6Digits: absent(z.string()),
  last4Digits: absent(z.string()),
  expirationMonth: absent(z.string()),
  expirationYear: absent(z.string()),
  cardholderName: absent(z.string()),
  network: absent(z.string()),
  isNetworkTokenized: absent(flag),
  binData: absent(BinDataSchema),
})

/** Outcome of a 3-D Secure check. */
export interface ThreeDSecureAuthentication {
  responseCode?: 'NOT_PERFORMED' | OtherString
  reasonCode?: 'GATEWAY_UNAVAILABLE' | OtherString
  reasonText?: string
  protocolVersion?: string
  /** Whether the customer had to complete a challenge. */
  challengeIssued?: boolean
}

export const ThreeDSecureAuthenticationSchema: ObjectSchema<ThreeDSecureAuthentication> = object({
  responseCode: absent(z.string()),
  reasonCode: absent(z.string()),
  reasonText: absent(z.string()),
  protocolVersion: absent(z.string()),
  challengeIssued: absent(flag),
})

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

export const PaymentMethodSchema: ObjectSchema<PaymentMethod> = object({
  descriptor: absent(z.string()),
  paymentType: absent(z.string()),
  paymentMethodToken: absent(z.string()),
  vaultedPaymentMethodToken: absent(z.string()),
  isVaulted: absent(flag),
  analyticsId: absent(z.string()),
  paymentMethodType: absent(z.string()),
  paymentMethodData: absent(PaymentMethodDataSchema),
  threeDSecureAuthentication: absent(ThreeDSecureAuthenticationSchema),
  authorizationType: absent(z.string()),
})

/** Options for one payment method type. */
export interface PaymentMethodOptions {
  /** Extra charge for this payment method. The specification does not define its fields. */
  surcharge?: Record<string, unknown>
  [option: string]: unknown
}

const PaymentMethodOptionsSchema: z.ZodType<PaymentMethodOptions, PaymentMethodOptions> = object({
  surcharge: absent(jsonObject),
}).register(requestRules, { open: true })

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

export const paymentMethodChoices: Fields<PaymentMethodChoices> = {
  descriptor: absent(z.string()),
  paymentType: absent(z.string()),
  authorizationType: absent(z.string()),
  vaultOnSuccess: absent(flag),
}

export const PaymentMethodInputSchema: ObjectSchema<PaymentMethodInput> = object({
  ...paymentMethodChoices,
  options: absent(map(PaymentMethodOptionsSchema)),
})
