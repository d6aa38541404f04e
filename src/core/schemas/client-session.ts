import * as z from 'zod'
import { type Customer, CustomerSchema } from './customer.js'
import { type Metadata, type MetadataInput, MetadataInputSchema, MetadataSchema, returnedMetadata } from './json.js'
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
} from './order.js'
import {
  type PaymentMethodChoices,
  type PaymentMethodInput,
  PaymentMethodInputSchema,
  paymentMethodChoices,
} from './payment-method.js'
import {
  absent,
  type Changes,
  type CurrencyCode,
  currencyCode,
  type DateTime,
  dateTime,
  type Fields,
  identifier,
  minorUnits,
  type NotInThisVersion,
  never,
  type ObjectSchema,
  object,
  requestRules,
} from './schema.js'

/** A warning that information is missing, or that a third-party service is unavailable. */
export interface SessionWarning {
  type?: string
  code?: string
  message?: string
}

export const SessionWarningSchema: ObjectSchema<SessionWarning> = object({
  type: absent(z.string()),
  code: absent(z.string()),
  message: absent(z.string()),
})

/** The fields that client sessions have in every API version. Empty fields are omitted. */
export interface ClientSessionCore {
  /** Your identifier for the customer. */
  customerId?: string
  /** Your reference for the payment. */
  orderId?: string
  currencyCode?: CurrencyCode
  metadata?: Metadata
  customer?: Customer
  paymentMethod?: PaymentMethodInput
}

const clientSessionCore: Fields<ClientSessionCore> = {
  customerId: absent(z.string()),
  orderId: absent(z.string()),
  currencyCode: absent(currencyCode),
  metadata: absent(MetadataSchema),
  customer: absent(CustomerSchema),
  paymentMethod: absent(PaymentMethodInputSchema),
}

/** A client session as the service returns it. Empty fields are omitted. */
export interface ClientSession extends ClientSessionCore {
  /** Amount in minor units. Calculated from line items, fees and shipping, unless a request sets the amount. */
  amount?: number
  order?: Order
}

const clientSession: Fields<ClientSession> = {
  ...clientSessionCore,
  amount: absent(minorUnits),
  order: absent(OrderSchema),
}

export const ClientSessionSchema: ObjectSchema<ClientSession> = object(clientSession)

/** A client session in version `2.1`. The service calculates its amount from the line items. */
export interface ClientSessionV21 extends ClientSessionCore {
  lineItems?: LineItem[]
  orderDetails?: OrderDetails
}

const clientSessionV21: Fields<ClientSessionV21> = {
  ...clientSessionCore,
  lineItems: absent(z.array(LineItemSchema)),
  orderDetails: absent(OrderDetailsSchema),
}

export const ClientSessionV21Schema: ObjectSchema<ClientSessionV21> = object(clientSessionV21)

interface ClientToken {
  /** The token that initializes the checkout on any platform. */
  clientToken: string
  /**
   * When the token expires: 24 hours after creation, in UTC. Parse it with `toDate`, because the zone is often missing.
   */
  clientTokenExpirationDate?: DateTime
  /** Warnings about missing information or unavailable services. Some accounts receive an array. */
  warnings?: SessionWarning | SessionWarning[]
}

const clientToken: Fields<ClientToken> = {
  clientToken: z.string(),
  clientTokenExpirationDate: absent(dateTime),
  warnings: absent(z.union([SessionWarningSchema, z.array(SessionWarningSchema)])),
}

/** A newly created client session, with its token. */
export interface CreatedClientSession extends ClientSession, ClientToken {}

export const CreatedClientSessionSchema: ObjectSchema<CreatedClientSession> = object({
  ...clientSession,
  ...clientToken,
})

/** A newly created client session in version `2.1`. */
export interface CreatedClientSessionV21 extends ClientSessionV21, ClientToken {}

export const CreatedClientSessionV21Schema: ObjectSchema<CreatedClientSessionV21> = object({
  ...clientSessionV21,
  ...clientToken,
})

interface SessionFacts {
  /** Your reference for the payment. */
  orderId?: string
  /** ISO 4217 currency code. */
  currencyCode?: CurrencyCode
  /** Your identifier for the customer. Lets the checkout manage their saved payment methods. */
  customerId?: string
  customer?: Customer
  /** Your own data. Values are strings or integers. */
  metadata?: MetadataInput
}

const sessionFacts: Fields<SessionFacts> = {
  orderId: absent(z.string()),
  currencyCode: absent(currencyCode),
  customerId: absent(z.string()),
  customer: absent(CustomerSchema),
  metadata: absent(MetadataInputSchema),
}

