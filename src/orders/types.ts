import type { PaymentsClient } from '../client.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import type { RequestOptions } from '../core/options.js'
import type { CancelBody, CaptureBody, CreatePaymentBody, PaymentCore, RefundBody } from '../core/schemas/payment.js'
import type { OperationState } from '../operations/record.js'
import type { Connection, TransactionOf } from '../stores/postgres/types.js'
import type { SqliteDatabase } from '../stores/sqlite/connection.js'
import type { EventFunctions, HandlerOptions } from '../webhooks/handler.js'

export const orderStates = [
  'pending',
  'action_required',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'failed',
  'cancelled',
] as const

/**
 * The state of an order:
 *
 * - `pending`: the result of a payment is not known yet.
 * - `action_required`: the customer must complete `payment.requiredAction`, for example 3-D Secure.
 * - `authorized`: the amount is reserved, and nothing is captured.
 * - `partially_paid`, `paid`: part of the amount or the whole amount is captured.
 * - `partially_refunded`, `refunded`: part or all of the captured amount is refunded or being refunded.
 * - `failed`: no payment succeeded, and none is in progress.
 * - `cancelled`: the last payment was cancelled.
 */
export type OrderState = (typeof orderStates)[number]

/** An order, as stored by `payments-client/orders`. All amounts are in minor units. */
export interface Order {
  /** Your ID of the order, without the key prefix. */
  id: string
  state: OrderState
  /** The amount of the latest attempt that `pay` started. If there is none, the payment's amount. */
  amount: number
  /** Currency of `amount`. */
  currencyCode: string
  /** The captured amount. Includes captures that are still being settled. */
  captured: number
  /** The refunded amount. Includes refunds that are in progress, but not failed refunds. */
  refunded: number
  /**
   * True only if the whole amount is captured and settled in the order's currency, nothing is refunded or unclear, and
   * no dispute is open or lost.
   */
  mayShip: boolean
  /**
   * Whether a person must look at the order: a decision with the state `needs_review`, several payments, a
   * failed or cancelled payment with captured money, or contradictory refunds.
   */
  needsReview: boolean
  /** Whether a dispute is open or lost. */
  disputed: boolean
  /** The payment that has not failed. If all payments failed, the last one. */
  payment?: {
    id: string
    status: string
    statusReason?: PaymentCore['statusReason']
    requiredAction?: PaymentCore['requiredAction']
    dateUpdated?: string
  }
  payments: OrderPayment[]
  refunds: OrderRefund[]
  disputes: OrderDispute[]
  decisions: Decision[]
}

/** A payment of an order. */
export interface OrderPayment {
  id: string
  /** Empty if only the ID is known. */
  status: string
  amount?: number
  currencyCode?: string
  captured: number
  dateUpdated?: string
}

/** A refund of a payment of the order. */
export interface OrderRefund {
  /** The `processorTransactionId`, if it is known. */
  transactionId?: string
  paymentId: string
  amount?: number
  /** `SETTLED` if the customer has the money, and `FAILED` if the refund failed. */
  status?: string
}

/** A dispute about a payment of the order. */
export interface OrderDispute {
  /** The `processorDisputeId`. */
  id: string
  type: string
  status: string
  /** The disputed amount. */
  amount?: number
  challengeRequiredBy?: string
  receivedAt?: string
}

/** A call of `pay`, `capture`, `refund` or `cancel`, and its result. */
export interface Decision {
  /** The idempotency key. */
  key: string
  kind: DecisionKind
  /** The ID that was passed to `capture`, `refund` or `cancel`. */
  id?: string
  amount?: number
  /** The state of the operation in the journal. */
  state: OperationState
  /** The status of the refund. Absent for other kinds. */
  status?: string
  /** The payment that the operation created or changed. Absent if it was not sent yet. */
  paymentId?: string
  /** The service's identifier of the latest error. */
  errorId?: string
  /** The reason for the state `not_executed` or `needs_review`. */
  reason?: string
}

