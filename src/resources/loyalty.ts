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
import { offsetList } from './lists.js'
import type { Methods } from './methods.js'

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

/** Movements of loyalty points (beta). */
export class LoyaltyTransactions implements Methods<typeof operations.transactions> {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Redeem or refund loyalty points. Never retried after an ambiguous failure.
   *
   * @param body.value Points.
   */
  create(body: CreateLoyaltyTransactionBody, options?: RequestOptions): Call<LoyaltyTransaction> {
    return this.#transport.send(operations.transactions.create, { body }, options)
  }

  /**
   * List loyalty transactions.
   *
   * @param params.limit Transactions per page, at least 1. Iteration covers all pages regardless of it.
   */
  list(params?: ListLoyaltyTransactionsParams, options?: RequestOptions): PagedList<LoyaltyTransaction> {
    return offsetList(this.#transport, operations.transactions.list, params, options)
  }
}

/** Customers of a loyalty provider (beta). */
export class LoyaltyCustomers implements Methods<typeof operations.customers> {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get a loyalty customer and their points.
   *
   * @param id The customer's id at the loyalty provider.
   */
  get(id: string, params: GetLoyaltyCustomerParams, options?: RequestOptions): Call<LoyaltyCustomer> {
    return this.#transport.send(operations.customers.get, { params: { id }, query: params }, options)
  }
}
