import * as z from 'zod'
import { type Metadata, type MetadataInput, MetadataInputSchema, MetadataSchema } from './json.js'
import { type PaymentStatus, type StatusReason, StatusReasonSchema } from './payment.js'
import type { PaymentMethodType, PaymentType } from './payment-method.js'
import {
  absent,
  type CurrencyCode,
  currencyCode,
  type DateTime,
  dateTime,
  type Fields,
  flag,
  identifier,
  minorUnits,
  never,
  type ObjectSchema,
  type OtherString,
  object,
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

const ExternalPaymentMethodDataSchema: ObjectSchema<ExternalPaymentMethodData> = object({
  first6Digits: absent(z.string()),
  binData: absent(
    object({
      network: absent(z.string()),
      issuerCountryCode: absent(z.string()),
      issuerName: absent(z.string()),
      productUsageType: absent(z.string()),
      accountFundingType: absent(z.string()),
    }),
  ),
})

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

const ExternalThreeDSecureSchema: ObjectSchema<ExternalThreeDSecure> = object({
  transStatus: absent(z.string()),
  transStatusReason: absent(z.string()),
  responseCode: absent(z.string()),
  challengeIssued: absent(flag),
  protocolVersion: absent(z.string()),
  reasonCode: absent(z.string()),
  reasonText: absent(z.string()),
  eci: absent(z.string()),
})

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

export const ExternalPaymentSchema: ObjectSchema<ExternalPayment> = object({
  paymentId: absent(z.string()),
  currencyCode: absent(currencyCode),
  processor: absent(object({ name: absent(z.string()), merchantId: absent(z.string()) })),
  amount: absent(minorUnits),
  createdAt: absent(dateTime),
  order: absent(object({ id: absent(z.string()), countryCode: absent(z.string()) })),
  paymentMethod: absent(
    object({
      paymentMethodType: absent(z.string()),
      data: absent(ExternalPaymentMethodDataSchema),
      threeDSecureAuthentication: absent(ExternalThreeDSecureSchema),
    }),
  ),
  status: absent(z.string()),
  statusReason: absent(StatusReasonSchema),
  metadata: absent(MetadataSchema),
  paymentType: absent(z.string()),
  descriptor: absent(z.string()),
})

interface ExternalPaymentFacts {
  status?: PaymentStatus
  statusReason?: StatusReason
  /** Your own data. Values are strings or integers. */
  metadata?: MetadataInput
  paymentType?: PaymentType
  /** Description on the bank statement. */
  descriptor?: string
}

const externalPaymentFacts: Fields<ExternalPaymentFacts> = {
  status: absent(z.string()),
  statusReason: absent(StatusReasonSchema),
  metadata: absent(MetadataInputSchema),
  paymentType: absent(z.string()),
  descriptor: absent(z.string()),
}

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

export const CreateExternalPaymentBodySchema: ObjectSchema<CreateExternalPaymentBody> = object({
  paymentId: identifier,
  currencyCode,
  processor: object({ name: identifier }),
  amount: minorUnits,
  createdAt: dateTime as z.ZodType as z.ZodType<DateTime | Date, DateTime | Date>,
  order: object({ id: identifier }),
  paymentMethod: object({ paymentMethodType: z.string() }),
  ...externalPaymentFacts,
})

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

export const ExternalPaymentChangesSchema: ObjectSchema<ExternalPaymentChanges> = object({
  paymentId: absent(identifier),
  currencyCode: absent(currencyCode),
  processor: absent(object({ name: absent(identifier) })),
  amount: absent(minorUnits),
  order: absent(object({ id: absent(identifier) })),
  paymentMethod: absent(object({ paymentMethodType: absent(z.string()) })),
  createdAt: never('cannot be changed after creation'),
  ...externalPaymentFacts,
})
