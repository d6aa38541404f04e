import { Customer } from './customer.js'
import { Metadata, MetadataInput } from './json.js'
import { LineItem, type LineItemsCart, lineItemsCart, Order, type OrderCart, OrderDetails, orderCart } from './order.js'
import {
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

/** Reports missing information or an unavailable third-party service. */
export interface SessionWarning {
  type?: string
  code?: string
  message?: string
}

export const SessionWarning = object<SessionWarning>(() => ({ type: text, code: text, message: text }))

/** The fields of a client session in every version. Empty fields are omitted. */
export interface ClientSessionCore {
  /** Your identifier of the customer. */
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
  /** Minor units: calculated from lines, fees and shipping, unless an amount was given. */
  amount?: number
  order?: Order
}

const clientSession = (): Fields<ClientSession> => ({ ...clientSessionCore(), amount: minorUnits, order: Order })

export const ClientSession = object<ClientSession>(clientSession)

/** A client session in the shape of version `2.1`. Its amount is calculated from the lines. */
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
  /** Initializes the checkout on every platform. */
  clientToken: string
  /** When the token expires, 24 hours after creation. UTC, often without a zone: read it with `toDate`. */
  clientTokenExpirationDate?: DateTime
  /** Missing information, or unavailable services. Some accounts receive an array. */
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

/** A newly created client session, in the shape of version `2.1`. */
export interface CreatedClientSessionV21 extends ClientSessionV21, ClientToken {}

export const CreatedClientSessionV21 = object<CreatedClientSessionV21>(() => ({
  ...clientSessionV21(),
  ...clientToken(),
}))

interface SessionFacts {
  /** Your reference for the payment. */
  orderId?: string
  /** ISO 4217. */
  currencyCode?: CurrencyCode
  /** Lets the checkout manage this customer's saved payment methods. */
  customerId?: string
  customer?: Customer
  /** Your own data; values are strings or integers. */
  metadata?: MetadataInput
}

const sessionFacts = (): Fields<SessionFacts> => ({
  orderId: text,
  currencyCode,
  customerId: text,
  customer: Customer,
  metadata: MetadataInput,
})

/** The client session to create. All fields are optional; missing values can be passed to `payments.create`. */
export interface CreateClientSessionBody extends SessionFacts, OrderCart {
  /** Minor units; overrides the amount calculated from lines, fees and shipping. */
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
  lineItems: LineItem[]
  paymentMethod?: PaymentMethodInput
  /** Version `2021-09-27` only: the amount is computed from `lineItems`. */
  amount?: AmountIsComputedFromLineItemsInVersion21
}

export interface AmountIsComputedFromLineItemsInVersion21 extends NotInThisVersion {}

const noAmount = never<AmountIsComputedFromLineItemsInVersion21>(
  'exists in version 2021-09-27 only: in version 2.1 the service computes it from lineItems',
)

export const CreateClientSessionBodyV21 = object<CreateClientSessionBodyV21>(() => ({
  ...sessionFacts(),
  paymentMethod: PaymentMethodInputSchema,
  ...lineItemsCart(),
  lineItems: required(list(LineItem)),
  amount: noAmount,
}))

/** The payment method options that can change after the session is created. */
export interface SessionPaymentMethod extends Omit<PaymentMethodInput, 'options'> {
  /** Fixed when the session is created. */
  options?: never
}

export const SessionPaymentMethod = object<SessionPaymentMethod>(() => ({
  ...paymentMethodInput(),
  options: never('cannot be updated: it is fixed when the session is created'),
}))

/** The fields of a client session that can change. */
export interface SessionFields extends SessionFacts, OrderCart {
  /** Minor units; overrides the amount calculated from lines, fees and shipping. */
  amount?: number
  /** Replaced as a whole. */
  paymentMethod?: SessionPaymentMethod
}

const sessionFields = (): Fields<SessionFields> => ({
  ...sessionFacts(),
  amount: minorUnits,
  paymentMethod: SessionPaymentMethod,
  ...orderCart(),
})

/** The fields of a client session of version `2.1` that can change. */
export interface SessionFieldsV21 extends SessionFacts, LineItemsCart {
  /** Replaced as a whole. */
  paymentMethod?: SessionPaymentMethod
  /** Version `2021-09-27` only: the amount is computed from `lineItems`. */
  amount?: AmountIsComputedFromLineItemsInVersion21
}

const sessionFieldsV21 = (): Fields<SessionFieldsV21> => ({
  ...sessionFacts(),
  paymentMethod: SessionPaymentMethod,
  ...lineItemsCart(),
  amount: noAmount,
})

/** The fields to change. `null` clears a field; arrays are replaced as a whole. */
export interface ClientSessionChanges extends Changes<SessionFields> {}

/** The fields to change, in version `2.1`. `null` clears a field; arrays are replaced as a whole. */
export interface ClientSessionChangesV21 extends Changes<SessionFieldsV21> {}

/** The session to get. */
export interface GetClientSessionParams {
  clientToken: string
}

export const GetClientSessionParams = object<GetClientSessionParams>(() => ({ clientToken: required(identifier) }))

/** The whole request that updates a session: its token and the changes. */
export const UpdateClientSessionBody = changesOf(
  object<SessionFields & GetClientSessionParams>(() => ({ clientToken: required(identifier), ...sessionFields() })),
)

/** The whole request that updates a session of version `2.1`. */
export const UpdateClientSessionBodyV21 = changesOf(
  object<SessionFieldsV21 & GetClientSessionParams>(() => ({
    clientToken: required(identifier),
    ...sessionFieldsV21(),
  })),
)