/** The cause of a change. `planned`: a decision was stored, and nothing has been sent yet. */
export type ChangeCause = 'planned' | 'resume' | 'webhook' | 'recover' | 'sync' | 'resolve' | DecisionKind

/** A `Pool` from `pg`, a `postgres` instance, the `Database` of another library, or a synchronous SQLite database. */
export type OrdersDatabase = Connection | SqliteDatabase

/** The type of a database's transactions. On SQLite, the database itself. */
export type OrdersTransaction<Value> = 0 extends 1 & Value
  ? Value
  : Value extends SqliteDatabase
    ? Value
    : TransactionOf<Value>

/** Options for `createOrders`. */
export interface OrdersOptions<Value extends OrdersDatabase = OrdersDatabase> {
  /** The client. Its `journal` option is ignored. */
  client: PaymentsClient
  /** Your own database, which also stores the orders. Never closed. */
  database: Value
  /**
   * Called in the transaction that stores a change. Update your own tables here, and only here. If it throws, the
   * change is rolled back, and the function is called again by `recover` or when the webhook is redelivered. Must be
   * synchronous on SQLite. @default changes are stored for the next `recover` of a process that has this function
   */
  onChange?: (order: Order, context: ChangeContext<OrdersTransaction<Value>>) => unknown
  /**
   * Precedes every idempotency key, and every order ID sent to the service. Separates shops and environments that share
   * an account, so no prefix may be empty or start with another one, and each shop needs its own tables. At most 40
   * characters from `!` to `~`.
   * @default ''
   */
  keyPrefix?: string
  /** Precedes the names of all tables. @default 'payments_client_' */
  tablePrefix?: string
  /** Schema of the tables in PostgreSQL. @default 'public' */
  schema?: string
}

/** The transaction that stores a change, and the cause of the change. */
export interface ChangeContext<Transaction = unknown> {
  readonly transaction: Transaction
  readonly cause: ChangeCause
}

/** The fields of `payments.create`, for example the payment method token. `amount` is in minor units. */
export type PayRequest = Omit<CreatePaymentBody, 'orderId' | 'amount' | 'currencyCode'> & {
  amount: number
  currencyCode: string
}

/** A capture. Each `id`, for example of a parcel, has one effect. Without `id`, there is one full capture per order. */
export type CaptureRequest = CaptureBody & { id?: string }

/** A refund. Each `id`, for example of a return, has one effect. Without `id`, there is one full refund per order. */
export type RefundRequest = Omit<RefundBody, 'orderId'> & { id?: string }

/** A cancellation. Each `id` has one effect. Without `id`, each payment of the order is cancelled at most once. */
export type CancelRequest = CancelBody & { id?: string }

/** Options for `resume`. */
export type CallOptions = Pick<RequestOptions, 'signal' | 'timeout' | 'totalTimeout'>

/** Options for `pay`. */
export interface PayOptions extends CallOptions {
  /** Whether to pay for an order that was cancelled. @default false */
  reopen?: boolean
  /** Retries the payment for this many milliseconds. @default 60000, or 24 hours for merchant-initiated payments */
  resendFor?: number
}

/** Options for `capture`, `refund` and `cancel`. */
export interface DecideOptions<Transaction = unknown> extends CallOptions {
  /**
   * Stores the decision in this transaction and sends nothing: `recover` sends it after the commit. Roll the transaction
   * back if the call throws. @default none
   */
  transaction?: Transaction
}

/** Filters for `list`. */
export interface OrderFilter {
  state?: OrderState
  /** Returns only orders that changed at this time or later. */
  updatedSince?: Date
  /** From 1 to 1000. @default 100 */
  limit?: number
  /** The `nextCursor` of the previous page. */
  cursor?: string
}

/** Options for `webhooks`. */
export interface WebhookOptions<Transaction = unknown> extends Pick<HandlerOptions, 'secret' | 'onError'> {
  /** Functions that run after the event is stored, in the same transaction. Must be synchronous on SQLite. */
  on?: EventFunctions<Transaction>
}
