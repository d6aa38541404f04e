import type { LiteralUnion } from 'type-fest'
import { Metadata, MetadataInput } from './json.js'
import { type PaymentStatus, StatusReason } from './payment.js'
import type { PaymentMethodType, PaymentType } from './payment-method.js'
import {
  type CurrencyCode,
  currencyCode,
  type DateTime,
  dateTime,
  flag,
  identifier,
  minorUnits,
  openEnum,
  text,
} from './scalars.js'
import { type Fields, never, object, optional } from './schema.js'

/** Card data of a payment made elsewhere. */
export interface ExternalPaymentMethodData {
  first6Digits?: string
  binData?: {
    network?: string
    /** Two-letter country code. */
    issuerCountryCode?: string
    issuerName?: string
    productUsageType?: LiteralUnion<'CONSUMER', string>
    accountFundingType?: LiteralUnion<'CREDIT', string>
  }
}

const ExternalPaymentMethodData = object<ExternalPaymentMethodData>(() => ({
  first6Digits: optional(text),
  binData: optional(
    object<NonNullable<ExternalPaymentMethodData['binData']>>(() => ({
      network: optional(text),
      issuerCountryCode: optional(text),
      issuerName: optional(text),
      productUsageType: optional(openEnum()),
      accountFundingType: optional(openEnum()),
    })),
  ),
}))

/** Outcome of the 3-D Secure check of a payment made elsewhere. */
export interface ExternalThreeDSecure {
  transStatus?: string
  transStatusReason?: string
  responseCode?: LiteralUnion<'NOT_PERFORMED', string>
  challengeIssued?: boolean
  protocolVersion?: string
  reasonCode?: LiteralUnion<'GATEWAY_UNAVAILABLE', string>
  reasonText?: string
  eci?: string
}

const ExternalThreeDSecure = object<ExternalThreeDSecure>(() => ({
  transStatus: optional(text),
  transStatusReason: optional(text),
  responseCode: optional(openEnum()),
  challengeIssued: optional(flag),
  protocolVersion: optional(text),
  reasonCode: optional(openEnum()),
  reasonText: optional(text),
  eci: optional(text),
}))

/** A payment made outside the service, recorded for the dashboards (beta). */
export interface ExternalPayment {
  /** Unique per record. */
  paymentId?: string
  currencyCode?: CurrencyCode
  processor?: {
    name?: string
    merchantId?: string
  }
  /** Minor units. */
  amount?: number
  /** When the payment was made, UTC. */
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
  /** Bank statement description. */
  descriptor?: string
}

export const ExternalPayment = object<ExternalPayment>(() => ({
  paymentId: optional(text),
  currencyCode: optional(currencyCode),
  processor: optional(
    object<NonNullable<ExternalPayment['processor']>>(() => ({ name: optional(text), merchantId: optional(text) })),
  ),
  amount: optional(minorUnits),
  createdAt: optional(dateTime),
  order: optional(
    object<NonNullable<ExternalPayment['order']>>(() => ({ id: optional(text), countryCode: optional(text) })),
  ),
  paymentMethod: optional(
    object<NonNullable<ExternalPayment['paymentMethod']>>(() => ({
      paymentMethodType: optional(openEnum()),
      data: optional(ExternalPaymentMethodData),
      threeDSecureAuthentication: optional(ExternalThreeDSecure),
    })),
  ),
  status: optional(openEnum()),
  statusReason: optional(StatusReason),
  metadata: optional(Metadata),
  paymentType: optional(openEnum()),
  descriptor: optional(text),
}))

interface ExternalPaymentFacts {
  status?: PaymentStatus
  statusReason?: StatusReason
  /** Your own data; values are strings or integers. */
  metadata?: MetadataInput
  paymentType?: PaymentType
  /** Bank statement description. */
  descriptor?: string
}

const externalPaymentFacts = (): Fields<ExternalPaymentFacts> => ({
  status: optional(openEnum()),
  statusReason: optional(StatusReason),
  metadata: optional(MetadataInput),
  paymentType: optional(openEnum()),
  descriptor: optional(text),
})

/** A payment made outside the service, to be recorded. */
export interface CreateExternalPaymentBody extends ExternalPaymentFacts {
  /** Unique per record. */
  paymentId: string
  /** ISO 4217. */
  currencyCode: CurrencyCode
  processor: {
    name: string
  }
  /** Minor units, at least 0. */
  amount: number
  /** When the payment was made: ISO 8601, UTC. Cannot be changed later. */
  createdAt: DateTime
  order: {
    /** Your reference. */
    id: string
  }
  paymentMethod: {
    paymentMethodType: PaymentMethodType
  }
}

export const CreateExternalPaymentBody = object<CreateExternalPaymentBody>(() => ({
  paymentId: identifier,
  currencyCode,
  processor: object<CreateExternalPaymentBody['processor']>(() => ({ name: identifier })),
  amount: minorUnits,
  createdAt: dateTime,
  order: object<CreateExternalPaymentBody['order']>(() => ({ id: identifier })),
  paymentMethod: object<CreateExternalPaymentBody['paymentMethod']>(() => ({
    paymentMethodType: openEnum<PaymentMethodType>(),
  })),
  ...externalPaymentFacts(),
}))

/** The fields to change, nested ones on their own (`{ processor: { name } }`). */
export interface ExternalPaymentChanges extends ExternalPaymentFacts {
  paymentId?: string
  currencyCode?: CurrencyCode
  processor?: {
    name?: string
  }
  /** Minor units, at least 0. */
  amount?: number
  order?: {
    /** Your reference. */
    id?: string
  }
  paymentMethod?: {
    paymentMethodType?: PaymentMethodType
  }
  /** Cannot be changed. */
  createdAt?: never
}

export const ExternalPaymentChanges = object<ExternalPaymentChanges>(() => ({
  paymentId: optional(identifier),
  currencyCode: optional(currencyCode),
  processor: optional(object<NonNullable<ExternalPaymentChanges['processor']>>(() => ({ name: optional(identifier) }))),
  amount: optional(minorUnits),
  order: optional(object<NonNullable<ExternalPaymentChanges['order']>>(() => ({ id: optional(identifier) }))),
  paymentMethod: optional(
    object<NonNullable<ExternalPaymentChanges['paymentMethod']>>(() => ({ paymentMethodType: optional(openEnum()) })),
  ),
  createdAt: never('cannot be changed after creation'),
  ...externalPaymentFacts(),
}))