/** The client session to create. All fields are optional. You can pass missing values to `payments.create` later. */
export interface CreateClientSessionBody extends SessionFacts, OrderCart {
  /** Amount in minor units. Overrides the amount calculated from line items, fees and shipping. */
  amount?: number
  paymentMethod?: PaymentMethodInput
}

export const CreateClientSessionBodySchema: ObjectSchema<CreateClientSessionBody> = object({
  ...sessionFacts,
  amount: absent(minorUnits),
  paymentMethod: absent(PaymentMethodInputSchema),
  ...orderCart,
})

/** The client session to create in version `2.1`. The amount is calculated from `lineItems`. */
export interface CreateClientSessionBodyV21 extends SessionFacts, LineItemsCart {
  lineItems: readonly LineItem[]
  paymentMethod?: PaymentMethodInput
  /** Exists only in version `2021-09-27`. In version `2.1`, the service calculates it from `lineItems`. */
  amount?: AmountIsComputedFromLineItemsInVersion21
}

export interface AmountIsComputedFromLineItemsInVersion21 extends NotInThisVersion {}

const noAmount = never('exists only in version 2021-09-27: in version 2.1 the service calculates it from lineItems')

export const CreateClientSessionBodyV21Schema: ObjectSchema<CreateClientSessionBodyV21> = object({
  ...sessionFacts,
  paymentMethod: absent(PaymentMethodInputSchema),
  ...lineItemsCart,
  lineItems: z.array(LineItemSchema),
  amount: noAmount,
})

/** The payment method options that can change after the session is created. */
export interface SessionPaymentMethod extends PaymentMethodChoices {
  /** Cannot be changed after the session is created. */
  options?: never
}

export const SessionPaymentMethodSchema: ObjectSchema<SessionPaymentMethod> = object({
  ...paymentMethodChoices,
  options: never('cannot be updated: set it when you create the session'),
})

/** The fields of an update. `metadata` has the response type, so that a retrieved session can be sent back. */
interface ReturnableFacts extends Omit<SessionFacts, 'metadata'> {
  /** Your own data. Values are strings or integers. */
  metadata?: Metadata
}

const returnableFacts: Fields<ReturnableFacts> = { ...sessionFacts, metadata: absent(returnedMetadata) }

/** The fields of a client session that can change. */
export interface SessionFields extends ReturnableFacts, OrderCart {
  /** Amount in minor units. Overrides the amount calculated from line items, fees and shipping. */
  amount?: number
  /** The new value replaces the previous object completely. */
  paymentMethod?: SessionPaymentMethod
}

const sessionFields: Fields<SessionFields> = {
  ...returnableFacts,
  amount: absent(minorUnits),
  paymentMethod: absent(SessionPaymentMethodSchema),
  ...orderCart,
}

/** The fields of a client session that can change, in version `2.1`. */
export interface SessionFieldsV21 extends ReturnableFacts, LineItemsCart {
  /** The new value replaces the previous object completely. */
  paymentMethod?: SessionPaymentMethod
  /** Exists only in version `2021-09-27`. In version `2.1`, the service calculates it from `lineItems`. */
  amount?: AmountIsComputedFromLineItemsInVersion21
}

const sessionFieldsV21: Fields<SessionFieldsV21> = {
  ...returnableFacts,
  paymentMethod: absent(SessionPaymentMethodSchema),
  ...lineItemsCart,
  amount: noAmount,
}

/** The fields to change. `null` clears a field, and an array replaces the previous one. */
export interface ClientSessionChanges extends Changes<SessionFields> {}

/** The fields to change, in version `2.1`. `null` clears a field, and an array replaces the previous one. */
export interface ClientSessionChangesV21 extends Changes<SessionFieldsV21> {}

/** The client token of the session to get. */
export interface GetClientSessionParams {
  clientToken: string
}

export const GetClientSessionParamsSchema: ObjectSchema<GetClientSessionParams> = object({ clientToken: identifier })

/** The body of a request that updates a session: its token and the changes. */
export const UpdateClientSessionBodySchema: z.ZodType<Changes<SessionFields & GetClientSessionParams>> = object({
  clientToken: identifier,
  ...sessionFields,
}).register(requestRules, { changes: true })

/** The body of a request that updates a session in version `2.1`. */
export const UpdateClientSessionBodyV21Schema: z.ZodType<Changes<SessionFieldsV21 & GetClientSessionParams>> = object({
  clientToken: identifier,
  ...sessionFieldsV21,
}).register(requestRules, { changes: true })
