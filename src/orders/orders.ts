import { type PaymentsError, RequestValidationError } from '../core/errors.js'
import { hasFailed } from '../core/helpers/payment-facts.js'
import { type OrdersTrace, ordersKey, Publisher } from '../core/internal/channels.js'
import type { Runtime } from '../core/internal/runtime.js'
import { requireOptions } from '../core/internal/validation.js'
import type { KnownEvent } from '../core/schemas/event.js'
import { eventTypes } from '../core/schemas/known-values.js'
import type { Resolution } from '../operations/operations.js'
import type { RecoveryReport } from '../operations/recovery.js'
import { createHandler, type EventFunctions, type WebhookContext, type WebhookHandler } from '../webhooks/handler.js'
import { problemWithAnswer } from './answers.js'
import { checkOrder, optionsIn, schemas } from './arguments.js'
import { Book } from './book.js'
import { Calls } from './calls.js'
import { OrderError } from './errors.js'
import { disputeKeyOf, type Observation, observeDispute, observePayment } from './facts.js'
import type { OrdersStore } from './store.js'
import { Sync, sourceOf } from './sync.js'
import { allTables, type Source } from './tables.js'
import type {
  CallOptions,
  CancelRequest,
  CaptureRequest,
  DecideOptions,
  Decision,
  Order,
  OrderFilter,
  OrdersOptions,
  PayOptions,
  PayRequest,
  RefundRequest,
  WebhookOptions,
} from './types.js'

const channel = /* @__PURE__ */ new Publisher('orders')

/** If the request was not sent, `resume` throws errors with these codes without re-fetching the payment. */
const thrownIfNotSent: ReadonlySet<string> = new Set([
  'ERR_CONFIGURATION',
  'ERR_REQUEST_VALIDATION',
  'ERR_ABORTED',
  'ERR_TIMEOUT',
])

/** The orders of a shop, with their payments, captures, refunds and disputes. `createOrders` creates them. */
export class Orders<Transaction = unknown> {
  readonly #client: OrdersOptions['client']
  readonly #store: OrdersStore
  readonly #prefix: string
  readonly #book: Book
  readonly #calls: Calls

