import * as z from 'zod'
import {
  absent,
  type DateTime,
  identifier,
  integerFrom,
  type ObjectSchema,
  type OtherString,
  object,
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
  /** The customer's ID at the loyalty provider. */
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

export const LoyaltyTransactionSchema: ObjectSchema<LoyaltyTransaction> = object({
  id: absent(z.string()),
  date: absent(z.string()),
  connectionId: absent(z.string()),
  customerId: absent(z.string()),
  orderId: absent(z.string()),
  connectionTransactionId: absent(z.string()),
  connectionName: absent(z.string()),
  type: absent(z.string()),
  value: absent(z.int()),
})

/** A loyalty customer and their points (beta). */
export interface LoyaltyCustomer {
  /** The customer's ID at the loyalty provider. */
  id?: string
  /** Identifier of the connection to the loyalty provider. */
  connectionId?: string
  /** Name of the loyalty provider. */
  connectionName?: string
  /** Number of points that the customer has. */
  balance?: number
}

export const LoyaltyCustomerSchema: ObjectSchema<LoyaltyCustomer> = object({
  id: absent(z.string()),
  connectionId: absent(z.string()),
  connectionName: absent(z.string()),
  balance: absent(z.int()),
})

/** The points to redeem or refund. */
export interface CreateLoyaltyTransactionBody {
  /** Identifier of the connection to the loyalty provider. */
  connectionId: string
  /** The customer's ID at the loyalty provider. */
  customerId: string
  orderId: string
  /** Number of points to redeem or refund. */
  value: number
  /** Whether to redeem or refund the points. The specification defines no default. */
  type?: 'REDEMPTION' | 'REFUND'
}

export const CreateLoyaltyTransactionBodySchema: ObjectSchema<CreateLoyaltyTransactionBody> = object({
  connectionId: identifier,
  customerId: identifier,
  orderId: identifier,
  value: z.int(),
  type: absent(z.enum(['REDEMPTION', 'REFUND'])),
})

/** Filters and paging for listing loyalty transactions. */
export interface ListLoyaltyTransactionsParams {
  /** Identifier of the connection to the loyalty provider. Recommended. */
  connectionId?: string
  /** The customer's ID at the loyalty provider. */
  customerId?: string
  orderId?: string
  /** Transactions per page, at least 1. */
  limit?: number
  /** Number of transactions to skip. @default 0 */
  offset?: number
}

export const ListLoyaltyTransactionsParamsSchema: ObjectSchema<ListLoyaltyTransactionsParams> = object({
  connectionId: absent(z.string()),
  customerId: absent(z.string()),
  orderId: absent(z.string()),
  limit: absent(integerFrom(1)),
  offset: absent(integerFrom(0)),
})

export interface LoyaltyTransactionPage {
  items: LoyaltyTransaction[]
  total?: number
  limit?: number
  offset?: number
}

export const LoyaltyTransactionPageSchema: ObjectSchema<LoyaltyTransactionPage> = object({
  items: z.array(LoyaltyTransactionSchema),
  total: absent(z.int()),
  limit: absent(z.int()),
  offset: absent(z.int()),
})

/** The customer's loyalty provider. */
export interface GetLoyaltyCustomerParams {
  /** Identifier of the connection to the loyalty provider. */
  connectionId: string
}

export const GetLoyaltyCustomerParamsSchema: ObjectSchema<GetLoyaltyCustomerParams> = object({
  connectionId: identifier,
})
