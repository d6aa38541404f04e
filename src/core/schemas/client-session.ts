import { Customer } from './customer.js'
import { Metadata, MetadataInput } from './json.js'
import { LineItem, type LineItemsCart, lineItemsCart, Order, type OrderCart, OrderDetails, orderCart } from './order.js'
import {
  type PaymentMethodChoices,
  type PaymentMethodInput,
  PaymentMethodInput as PaymentMethodInputSchema,
  paymentMethodInput,
} from './payment-method.js'
import {
  type Changes,
  type CurrencyCode,
  changesOf,
  currencyCode,
  type DateTime,
  dateTime,
  type Fields,
  identifier,
  list,
  minorUnits,
  type NotInThisVersion,
  never,
  object,
  oneOrMany,
  required,
  text,
} from './schema.js'

/** A warning that information is missing, or that a third-party service is unavailable. */
export interface SessionWarning {
  type?: string
  code?: string
  message?: string
}

export const SessionWarning = object<SessionWarning>(() => ({ type: text, code: text, message: text }))

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

const clientSessionCore = (): Fields<ClientSessionCore> => ({
  customerId: text,
  orderId: text,
  currencyCode,
  metadata: Metadata,
  customer: Customer,
  paymentMethod: PaymentMethodInputSchema,
})

/** A client session as the service returns it. Empty fields are omitted. */
export interface ClientSession extends ClientSessionCore {
  /** Amount in minor units. Calculated from line items, fees and shipping, unless a request sets the amount. */
  amount?: number
  order?: Order
}

const clientSession = (): Fields<ClientSession> => ({ ...clientSessionCore(), amount: minorUnits, order: Order })

export const ClientSession = object<ClientSession>(clientSession)

/** A client session in version `2.1`. The service calculates its amount from the line items. */
export interface ClientSessionV21 extends ClientSessionCore {
  lineItems?: LineItem[]
  orderDetails?: OrderDetails
}

const clientSessionV21 = (): Fields<ClientSessionV21> => ({
  ...clientSessionCore(),
  lineItems: list(LineItem),
  orderDetails: OrderDetails,
})

export const ClientSessionV21 = object<ClientSessionV21>(clientSessionV21)

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

const clientToken = (): Fields<ClientToken> => ({
  clientToken: required(text),
  clientTokenExpirationDate: dateTime,
  warnings: oneOrMany(SessionWarning),
})

/** A newly created client session, with its token. */
export interface CreatedClientSession extends ClientSession, ClientToken {}

export const CreatedClientSession = object<CreatedClientSession>(() => ({ ...clientSession(), ...clientToken() }))

/** A newly created client session in version `2.1`. */
export interface CreatedClientSessionV21 extends ClientSessionV21, ClientToken {}

export const CreatedClientSessionV21 = object<CreatedClientSessionV21>(() => ({
  ...clientSessionV21(),
  ...clientToken(),
}))

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

const sessionFacts = (): Fields<SessionFacts> => ({
  orderId: text,
  currencyCode,
  customerId: text,
  customer: Customer,
  metadata: MetadataInput,
})

/** The client session to create. All fields are optional. You can pass missing values to `payments.create` later. */
export interface CreateClientSessionBody extends SessionFacts, OrderCart {
  /** Amount in minor units. Overrides the amount calculated from line items, fees and shipping. */
  amount?: number
  paymentMethod?: PaymentMethodInput
}

export const CreateClientSessionBody = object<CreateClientSessionBody>(() => ({
  ...sessionFacts(),
  amount: minorUnits,
  paymentMethod: PaymentMethodInputSchema,
  ...orderCart(),
}))

/** The client session to create in version `2.1`. The amount is calculated from `lineItems`. */
export interface CreateClientSessionBodyV21 extends SessionFacts, LineItemsCart {
  lineItems: readonly LineItem[]
  paymentMethod?: PaymentMethodInput
  /** Exists only in version `2021-09-27`. In version `2.1`, the service calculates it from `lineItems`. */
  amount?: AmountIsComputedFromLineItemsInVersion21
}

export interface AmountIsComputedFromLineItemsInVersion21 extends NotInThisVersion {}

const noAmount = never<AmountIsComputedFromLineItemsInVersion21>(
  'exists only in version 2021-09-27: in version 2.1 the service calculates it from lineItems',
)

export const CreateClientSessionBodyV21 = object<CreateClientSessionBodyV21>(() => ({
  ...sessionFacts(),
  paymentMethod: PaymentMethodInputSchema,
  ...lineItemsCart(),
  lineItems: required(list(LineItem)),
  amount: noAmount,
}))

/** The payment method options that can change after the session is created. */
export interface SessionPaymentMethod extends PaymentMethodChoices {
  /** Cannot be changed after the session is created. */
  options?: never
}

export const SessionPaymentMethod = object<SessionPaymentMethod>(() => ({
  ...paymentMethodInput(),
  options: never('cannot be updated: set it when you create the session'),
}))

/** The fields of a client session that can change. */
export interface SessionFields extends SessionFacts, OrderCart {
  /** Amount in minor units. Overrides the amount calculated from line items, fees and shipping. */
  amount?: number
  /** The new value replaces the previous object completely. */
  paymentMethod?: SessionPaymentMethod
}

const sessionFields = (): Fields<SessionFields> => ({
  ...sessionFacts(),
  amount: minorUnits,
  paymentMethod: SessionPaymentMethod,
  ...orderCart(),
})

/** The fields of a client session that can change, in version `2.1`. */
export interface SessionFieldsV21 extends SessionFacts, LineItemsCart {
  /** The new value replaces the previous object completely. */
  paymentMethod?: SessionPaymentMethod
  /** Exists only in version `2021-09-27`. In version `2.1`, the service calculates it from `lineItems`. */
  amount?: AmountIsComputedFromLineItemsInVersion21
}

const sessionFieldsV21 = (): Fields<SessionFieldsV21> => ({
  ...sessionFacts(),
  paymentMethod: SessionPaymentMethod,
  ...lineItemsCart(),
  amount: noAmount,
})

/** The fields to change. `null` clears a field, and an array replaces the previous one. */
export interface ClientSessionChanges extends Changes<SessionFields> {}

/** The fields to change, in version `2.1`. `null` clears a field, and an array replaces the previous one. */
export interface ClientSessionChangesV21 extends Changes<SessionFieldsV21> {}

/** The client token of the session to get. */
export interface GetClientSessionParams {
  clientToken: string
}

export const GetClientSessionParams = object<GetClientSessionParams>(() => ({ clientToken: required(identifier) }))

/** The body of a request that updates a session: its token and the changes. */
export const UpdateClientSessionBody = changesOf<SessionFields & GetClientSessionParams>(() => ({
  clientToken: required(identifier),
  ...sessionFields(),
}))

/** The body of a request that updates a session in version `2.1`. */
export const UpdateClientSessionBodyV21 = changesOf<SessionFieldsV21 & GetClientSessionParams>(() => ({
  clientToken: required(identifier),
  ...sessionFieldsV21(),
}))
