import type { LiteralUnion } from 'type-fest'
import { closedEnum, type DateTime, identifier, integer, integerFrom, openEnum, text } from './scalars.js'
import { list, object, optional } from './schema.js'

/** Whether points were redeemed or refunded. */
export type LoyaltyTransactionType = LiteralUnion<'REDEMPTION' | 'REFUND', string>

/** A movement of loyalty points (beta). */
export interface LoyaltyTransaction {
  id?: string
  /** When it was created, UTC. */
  date?: DateTime
  /** The connection to the loyalty provider. */
  connectionId?: string
  /** The customer's id at the loyalty provider. */
  customerId?: string
  orderId?: string
  /** The provider's identifier of this transaction. */
  connectionTransactionId?: string
  /** Name of the loyalty provider. */
  connectionName?: string
  type?: LoyaltyTransactionType
  /** Points. */
  value?: number
}

export const LoyaltyTransaction = object<LoyaltyTransaction>(() => ({
  id: optional(text),
  date: optional(text),
  connectionId: optional(text),
  customerId: optional(text),
  orderId: optional(text),
  connectionTransactionId: optional(text),
  connectionName: optional(text),
  type: optional(openEnum()),
  value: optional(integer),
}))

/** A loyalty customer and their points (beta). */
export interface LoyaltyCustomer {
  /** The customer's id at the loyalty provider. */
  id?: string
  /** The connection to the loyalty provider. */
  connectionId?: string
  /** Name of the loyalty provider. */
  connectionName?: string
  /** Points. */
  balance?: number
}

export const LoyaltyCustomer = object<LoyaltyCustomer>(() => ({
  id: optional(text),
  connectionId: optional(text),
  connectionName: optional(text),
  balance: optional(integer),
}))

/** Points to redeem or to give back. */
export interface CreateLoyaltyTransactionBody {
  /** The connection to the loyalty provider. */
  connectionId: string
  /** The customer's id at the loyalty provider. */
  customerId: string
  orderId: string
  /** Points. */
  value: number
  /** The specification names no default. */
  type?: 'REDEMPTION' | 'REFUND'
}

export const CreateLoyaltyTransactionBody = object<CreateLoyaltyTransactionBody>(() => ({
  connectionId: identifier,
  customerId: identifier,
  orderId: identifier,
  value: integer,
  type: optional(closedEnum('REDEMPTION', 'REFUND')),
}))

/** Which loyalty transactions to list. */
export interface ListLoyaltyTransactionsParams {
  /** The connection to the loyalty provider; recommended. */
  connectionId?: string
  /** The customer's id at the loyalty provider. */
  customerId?: string
  orderId?: string
  /** Items per page, at least 1. */
  limit?: number
  /** Items to skip. @default 0 */
  offset?: number
}

export const ListLoyaltyTransactionsParams = object<ListLoyaltyTransactionsParams>(() => ({
  connectionId: optional(text),
  customerId: optional(text),
  orderId: optional(text),
  limit: optional(integerFrom(1)),
  offset: optional(integerFrom(0)),
}))

export interface LoyaltyTransactionPage {
  items: LoyaltyTransaction[]
  total?: number
  limit?: number
  offset?: number
}

export const LoyaltyTransactionPage = object<LoyaltyTransactionPage>(() => ({
  items: list(LoyaltyTransaction),
  total: optional(integer),
  limit: optional(integer),
  offset: optional(integer),
}))

/** At which provider to look the customer up. */
export interface GetLoyaltyCustomerParams {
  /** The connection to the loyalty provider. */
  connectionId: string
}

export const GetLoyaltyCustomerParams = object<GetLoyaltyCustomerParams>(() => ({
  connectionId: identifier,
}))
