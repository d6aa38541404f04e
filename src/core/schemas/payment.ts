import * as z from 'zod'
import { type Customer, CustomerSchema } from './customer.js'
import { type Metadata, type MetadataInput, MetadataInputSchema, MetadataSchema } from './json.js'
import {
  type LineItem,
  LineItemSchema,
  type LineItemsCart,
  lineItemsCart,
  type Order,
  type OrderCart,
  type OrderDetails,
  OrderDetailsSchema,
  OrderSchema,
  orderCart,
  type UseOrderDetailsAndLineItemsInVersion21,
} from './order.js'
import {
  type PaymentMethod,
  type PaymentMethodInput,
  PaymentMethodInputSchema,
  PaymentMethodSchema,
} from './payment-method.js'
import {
  absent,
  type CurrencyCode,
  currencyCode,
  type DateTime,
  type Fields,
  flag,
  identifier,
  minorUnits,
  type ObjectSchema,
  type OtherString,
  object,
  requestRules,
} from './schema.js'

/** A payment status that this version of the package supports. The service may add further statuses. */
export type KnownPaymentStatus =
  | 'PENDING'
  | 'AUTHORIZED'
  | 'SETTLING'
  | 'PARTIALLY_SETTLED'
  | 'SETTLED'
  | 'DECLINED'
  | 'FAILED'
  | 'CANCELLED'

/** The status of a payment. Specification: States and transitions. */
export type PaymentStatus = KnownPaymentStatus | OtherString

/** The reason that a payment or transaction was declined or failed. */
export interface StatusReason {
  type?: 'APPLICATION_ERROR' | OtherString
  /** `SOFT_DECLINE` if a retry may succeed. */
  declineType?: 'SOFT_DECLINE' | OtherString
  code?: 'ERROR' | OtherString
  /** An explanation of the reason, in plain language. */
  message?: string
}

export const StatusReasonSchema: ObjectSchema<StatusReason> = object({
  type: absent(z.string()),
  declineType: absent(z.string()),
  code: absent(z.string()),
  message: absent(z.string()),
})

/** The processor of a payment, and the amounts captured and refunded so far. */
export interface Processor {
  name?: string
  processorMerchantId?: string
  /** Amount captured so far, in minor units. */
  amountCaptured?: number
  /** Amount refunded so far, in minor units. */
  amountRefunded?: number
}

export const ProcessorSchema: ObjectSchema<Processor> = object({
  name: absent(z.string()),
  processorMerchantId: absent(z.string()),
  amountCaptured: absent(minorUnits),
  amountRefunded: absent(minorUnits),
})

/** The action that the customer must complete before the payment can continue. */
export interface RequiredAction {
  name?: '3DS_AUTHENTICATION' | OtherString
  description?: string
  /** The client token with which to continue the checkout. */
  clientToken?: string
}

export const RequiredActionSchema: ObjectSchema<RequiredAction> = object({
  name: absent(z.string()),
  description: absent(z.string()),
  clientToken: absent(z.string()),
})

/** One transaction at the processor. Each refund is a separate transaction. */
export interface Transaction {
  /** Time of the transaction, in UTC. Parse it with `toDate`, because the zone is often missing. */
  date?: DateTime
  /** Amount of the transaction, in minor units. */
  amount?: number
  currencyCode?: CurrencyCode
  transactionType?: 'SALE' | 'REFUND' | OtherString
  processorTransactionId?: string
  processorName?: string
  processorMerchantId?: string
  /** For a refund, `SETTLED` means success and `FAILED` means failure. */
  processorStatus?: 'PENDING' | 'SETTLED' | 'FAILED' | OtherString
  processorStatusReason?: StatusReason
}

export const TransactionSchema: ObjectSchema<Transaction> = object({
  date: absent(z.string()),
  amount: absent(minorUnits),
  currencyCode: absent(z.string()),
  transactionType: absent(z.string()),
  processorTransactionId: absent(z.string()),
  processorName: absent(z.string()),
  processorMerchantId: absent(z.string()),
  processorStatus: absent(z.string()),
  processorStatusReason: absent(StatusReasonSchema),
})

/** Result of a fraud check. */
export interface FraudCheck {
  source?: string
  preAuthorizationResult?: 'ACCEPT' | OtherString
  postAuthorizationResult?: 'ACCEPT' | OtherString
}

export const FraudCheckSchema: ObjectSchema<FraudCheck> = object({
  source: absent(z.string()),
  preAuthorizationResult: absent(z.string()),
  postAuthorizationResult: absent(z.string()),
})

/** Risk data for a payment. */
export interface RiskData {
  fraudCheck?: FraudCheck
}

