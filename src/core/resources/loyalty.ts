import type { Call } from '../call.js'
import * as operations from '../contract/loyalty.js'
import type { RequestOptions } from '../options.js'
import type { PagedList } from '../pagination/paged-list.js'
import type {
  CreateLoyaltyTransactionBody,
  GetLoyaltyCustomerParams,
  ListLoyaltyTransactionsParams,
  LoyaltyCustomer,
  LoyaltyTransaction,
} from '../schemas/loyalty.js'
import type { Transport } from '../transport/transport.js'
import { listOf } from './lists.js'
import { attach, transportOf } from './namespace.js'

/** Loyalty points (beta). Specification: Endpoints, `/loyalty-transactions` and `/loyalty-customers`. */
export class Loyalty {
  readonly transactions: LoyaltyTransactions
  readonly customers: LoyaltyCustomers

  /** @internal */
  constructor(transport: Transport) {
    this.transactions = new LoyaltyTransactions(transport)
    this.customers = new LoyaltyCustomers(transport)
  }
}

/** Redemptions and refunds of loyalty points (beta). */
export class LoyaltyTransactions {
  /** @internal */
  constructor(transport: Transport) {
    attach(this, transport)
  }

  /**
   * Redeems or refunds loyalty points. The client never retries this call if the service may have processed it.
   *
   * @param body The provider's `connectionId` and `customerId`, your `orderId`, and `value` in points.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @throws {ApiError} The service rejected the transaction, for example because the balance is too low.
   * @example
   * await client.loyalty.transactions.create({ connectionId, customerId, orderId: 'order-17', value: 120 })
   */
  create(body: CreateLoyaltyTransactionBody, options?: RequestOptions): Call<LoyaltyTransaction> {
    return transportOf(this).send(operations.transactions.create, { body }, options)
  }

  /**
   * Lists loyalty transactions.
   *
   * @param params Filters, `limit` (the number of transactions per page, at least 1) and `offset`. Iteration reads all
   * pages regardless of `limit`.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * for await (const { type, value } of client.loyalty.transactions.list({ orderId: 'order-17' })) …
   */
  list(params?: ListLoyaltyTransactionsParams, options?: RequestOptions): PagedList<LoyaltyTransaction> {
    return listOf(transportOf(this), operations.transactions.list, params, options)
  }
}

/** Customers of a loyalty provider (beta). */
export class LoyaltyCustomers {
  /** @internal */
  constructor(transport: Transport) {
    attach(this, transport)
  }

  /**
   * Returns a loyalty customer and their points.
   *
   * @param id The customer's ID at the loyalty provider.
   * @param params The `connectionId` of the loyalty provider.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * const { balance } = await client.loyalty.customers.get(customerId, { connectionId })
   */
  get(id: string, params: GetLoyaltyCustomerParams, options?: RequestOptions): Call<LoyaltyCustomer> {
    return transportOf(this).send(operations.customers.get, { params: { id }, query: params }, options)
  }
}
