import { Metadata, MetadataInput } from './json.js'
import { type PaymentStatus, StatusReason } from './payment.js'
import type { PaymentMethodType, PaymentType } from './payment-method.js'
import {
  type CurrencyCode,
  currencyCode,
  type DateTime,
  dateTime,
  type Fields,
  flag,
  identifier,
  minorUnits,
  never,
  type OtherString,
  object,
  openEnum,
  required,
  type Schema,
  text,
} from './schema.js'

/** Card data of a payment made outside the service. */
export interface ExternalPaymentMethodData {
  first6Digits?: string
  binData?: {
    network?: string
    /** Two-letter country code. */
    issuerCountryCode?: string
    issuerName?: string
    productUsageType?: 'CONSUMER' | OtherString
    accountFundingType?: 'CREDIT' | OtherString
  }
}

const ExternalPaymentMethodData = object<ExternalPaymentMethodData>(() => ({
  first6Digits: text,
  binData: object(() => ({
    network: text,
    issuerCountryCode: text,
    issuerName: text,
    productUsageType: openEnum,
    accountFundingType: openEnum,
  })),
}))

/** 3-D Secure outcome for a payment made outside the service. */
export interface ExternalThreeDSecure {
  transStatus?: string
  transStatusReason?: string
  responseCode?: 'NOT_PERFORMED' | OtherString
  challengeIssued?: boolean
  protocolVersion?: string
  reasonCode?: 'GATEWAY_UNAVAILABLE' | OtherString
  reasonText?: string
  eci?: string
}

const ExternalThreeDSecure = object<ExternalThreeDSecure>(() => ({
  transStatus: text,
  transStatusReason: text,
  responseCode: openEnum,
  challengeIssued: flag,
  protocolVersion: text,
  reasonCode: openEnum,
  reasonText: text,
  eci: text,
}))

/** A payment made outside the service, recorded for the dashboards (beta). */
export interface ExternalPayment {
  /** Your identifier for this payment. It must be unique. */
  paymentId?: string
  currencyCode?: CurrencyCode
  processor?: {
    name?: string
    merchantId?: string
  }
  /** Amount in minor units. */
  amount?: number
  /** When the payment was made, in UTC. */
  createdAt?: DateTime
  order?: {
    id?: string
    /** Two-letter country code. */
    countryCode?: string
  }
  paymentMethod?: {
    paymentMethodType?: PaymentMethodType
    data?: ExternalPaymentMethodData
    threeDSecureAuthentication?: ExternalThreeDSecure
  }
  status?: PaymentStatus
  statusReason?: StatusReason
  metadata?: Metadata
  paymentType?: PaymentType
  /** Description on the bank statement. */
  descriptor?: string
}

export const ExternalPayment = object<ExternalPayment>(() => ({
  paymentId: text,
  currencyCode,
  processor: object(() => ({ name: text, merchantId: text })),
  amount: minorUnits,
  createdAt: dateTime,
  order: object(() => ({ id: text, countryCode: text })),
  paymentMethod: object(() => ({
    paymentMethodType: openEnum,
    data: ExternalPaymentMethodData,
    threeDSecureAuthentication: ExternalThreeDSecure,
  })),
  status: openEnum,
  statusReason: StatusReason,
  metadata: Metadata,
  paymentType: openEnum,
  descriptor: text,
}))

interface ExternalPaymentFacts {
  status?: PaymentStatus
  statusReason?: StatusReason
  /** Your own data. Values are strings or integers. */
  metadata?: MetadataInput
  paymentType?: PaymentType
  /** Description on the bank statement. */
  descriptor?: string
}

const externalPaymentFacts = (): Fields<ExternalPaymentFacts> => ({
  status: openEnum,
  statusReason: StatusReason,
  metadata: MetadataInput,
  paymentType: openEnum,
  descriptor: text,
})

/** The payment to record. It was made outside the service. */
export interface CreateExternalPaymentBody extends ExternalPaymentFacts {
  /** Your identifier for this payment. It must be unique. */
  paymentId: string
  /** ISO 4217 currency code. */
  currencyCode: CurrencyCode
  processor: {
    name: string
  }
  /** Amount in minor units, at least 0. */
  amount: number
  /** When the payment was made, as ISO 8601 in UTC. Cannot be changed later. */
  createdAt: DateTime | Date
  order: {
    /** Your reference for the order. */
    id: string
  }
  paymentMethod: {
    paymentMethodType: PaymentMethodType
  }
}

export const CreateExternalPaymentBody = object<CreateExternalPaymentBody>(() => ({
  paymentId: required(identifier),
  currencyCode: required(currencyCode),
  processor: required(object(() => ({ name: required(identifier) }))),
  amount: required(minorUnits),
  createdAt: required(dateTime as Schema<DateTime | Date>),
  order: required(object(() => ({ id: required(identifier) }))),
  paymentMethod: required(object(() => ({ paymentMethodType: required(openEnum) }))),
  ...externalPaymentFacts(),
}))

/** The fields to change, including single nested fields: `{ processor: { name } }`. */
export interface ExternalPaymentChanges extends ExternalPaymentFacts {
  paymentId?: string
  currencyCode?: CurrencyCode
  processor?: {
    name?: string
  }
  /** Amount in minor units, at least 0. */
  amount?: number
  order?: {
    /** Your reference for the order. */
    id?: string
  }
  paymentMethod?: {
    paymentMethodType?: PaymentMethodType
  }
  /** The creation time cannot be changed. */
  createdAt?: never
}

export const ExternalPaymentChanges = object<ExternalPaymentChanges>(() => ({
  paymentId: identifier,
  currencyCode,
  processor: object(() => ({ name: identifier })),
  amount: minorUnits,
  order: object(() => ({ id: identifier })),
  paymentMethod: object(() => ({ paymentMethodType: openEnum })),
  createdAt: never('cannot be changed after creation'),
  ...externalPaymentFacts(),
}))