export const RiskDataSchema: ObjectSchema<RiskData> = object({ fraudCheck: absent(FraudCheckSchema) })

/** The fields that payments have in every API version. The service may omit any field except `id`. */
export interface PaymentCore {
  /** Identifies the payment in every later operation. */
  id: string
  /** When the payment was created, in UTC. */
  date?: DateTime
  /** When the payment last changed, in UTC. */
  dateUpdated?: DateTime
  status?: PaymentStatus
  /** Your reference for the payment. */
  orderId?: string
  currencyCode?: CurrencyCode
  /** Amount charged, in minor units of `currencyCode`. */
  amount?: number
  /** Your identifier for the customer. */
  customerId?: string
  customer?: Customer
  metadata?: Metadata
  paymentMethod?: PaymentMethod
  processor?: Processor
  /** The action that the customer must complete before `payments.resume`, e.g. a 3-D Secure check. */
  requiredAction?: RequiredAction
  /** The reason that the payment is `DECLINED` or `FAILED`. */
  statusReason?: StatusReason
  /** Transactions at the processor, including refunds. */
  transactions?: Transaction[]
  riskData?: RiskData
}

const paymentCore: Fields<PaymentCore> = {
  id: z.string(),
  date: absent(z.string()),
  dateUpdated: absent(z.string()),
  status: absent(z.string()),
  orderId: absent(z.string()),
  currencyCode: absent(z.string()),
  amount: absent(minorUnits),
  customerId: absent(z.string()),
  customer: absent(CustomerSchema),
  metadata: absent(MetadataSchema),
  paymentMethod: absent(PaymentMethodSchema),
  processor: absent(ProcessorSchema),
  requiredAction: absent(RequiredActionSchema),
  statusReason: absent(StatusReasonSchema),
  transactions: absent(z.array(TransactionSchema)),
  riskData: absent(RiskDataSchema),
}

/** A payment as the service returns it. The service may omit any field except `id`. */
export interface Payment extends PaymentCore {
  order?: Order
}

export const PaymentSchema: ObjectSchema<Payment> = object({ ...paymentCore, order: absent(OrderSchema) })

/** A payment in API version `2.1`. The service may omit any field except `id`. */
export interface PaymentV21 extends PaymentCore {
  lineItems?: LineItem[]
  orderDetails?: OrderDetails
}

export const PaymentV21Schema: ObjectSchema<PaymentV21> = object({
  ...paymentCore,
  lineItems: absent(z.array(LineItemSchema)),
  orderDetails: absent(OrderDetailsSchema),
})

/** A payment in a webhook event. Its cart has the format of the event's `version`, `2021-09-27` or `2.1`. */
export interface EventPayment extends Payment {
  lineItems?: LineItem[]
  orderDetails?: OrderDetails
}

export const EventPaymentSchema: ObjectSchema<EventPayment> = object({
  ...paymentCore,
  order: absent(OrderSchema),
  lineItems: absent(z.array(LineItemSchema)),
  orderDetails: absent(OrderDetailsSchema),
})

/** A payment's summary in a list. Only `id` is always present. Customer and payment method are usually absent. */
export interface PaymentSummary extends PaymentCore {}

export const PaymentSummarySchema: ObjectSchema<PaymentSummary> = object(paymentCore)

interface PaymentFacts {
  /** Your reference for the payment. Required here or in the client session. */
  orderId?: string
  /** ISO 4217 currency code. Required here or in the client session. */
  currencyCode?: CurrencyCode
  /** Amount in minor units, at least 0. Required here or in the client session. */
  amount?: number
  /** Your identifier for the customer. Required with `paymentMethod.vaultOnSuccess`. */
  customerId?: string
  customer?: Customer
  /** Your own data. Values are strings or integers. */
  metadata?: MetadataInput
  /** Options for the payment method, for example `descriptor` and `vaultOnSuccess`. */
  paymentMethod?: PaymentMethodInput
}

const paymentFacts: Fields<PaymentFacts> = {
  orderId: absent(z.string()),
  currencyCode: absent(currencyCode),
  amount: absent(minorUnits),
  customerId: absent(z.string()),
  customer: absent(CustomerSchema),
  metadata: absent(MetadataInputSchema),
  paymentMethod: absent(PaymentMethodInputSchema),
}

/** The payment to create. Omitted fields are taken from the token's client session. */
export interface CreatePaymentBody extends PaymentFacts, OrderCart {
  /** Token from the checkout or from a saved payment method. */
  paymentMethodToken: string
}

export const CreatePaymentBodySchema: ObjectSchema<CreatePaymentBody> = object({
  paymentMethodToken: identifier,
  ...paymentFacts,
  ...orderCart,
})