  /** @internal */
  constructor(
    client: OrdersOptions['client'],
    openStore: (runtime: () => Runtime) => OrdersStore,
    prefix: string,
    onChange: OrdersOptions['onChange'],
  ) {
    const store = openStore(() => this.#runtime)
    this.#client = client.withOptions({ journal: store.journal })
    this.#store = store
    this.#prefix = prefix
    this.#book = new Book(store, prefix, onChange, () => this.#runtime.wallTime())
    this.#calls = new Calls(this.#client, store, this.#book, prefix)
  }

  /**
   * Pays for an order at most once. Retry the call as often as you like, even with another card: a new attempt starts
   * only after all others have definitely failed. Resolves to the order even if the result is unknown (`pending`) or
   * the payment was declined (`failed`).
   *
   * @param request The fields of `payments.create`, with `amount` in minor units and `currencyCode`.
   * @param options `reopen`, `resendFor`, timeouts and abort signal for this call.
   * @throws {OrderError} The order has another amount or currency, or was cancelled.
   * @throws {ApiError} The service rejected the request. The next call is a new attempt.
   * @example
   * const order = await orders.pay('order-17', { paymentMethodToken, amount: 5000, currencyCode: 'EUR' })
   */
  pay(orderId: string, request: PayRequest, options: PayOptions = {}): Promise<Order> {
    return this.#calls.execute(orderId, 'pay', request, options)
  }

  /**
   * Continues a payment after the customer's action, such as 3-D Secure. Safe to retry.
   *
   * @param body The `resumeToken` that the checkout returned.
   * @param options Timeouts and abort signal for this call.
   * @throws {OrderError} The order does not exist, or has no payment.
   * @throws {ApiError} The service rejected the token.
   * @example
   * const { state } = await orders.resume('order-17', { resumeToken })
   */
  async resume(orderId: string, body: { resumeToken: string }, options: CallOptions = {}): Promise<Order> {
    checkOrder('resume', { prefix: this.#prefix, orderId, options })
    const order = await this.get(orderId)
    const payment = order?.payment
    if (payment === undefined) throw new OrderError(order ? 'no_payment' : 'unknown_order', 'orders.resume')
    if (hasFailed(payment)) return order as Order
    return this.#client.payments.resume(payment.id, body, options).then(
      (resumed) => this.#calls.commit(order as Order, observePayment(resumed), 'resume'),
      async (error: PaymentsError) => {
        if (error.outcome === 'not_sent' && thrownIfNotSent.has(error.code)) throw error
        // `resume` takes no idempotency key, so only the payment shows whether the call took effect.
        this.#calls.reportRejection(error, 'resume')
        const latest = await this.#calls.refetch(order as Order, payment.id, 'resume', options)
        if (error.retry === 'new-key' && latest.state === 'action_required') throw error
        return latest
      },
    )
  }

  /**
   * Captures all or part of the authorized amount.
   *
   * If the payment shows a capture that belongs to no decision and may be this one, nothing is sent, and this decision
   * needs a review. See `review`.
   *
   * @param request `id` of the parcel, `amount` in minor units (default: the rest), and `final` for the last capture.
   * @param options `transaction`, timeouts and abort signal for this call.
   * @throws {OrderError} The same `id` was used with another amount, less is left to capture, or `final` is set while
   * another capture has no result.
   * @throws {ApiError} The service rejected the request. The next call is a new attempt.
   * @example
   * await orders.capture('order-17', { id: 'parcel-1', amount: 3000 })
   */
  capture(orderId: string, request: CaptureRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#calls.execute(orderId, 'capture', request, options)
  }

  /**
   * Refunds all or part of the captured amount.
   *
   * If the payment shows a refund that belongs to no decision and may be this one, nothing is sent, and this decision
   * needs a review. See `review`.
   *
   * @param request `id` of the return, `amount` in minor units (default: the rest), and `reason`.
   * @param options `transaction`, timeouts and abort signal for this call.
   * @throws {OrderError} The same `id` was used with another amount, or less is left to refund.
   * @throws {ApiError} The service rejected the request. The next call is a new attempt.
   * @example
   * await orders.refund('order-17', { id: 'return-381', amount: 1000 })
   */
  refund(orderId: string, request: RefundRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#calls.execute(orderId, 'refund', request, options)
  }

  /**
   * Cancels the payment of an order.
   *
   * @param request `id` (each has one effect) and `reason`.
   * @param options `transaction`, timeouts and abort signal for this call.
   * @throws {OrderError} There is nothing to cancel.
   * @throws {ApiError} The service rejected the request. The next call is a new attempt.
   * @example
   * await orders.cancel('order-17', { reason: 'Out of stock' })
   */
  cancel(orderId: string, request: CancelRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#calls.execute(orderId, 'cancel', request, options)
  }

  /**
   * Returns an order from the tables, or undefined if they do not contain it.
   *
   * @example
   * const order = await orders.get('order-17')
   */
  async get(orderId: string): Promise<Order | undefined> {
    checkOrder('get', { prefix: this.#prefix, orderId })
    return (await this.#calls.read(this.#store.tables.load({ orderId }))).order
  }

  /**
   * Returns orders from the tables, oldest change first.
   *
   * @param filter `state`, `updatedSince`, `limit` (1 to 1000, default 100), and `cursor`: the `nextCursor` of a page.
   * @example
   * const { data, nextCursor } = await orders.list({ state: 'authorized' })
   */
  async list(filter: OrderFilter = {}): Promise<{ data: Order[]; nextCursor?: string }> {
    const { limit = 100, cursor = '-1 ', ...wanted } = optionsIn('list', filter)
    const [time = '', ...id] = cursor.split(' ')
    const orders = await this.#calls.read(this.#store.tables.list([Number(time), id.join(' ')], wanted, limit + 1))
    const page = orders.slice(0, limit)
    const last = orders.length > limit && page.at(-1)
    return { data: page.map(({ order }) => order), ...(last && { nextCursor: `${last.changedAt} ${last.order.id}` }) }
  }

  /**
   * Returns a webhook handler, which verifies each delivery, stores its event once, and then calls your function in the
   * same transaction. Ignores deliveries about orders with another key prefix.
   *
   * @param options `secret`, `on` and `onError`.
   * @throws {ConfigurationError} A secret or option is invalid.
   * @example
   * createServer(toNodeListener(orders.webhooks({ secret }))).listen(3000)
   */
  webhooks(options: WebhookOptions<Transaction>): WebhookHandler {
    const { on, ...verification } = requireOptions(options, schemas.webhooks) as WebhookOptions
    const functions: EventFunctions = requireOptions(on, schemas.events, { path: ['on'], noun: 'event' })
    const storing =
      (name: keyof EventFunctions) =>
      (event: KnownEvent, { key, stale, signal, transaction }: WebhookContext) => {
        const notify = (own: unknown) => functions[name]?.(event as never, { key, stale, signal, transaction: own })
        const work = () => this.#book.applyEvent(...observeEvent(event), notify)
        if (transaction === undefined) return this.#calls.transact(undefined, work)
        return this.#store.database.run(work(), transaction)
      }
    return createHandler({
      ...verification,
      deduplicate: this.#store.webhookStore,
      on: Object.fromEntries(eventTypes.map((type) => [type, storing(type)])),
    })
  }

  /**
   * Finishes interrupted operations and calls `onChange` for the changes that it has not received. Call this method
   * regularly, in any number of processes.
   *
   * @param options `limit` (default 1000) and `signal`.
   * @example
   * setInterval(() => orders.recover().catch(console.error), 30_000)
   */
  recover(options: { limit?: number; signal?: AbortSignal } = {}): Promise<RecoveryReport> {
    return this.#traced('recover', async () => {
      const { limit = 1000, signal } = optionsIn('recover', options)
      const onSettled = this.#calls.storing('recover')
      const recovering = this.#client.operations.recover({ limit, onSettled, ...(signal && { signal }) })
      // Calls `onChange` even if the recovery failed, for example because of another service's operations.
      const [recovery] = await Promise.allSettled([recovering])
      let [finished, open] = [0, 0]
      const unseen = this.#book.hasHook ? await this.#calls.read(this.#store.tables.unseen(limit)) : []
      for (const { order } of unseen) {
        if (signal?.aborted) break
        try {
          if (await this.#calls.transact(order.id, () => this.#book.handOver(order.id))) finished++
        } catch (error) {
          open++
          this.#calls.report(
            error,
            `onChange or the database failed for the order ${order.id}: the next recover calls onChange again`,
          )
        }
      }
      if (recovery.status === 'rejected') throw recovery.reason
      const { value: report } = recovery
      return { ...report, finished: report.finished + finished, open: report.open + open }
    })
  }

  /**
   * Reads the service's payment list and stores newer states of payments, for example if their webhooks were lost.
   *
   * @param options `from` and `signal`. After a restored backup, `from` must be earlier than the creation of every
   * payment that may have changed since the backup.
   * @returns The number of checked payments, and the number that had changed.
   * @throws {ConfigurationError} An earlier `sync` used another base URL.
   * @throws {PaymentsError} The service or the database failed. With `from`, also if one payment could not be read or
   * stored: retry the call. Errors of `onChange` are not wrapped.
   * @example
   * setInterval(() => orders.sync().catch(console.error), 3_600_000)
   */
  sync(options: { from?: Date; signal?: AbortSignal } = {}): Promise<{ checked: number; changed: number }> {
    return this.#traced('sync', () => {
      const { from, signal } = optionsIn('sync', options)
      return new Sync(this.#client, this.#store, this.#book, this.#calls, from).run(signal)
    })
  }

  /**
   * Returns the decisions that a person must review.
   *
   * @example
   * for (const { key, orderId, reason } of await orders.review()) console.error(key, orderId, reason)
   */
  async review(): Promise<(Decision & { orderId: string })[]> {
    const orders = await this.#calls.read(this.#store.tables.reviewed())
    return orders.flatMap(({ order: { id: orderId, decisions } }) =>
      decisions.filter(({ state }) => state === 'needs_review').map((decision) => ({ orderId, ...decision })),
    )
  }

  /**
   * Stores a person's answer to a decision that needs a review. Passing the same answer again changes nothing.
   *
   * @param key The decision's key.
   * @param answer Whether the operation took effect, and the ID of the payment or refund that it created.
   * @throws {OperationError} The decision needs no review, or was resolved differently.
   * @throws {RequestValidationError} The payment belongs to another order, or the refund to another decision, or the
   * payment has no such refund.
   * @example
   * await orders.resolve(key, { outcome: 'succeeded', transactionId: 're_1' })
   */
  async resolve(key: string, answer: Resolution): Promise<Order | undefined> {
    const orderId = await this.#calls.read(this.#book.find({ key }))
    const own = { client: this.#client, store: this.#store, book: this.#book, calls: this.#calls }
    const issue = orderId === undefined ? undefined : await problemWithAnswer(own, orderId, key, Object(answer))
    if (issue) throw new RequestValidationError([issue], { operation: 'orders.resolve', idempotencyKey: key })
    const record = await this.#client.operations.resolve(key, answer)
    if (orderId === undefined) return undefined
    await this.#calls.transact(orderId, () => this.#book.applyRecord(record, 'resolve'))
    return this.get(orderId)
  }

  /**
   * Creates or upgrades the tables for orders, the journal and the webhook store.
   *
   * @example
   * await orders.migrate()
   */
  async migrate(): Promise<void> {
    await this.#store.database.migrate(allTables)
  }

  /**
   * Deletes expired deliveries and request bodies. Keeps all orders, payments and decisions.
   *
   * @returns The number of deleted deliveries and bodies.
   * @example
   * setInterval(() => orders.prune().catch(console.error), 86_400_000)
   */
  async prune(): Promise<number> {
    return (await this.#store.journal.prune()) + (await this.#store.webhookStore.prune())
  }

  get #runtime(): Runtime {
    return this.#client.operations.transport.settings.runtime
  }

  /** Publishes a method call on a diagnostics channel, for metrics. */
  #traced<T extends object>(method: OrdersTrace['method'], work: () => Promise<T>): Promise<T> {
    const { connection, database, tables } = this.#store
    const trace: OrdersTrace = { method }
    const countReviews = () => this.#calls.read(tables.countReviews())
    const countable = { database: connection, name: database.table('orders'), countReviews }
    Object.defineProperty(trace, ordersKey, { value: countable })
    return channel.trace(async () => {
      const report = await work()
      if ('changed' in report) trace.changed = Number(report.changed)
      return report
    }, trace)
  }
}

/** Returns the IDs and facts that an event contains. */
function observeEvent(event: KnownEvent): readonly [Source, Observation[]] {
  if ('payment' in event) return [sourceOf(event.payment), observePayment(event.payment)]
  const { orderId, paymentId } = event
  return [{ orderId, paymentId, disputeKey: disputeKeyOf(event) }, [observeDispute(event)]]
}
