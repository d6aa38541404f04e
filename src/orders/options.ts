import type { PaymentsClient } from '../client.js'
import type { RequestOptions } from '../core/options.js'
import type { CancelBody, CaptureBody, CreatePaymentBody, RefundBody } from '../core/schemas/payment.js'
import type { EventFunctions, HandlerOptions } from '../webhooks/handler.js'
import type { Order, OrderState } from './order.js'

/** What changed an order. */
export type ChangeCause =
  | 'planned'
  | 'pay'
  | 'resume'
  | 'capture'
  | 'refund'
  | 'cancel'
  | 'webhook'
  | 'recover'
  | 'sync'
  | 'resolve'

/** Options for `createOrders`. */
export interface OrdersOptions<Transaction = unknown> {
  client: PaymentsClient
  /**
   * Called in the transaction that stores a change. Update your own tables here, and only here. If it throws, the change
   * is rolled back: a webhook is delivered again, and `recover` hands over the result of a call. Must be synchronous on
   * SQLite.
   */
  onChange?: (order: Order, context: { transaction: Transaction; cause: ChangeCause }) => unknown
  /**
   * Precedes every idempotency key, and every order ID at the service. Separates shops and environments that share an
   * account: at most 40 characters from `!` to `~`. Shops without a prefix must not share an account. @default ''
   */
  keyPrefix?: string
  /** Precedes the names of all tables. @default 'payments_client_' */
  tablePrefix?: string
  /** Schema of the tables in PostgreSQL. @default 'public' */
  schema?: string
}

/** What `pay` sends: the amount and currency of the order, the token from the checkout, and fields of `payments.create`. */
export type PayRequest = Omit<CreatePaymentBody, 'orderId' | 'amount' | 'currencyCode'> & {
  /** Minor units of `currencyCode`. */
  amount: number
  currencyCode: string
}

/** A capture. Each `id`, for example of a parcel, has one effect. Without `id`, there is one capture per order. */
export type CaptureRequest = CaptureBody & { id?: string }

/** A refund. Each `id`, for example of a return, has one effect. Without `id`, there is one refund per order. */
export type RefundRequest = Omit<RefundBody, 'orderId'> & { id?: string }

export type CancelRequest = CancelBody

type CallOptions = Pick<RequestOptions, 'signal' | 'timeout' | 'totalTimeout'>

/** Options for `pay`. */
export interface PayOptions extends CallOptions {
  /** Whether to pay for an order that was cancelled. @default false */
  reopen?: boolean
  /** Milliseconds after the first request in which the payment is sent again. @default the journal's `resendFor` */
  resendFor?: number
}

/** Options for `capture`, `refund` and `cancel`. */
export interface DecideOptions<Transaction = unknown> extends CallOptions {
  /** Stores the decision in this transaction and sends nothing: `recover` sends it after the commit. @default none */
  transaction?: Transaction
}

/** Filters for `list`. */
export interface OrderFilter {
  state?: OrderState
  /** Returns only orders that changed at this time or later. */
  updatedSince?: Date
  /** @default 100 */
  limit?: number
  /** The `nextCursor` of the previous page. */
  cursor?: string
}

/** Options for `webhooks`. */
export interface WebhookOptions<Transaction = unknown> extends Pick<HandlerOptions<Transaction>, 'secret' | 'onError'> {
  /** Functions that run after the event is stored, in the same transaction. Must be synchronous on SQLite. */
  on?: EventFunctions<Transaction>
}

/** A person's answer to a decision that needs a review. */
export interface Resolution {
  outcome: 'succeeded' | 'not_executed'
  paymentId?: string
  transactionId?: string
}