/**
 * A payment to create from a client session in version `2.1`. It has only a token: the service takes all other fields
 * from the session.
 */
export interface CreatePaymentFromSessionBodyV21 {
  /** Token from the checkout or from a saved payment method. */
  paymentMethodToken: string
  /** Exists only in version `2021-09-27`. Use `orderDetails` and `lineItems`. */
  order?: UseOrderDetailsAndLineItemsInVersion21
  orderId?: never
  currencyCode?: never
  amount?: never
  customerId?: never
  customer?: never
  metadata?: never
  paymentMethod?: never
  lineItems?: never
  orderDetails?: never
}

/** The payment to create in version `2.1`, with at least the token, `orderId`, `currencyCode` and `amount`. */
export interface CreateFullPaymentBodyV21 extends PaymentFacts, LineItemsCart {
  /** Token from the checkout or from a saved payment method. */
  paymentMethodToken: string
  orderId: string
  currencyCode: CurrencyCode
  amount: number
}

/** The payment to create in version `2.1`. Has either only a token, or also `orderId`, `currencyCode` and `amount`. */
export type CreatePaymentBodyV21 = CreatePaymentFromSessionBodyV21 | CreateFullPaymentBodyV21

/** All fields that a `CreatePaymentBodyV21` can have. */
export interface CreatePaymentFieldsV21 extends PaymentFacts, LineItemsCart {
  paymentMethodToken: string
}

const incompleteMessage =
  'is missing: version 2.1 takes paymentMethodToken alone, or with orderId, currencyCode and amount'

export const CreatePaymentBodyV21Schema: ObjectSchema<CreatePaymentFieldsV21> = object({
  paymentMethodToken: identifier,
  ...paymentFacts,
  ...lineItemsCart,
}).register(requestRules, {
  fieldsRule: (body) => {
    const given = Object.keys(body).filter((field) => body[field] !== undefined)
    if (given.length === 1) return []
    return ['orderId', 'currencyCode', 'amount']
      .filter((field) => body[field] === undefined)
      .map((field) => ({ path: [field], code: 'missing', message: incompleteMessage }))
  },
})

/** The processor that authorizes the payment. */
export interface AuthorizeBody {
  processor: {
    /** Merchant ID at the processor. */
    processorMerchantId: string
    /** Needed if several of your processors have the same merchant ID. */
    name?: string
  }
}

export const AuthorizeBodySchema: ObjectSchema<AuthorizeBody> = object({
  processor: object({ processorMerchantId: identifier, name: absent(z.string()) }),
})

interface CaptureFacts {
  /** Amount in minor units of the authorization's currency. @default the full authorized amount */
  amount?: number
  /** Whether this is the last capture. The service rejects any capture after it. */
  final?: boolean
}

const captureFacts: Fields<CaptureFacts> = { amount: absent(minorUnits), final: absent(flag) }

/** The amount to capture. */
export interface CaptureBody extends CaptureFacts, OrderCart {}

export const CaptureBodySchema: ObjectSchema<CaptureBody> = object({ ...captureFacts, ...orderCart })

/** The amount to capture, in version `2.1`. */
export interface CaptureBodyV21 extends CaptureFacts, LineItemsCart {}

export const CaptureBodyV21Schema: ObjectSchema<CaptureBodyV21> = object({ ...captureFacts, ...lineItemsCart })

/** The reason for voiding a payment. */
export interface CancelBody {
  /** Why you void the payment, for your records. */
  reason?: string
}

export const CancelBodySchema: ObjectSchema<CancelBody> = object({ reason: absent(z.string()) })

/** The amount, order ID and reason of a refund. All are optional. */
export interface RefundBody {
  /** Amount to refund, in minor units. @default the captured amount that is not yet refunded */
  amount?: number
  /** @default the payment's own `orderId` */
  orderId?: string
  /** Why you refund the payment, for your records. */
  reason?: string
}

export const RefundBodySchema: ObjectSchema<RefundBody> = object({
  amount: absent(minorUnits),
  orderId: absent(z.string()),
  reason: absent(z.string()),
})

/** The new amount of an estimated authorization. */
export interface AdjustAuthorizationBody {
  /** The final amount to charge, in minor units. */
  amount: number
}

export const AdjustAuthorizationBodySchema: ObjectSchema<AdjustAuthorizationBody> = object({ amount: minorUnits })

/** The token that the checkout returns after the required action. */
export interface ResumeBody {
  resumeToken: string
}

export const ResumeBodySchema: ObjectSchema<ResumeBody> = object({ resumeToken: identifier })
