import {
  closedEnum,
  type DateTime,
  identifier,
  integer,
  integerFrom,
  list,
  type OtherString,
  object,
  openEnum,
  required,
  text,
} from './schema.js'

/** Whether points were redeemed or refunded. */
export type LoyaltyTransactionType = 'REDEMPTION' | 'REFUND' | OtherString

/** A redemption or refund of loyalty points (beta). */
export interface LoyaltyTransaction {
  id?: string
  /** When the transaction was created, in UTC. */
  date?: DateTime
  /** Identifier of the connection to the loyalty provider. */
  connectionId?: string
  /** The customer's id at the loyalty provider. */
  customerId?: string
  orderId?: string
  /** The loyalty provider's identifier for this transaction. */
  connectionTransactionId?: string
  /** Name of the loyalty provider. */
  connectionName?: string
  type?: LoyaltyTransactionType
  /** Number of points that were redeemed or refunded. */
  value?: number
}

export const LoyaltyTransaction = object<LoyaltyTransaction>(() => ({
  id: text,
  date: text,
  connectionId: text,
  customerId: text,
  orderId: text,
  connectionTransactionId: text,
  connectionName: text,
  type: openEnum,
  value: integer,
}))

/** A loyalty customer and their points (beta). */
export interface LoyaltyCustomer {
  /** The customer's id at the loyalty provider. */
  id?: string
  /** Identifier of the connection to the loyalty provider. */
  connectionId?: string
  /** Name of the loyalty provider. */
  connectionName?: string
  /** Number of points that the customer has. */
  balance?: number
}

export const LoyaltyCustomer = object<LoyaltyCustomer>(() => ({
  id: text,
  connectionId: text,
  connectionName: text,
  balance: integer,
}))

/** The points to redeem or refund. */
export interface CreateLoyaltyTransactionBody {
  /** Identifier of the connection to the loyalty provider. */
  connectionId: string
  /** The customer's id at the loyalty provider. */
  customerId: string
  orderId: string
  /** Number of points to redeem or refund. */
  value: number
  /** Whether to redeem or refund the points. The specification defines no default. */
  type?: 'REDEMPTION' | 'REFUND'
}

export const CreateLoyaltyTransactionBody = object<CreateLoyaltyTransactionBody>(() => ({
  connectionId: required(identifier),
  customerId: required(identifier),
  orderId: required(identifier),
  value: required(integer),
  type: closedEnum('REDEMPTION', 'REFUND'),
}))

/** The loyalty transactions to list. */
export interface ListLoyaltyTransactionsParams {
  /** Identifier of the connection to the loyalty provider. Recommended. */
  connectionId?: string
  /** The customer's id at the loyalty provider. */
  customerId?: string
  orderId?: string
  /** Transactions per page, at least 1. */
  limit?: number
  /** Number of transactions to skip. @default 0 */
  offset?: number
}

export const ListLoyaltyTransactionsParams = object<ListLoyaltyTransactionsParams>(() => ({
  connectionId: text,
  customerId: text,
  orderId: text,
  limit: integerFrom(1),
  offset: integerFrom(0),
}))

export interface LoyaltyTransactionPage {
  items: LoyaltyTransaction[]
  total?: number
  limit?: number
  offset?: number
}

export const LoyaltyTransactionPage = object<LoyaltyTransactionPage>(() => ({
  items: required(list(LoyaltyTransaction)),
  total: integer,
  limit: integer,
  offset: integer,
}))

/** The customer's loyalty provider. */
export interface GetLoyaltyCustomerParams {
  /** Identifier of the connection to the loyalty provider. */
  connectionId: string
}

export const GetLoyaltyCustomerParams = object<GetLoyaltyCustomerParams>(() => ({ connectionId: required(identifier) }))
