import type { ApiError, CallFacts, PaymentsError } from '../core/errors.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import { isFinal } from '../core/helpers/payment-facts.js'
import { type CountableOrders, type OrdersTrace, ordersKey, Publisher } from '../core/internal/channels.js'
import { Deadline, Interrupted } from '../core/internal/deadline.js'
import { requireOptions } from '../core/internal/validation.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { interrupted } from '../core/transport/failure.js'
import { emptyFacts, type OnSettled, type Resolution } from '../operations/operations.js'
import type { RecoveryReport } from '../operations/recovery.js'
import type { Steps } from '../stores/steps.js'
import { createHandler, type EventFunctions, type WebhookHandler } from '../webhooks/handler.js'
import { checkCall, checkOrder, optionsIn, schemas } from './arguments.js'
import { Book, type Decided } from './book.js'
import type { Engine } from './engines.js'
import { OrderError } from './errors.js'
import { hasFailed, type Observation, observeDispute, observePayment, observeRecord, valuesOf } from './facts.js'
import { toDecision } from './order.js'
import type { Loaded, Source } from './tables.js'
import type {
  CallOptions,
  CancelRequest,
  CaptureRequest,
  ChangeCause,
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

const dayMs = 24 * 60 * 60 * 1000
const overlapMs = 5 * 60 * 1000
const lockWithinMs = 60_000

/** The orders of a shop, with their payments, captures, refunds and disputes. `createOrders` creates them. */
export class Orders<Transaction = unknown> {
  readonly #client: OrdersOptions['client']
  readonly #engine: Engine
  readonly #prefix: string
  readonly #hasHook: boolean
  readonly #book: Book

  /** @internal */
  constructor(client: OrdersOptions['client'], engine: Engine, prefix: string, onChange: OrdersOptions['onChange']) {
    this.#client = client.withOptions({ journal: engine.journal })
    this.#engine = engine
    this.#prefix = prefix
    this.#hasHook = onChange !== undefined
    this.#book = new Book(engine, prefix, onChange, () => this.#now())
  }

  /**
   * Pays for an order at most once. Repeat the call as often as you like, also with another card: a new attempt starts
   * only after all others have definitely failed. Resolves to the order even if the result is unknown (`pending`) or the
   * payment was declined (`failed`).
   *
   * @throws {OrderError} The order has another amount or currency, or was cancelled.
   * @throws {ApiError} The service rejected the request. The next call is a new attempt.
   * @example
   * const order = await orders.pay('order-17', { paymentMethodToken, amount: 5000, currencyCode: 'EUR' })
   */
  pay(orderId: string, request: PayRequest, options: PayOptions = {}): Promise<Order> {
    return this.#execute(orderId, 'pay', request, options)
  }

  /** Continues a payment after the customer's action, such as 3-D Secure. Safe to repeat. */
  async resume(orderId: string, body: { resumeToken: string }, options: CallOptions = {}): Promise<Order> {
    checkOrder('resume', { prefix: this.#prefix, orderId, options })
    const order = await this.get(orderId)
    const payment = order?.payment
    if (payment === undefined) throw new OrderError(order ? 'no_payment' : 'unknown_order', 'orders.resume')
    if (hasFailed(payment.status)) return order as Order
    return this.#client.payments.resume(payment.id, body, options).then(
      (resumed) => this.#commit(order as Order, observePayment(resumed), 'resume'),
      async (error: PaymentsError) => {
        if (error.outcome === 'not_sent') throw error
        // The service takes no key for `resume`, so only the payment shows whether the call took effect.
        this.#reportRefusal(error, 'resume')
        const latest = await this.#refetch(order as Order, payment.id, 'resume', options)
        if (error.retry === 'new-key' && latest.state === 'action_required') throw error
        return latest
      },
    )
  }

  /**
   * Captures all or part of the authorized amount.
   *
   * @throws {OrderError} The same `id` was used with another amount, or nothing is left to capture.
   */
  capture(orderId: string, request: CaptureRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#execute(orderId, 'capture', request, options)
  }

  /**
   * Refunds all or part of the captured amount.
   *
   * @throws {OrderError} The same `id` was used with another amount, or nothing is left to refund.
   */
  refund(orderId: string, request: RefundRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#execute(orderId, 'refund', request, options)
  }

  /**
   * Cancels the payment of an order.
   *
   * @throws {OrderError} There is nothing to cancel.
   */
  cancel(orderId: string, request: CancelRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#execute(orderId, 'cancel', request, options)
  }

  /** Returns an order from the tables, or undefined if they do not contain it. */
  async get(orderId: string): Promise<Order | undefined> {
    checkOrder('get', { prefix: this.#prefix, orderId })
    return (await this.#engine.run(this.#engine.tables.load({ orderId }))).order
  }

  /** Returns orders from the tables, oldest change first. */
  async list(filter: OrderFilter = {}): Promise<{ data: Order[]; nextCursor?: string }> {
    const { limit = 100, cursor = '-1 ', ...wanted } = optionsIn('list', filter)
    const [time = '', ...id] = cursor.split(' ')
    const rows = await this.#engine.run(this.#engine.tables.list([Number(time), id.join(' ')], wanted, limit + 1))
    const page = rows.slice(0, limit)
    const data = page.map(([, , facts]) => (JSON.parse(String(facts)) as Loaded).order as Order)
    return { data, ...(rows.length > limit && { nextCursor: String(page.at(-1)?.slice(0, 2).join(' ')) }) }
  }

  /**
   * Returns a webhook handler, which verifies each delivery, stores its event once, and then calls your function in the
   * same transaction. Ignores deliveries about orders with another key prefix.
   *
   * @throws {ConfigurationError} A secret or option is invalid.
   */
  webhooks(options: WebhookOptions<Transaction>): WebhookHandler {
    const { on, ...verification } = requireOptions(options, schemas.webhooks) as WebhookOptions
    const functions: EventFunctions = requireOptions(on, schemas.events, { path: ['on'], noun: 'event' })
    type Functions = Required<EventFunctions>
    const storing =
      <Name extends keyof Functions>(
        name: Name,
        read: (event: Parameters<Functions[Name]>[0]) => readonly [Source, Observation[]],
      ) =>
      (event: Parameters<Functions[Name]>[0], { key, stale, signal, transaction }: Parameters<Functions[Name]>[1]) => {
        const notify = (own: unknown) => functions[name]?.(event as never, { key, stale, signal, transaction: own })
        const work = () => this.#book.applyEvent(...read(event), notify)
        return transaction === undefined ? this.#transact(undefined, work) : this.#engine.run(work(), transaction)
      }
    const readPayment = ({ payment }: { payment: PaymentCore }) => [sourceOf(payment), observePayment(payment)] as const
    return createHandler({
      ...verification,
      deduplicate: this.#engine.webhookStore,
      on: {
        'PAYMENT.STATUS': storing('PAYMENT.STATUS', readPayment),
        'PAYMENT.REFUND': storing('PAYMENT.REFUND', readPayment),
        'DISPUTE.STATUS': storing('DISPUTE.STATUS', (dispute) => {
          const { orderId, paymentId, processorDisputeId: disputeId } = dispute
          return [{ orderId, paymentId, disputeId }, [observeDispute(dispute)]]
        }),
      },
    })
  }

  /**
   * Finishes interrupted operations, and hands over the changes that `onChange` has not received. Call it regularly, in
   * any number of processes.
   */
  recover(options: { limit?: number; signal?: AbortSignal } = {}): Promise<RecoveryReport> {
    return this.#traced('recover', async () => {
      const { limit = 1000, signal } = optionsIn('recover', options)
      const onSettled = this.#storing('recover')
      const report = await this.#client.operations.recover({ limit, onSettled, ...(signal && { signal }) })
      let { finished, open } = report
      const unseen = this.#hasHook ? await this.#engine.run(this.#engine.tables.unseen(limit)) : []
      for (const [id = ''] of unseen) {
        if (signal?.aborted) break
        try {
          if (await this.#transact(id, () => this.#book.handOver(id))) finished++
        } catch (error) {
          open++
          this.#report(error, `onChange failed for the order ${id}: the next recover calls it again`)
        }
      }
      return { ...report, finished, open }
    })
  }

  /**
   * Reads the service's list, and stores the newer states of payments whose webhooks were lost.
   *
   * @param options.from Reads the list from this time, for example the time of a restored backup.
   * @returns The numbers of payments that were checked, and of those that had changed.
   */
  sync(options: { from?: Date; signal?: AbortSignal } = {}): Promise<{ checked: number; changed: number }> {
    return this.#traced('sync', async () => {
      const { from, signal } = optionsIn('sync', options)
      const { tables, run } = this.#engine
      const call = signal ? { signal } : {}
      const watermark = (await run(tables.watermark())) ?? this.#now() - dayMs + overlapMs
      const list = this.#client.payments.list({ fromDate: from ?? new Date(watermark - overlapMs) }, call)
      const { response } = await list.withResponse()
      const now = Date.parse(response.headers.get('date') ?? '') || this.#now()

      const results = new Map<string, 'same' | 'changed'>()
      let isComplete = true
      const check = async (payment: PaymentCore) => {
        const source = sourceOf(payment)
        const orderId = await run(this.#book.find(source))
        if (orderId === undefined) return
        const store = () => this.#book.apply({ ...source, orderId }, observePayment(payment), 'sync')
        try {
          const hasChanged = await this.#transact(orderId, store)
          results.set(payment.id, hasChanged ? 'changed' : (results.get(payment.id) ?? 'same'))
        } catch (error) {
          isComplete = false
          this.#report(error, `onChange failed for the payment ${payment.id}: the next sync calls it again`)
        }
      }
      const changed = () => [...results.keys()].filter((id) => results.get(id) === 'changed')

      for await (const payment of list) await check(payment as PaymentCore)
      const unfinished = await run(tables.unfinished(Math.min(now - dayMs, from?.getTime() ?? now)))
      // The list omits captured amounts and refunds, so changed payments are fetched again, too.
      for (const id of new Set([...unfinished.flat(), ...changed()])) {
        const payment = await this.#client.payments.get(id, call).catch(ignoreMissing)
        if (payment) await check(payment)
      }
      if (isComplete) await this.#transact(undefined, () => tables.saveWatermark(now))
      return { checked: results.size, changed: changed().length }
    })
  }

  /** Returns the decisions that need a person's answer. */
  async review(): Promise<(Decision & { orderId: string })[]> {
    const rows = await this.#engine.run(this.#engine.tables.reviewed())
    return rows.map(([key = '', orderId = '', facts = '']) => {
      const row = valuesOf({ table: 'decisions', id: key, facts: JSON.parse(facts) })
      return { orderId, ...JSON.parse(JSON.stringify(toDecision(row as unknown as Decision))) }
    })
  }

  /**
   * Stores a person's answer to a decision that needs a review. The same answer again changes nothing.
   *
   * @param key The decision's key.
   * @param answer Whether the operation took effect, and the ID of the payment or refund that it created.
   * @throws {OperationError} The decision does not need a review, or was resolved with another answer.
   */
  async resolve(key: string, answer: Resolution): Promise<Order | undefined> {
    const record = await this.#client.operations.resolve(key, answer)
    const orderId = await this.#engine.run(this.#book.find({ key }))
    if (orderId === undefined) return undefined
    await this.#transact(orderId, () => this.#book.applyRecord(record, 'resolve'))
    return this.get(orderId)
  }

  /** Creates or upgrades the tables of the orders, the journal and the webhook store. */
  async migrate(): Promise<void> {
    await this.#engine.migrate()
    await this.#engine.journal.migrate()
    await this.#engine.webhookStore.migrate()
  }

  /** Deletes expired deliveries and request bodies. Keeps all orders, payments and decisions. */
  async prune(): Promise<number> {
    return (await this.#engine.journal.prune()) + (await this.#engine.webhookStore.prune())
  }

  get #settings() {
    return this.#client.operations.transport.settings
  }

  #now(): number {
    return this.#settings.runtime.wallTime()
  }

  /** Decides whether the call is new, and then executes the operation, fetches the payment, or does nothing. */
  async #execute(
    orderId: string,
    kind: DecisionKind,
    request: object,
    options: PayOptions & DecideOptions<unknown>,
  ): Promise<Order> {
    const { operations } = this.#client
    const body = checkCall(operations.transport as never, kind, { prefix: this.#prefix, orderId, request, options })
    const { transaction, reopen, resendFor, ...call } = options
    const { id } = request as { id?: string }
    const decide = () => this.#book.decide(orderId, { ...body, kind, id, body, resendFor }, operations, reopen)
    if (transaction !== undefined) return this.#decideWithin(transaction, orderId, decide)
    const deadline = new Deadline(call.totalTimeout ?? this.#settings.totalTimeout, call.signal, this.#settings.runtime)
    const { order, key } = await this.#transact(orderId, decide, deadline)
    if (key !== undefined) {
      return this.#carryOut(order, kind, key, { ...call, totalTimeout: Math.max(1, deadline.remaining) })
    }
    const isFetched = kind === 'pay' && order.payment !== undefined && !isFinal(order.payment.status)
    return isFetched ? this.#refetch(order, String(order.payment?.id), 'pay', call) : order
  }

  /** Stores a decision in the caller's transaction: before the call returns its promise if the database is synchronous. */
  async #decideWithin(transaction: unknown, orderId: string, decide: () => Steps<Decided>): Promise<Order> {
    const { isSynchronous } = this.#engine
    const locked = this.#engine.run(this.#engine.lock(orderId), transaction)
    if (!isSynchronous) await locked
    const decided = this.#engine.run(decide(), transaction)
    return (isSynchronous ? (decided as Decided) : await decided).order
  }

  /** Executes an operation. Throws only if nothing can come of it. */
  async #carryOut(order: Order, kind: DecisionKind, key: string, call: CallOptions): Promise<Order> {
    const { operations } = this.#client
    let stored: { readonly payment: PaymentCore | undefined } | undefined
    const store = this.#storing(kind)
    const onSettled: OnSettled = (record, transaction, payment) => {
      stored = { payment }
      return store(record, transaction, payment)
    }
    try {
      const { payment } = await operations.run(key, { ...call, onSettled })
      // If `onChange` threw, `recover` hands the result over.
      if (stored?.payment === payment) return await this.#latest(order)
      return await this.#commit(order, observePayment(payment), kind)
    } catch (error) {
      const record = await operations.get(key).catch(() => undefined)
      if (record?.state === 'rejected') throw error
      const errorId = this.#reportRefusal(error, kind)
      return record ? this.#commit(order, observeRecord(record, errorId), kind) : this.#latest(order)
    }
  }

  /** Logs that the service rejected the credentials. Returns the service's identifier of this error. */
  #reportRefusal(error: unknown, kind: string): string | undefined {
    const { httpStatus, errorId } = error as Partial<ApiError>
    if (httpStatus !== 401 && httpStatus !== 403) return undefined
    this.#report(error, `orders.${kind} stays open, because the service rejected the API key (${httpStatus})`)
    return errorId
  }

  #report(error: unknown, message: string): void {
    this.#client.operations.report(error, message)
  }

  /** Fetches a payment again and stores it. Returns the order as it is stored if the payment cannot be read. */
  async #refetch(order: Order, paymentId: string, cause: ChangeCause, call: CallOptions): Promise<Order> {
    const payment = await this.#client.payments.get(paymentId, call).catch(() => undefined)
    return payment ? this.#commit(order, observePayment(payment), cause) : this.#latest(order)
  }

  /** Stores what is known after a request. If `onChange` throws, stores the change for the next `recover`. */
  async #commit(order: Order, observations: readonly Observation[], cause: ChangeCause): Promise<Order> {
    const source = { orderId: order.id, paymentId: observations[0]?.id }
    const store = (isUnseen: boolean) =>
      this.#transact(order.id, () => this.#book.apply(source, observations, cause, isUnseen))
    try {
      await store(false)
      return await this.#latest(order)
    } catch (error) {
      this.#report(error, `onChange or the database failed for the order ${order.id}: recover calls onChange again`)
      await store(true).catch(() => {})
      return order
    }
  }

  /** Returns the stored order. If the database is down, returns the order that was read before. */
  async #latest(order: Order): Promise<Order> {
    return (await this.get(order.id).catch(() => undefined)) ?? order
  }

  /** Runs work in a transaction of its own, while no other transaction changes the order. */
  async #transact<T>(orderId: string | undefined, work: () => Steps<T>, deadline?: Deadline): Promise<T> {
    const within = deadline ?? new Deadline(lockWithinMs, undefined, this.#settings.runtime)
    return this.#engine.transaction(orderId, work, within).catch((error) => {
      if (!(error instanceof Interrupted)) throw error
      const facts: CallFacts = { ...emptyFacts, operation: 'orders', retry: 'same-key' }
      throw interrupted(error, 'queue', { method: 'POST', hasKey: true }).toError(facts)
    })
  }

  /** Publishes a call of a method, for metrics. */
  #traced<T extends { readonly changed?: number }>(method: OrdersTrace['method'], work: () => Promise<T>): Promise<T> {
    const { tables, run } = this.#engine
    const trace: OrdersTrace = { method }
    const value: CountableOrders = {
      name: tables.name('orders'),
      countReviews: async () => run(tables.countReviews()),
    }
    Object.defineProperty(trace, ordersKey, { value })
    const traced = async () => {
      const report = await work()
      if (report.changed !== undefined) trace.changed = report.changed
      return report
    }
    return channel.trace(traced, trace)
  }

  /** Returns the function that stores the result of an operation, in the transaction of the journal. */
  #storing(cause: ChangeCause): OnSettled {
    return (record, transaction, payment) =>
      this.#engine.run(this.#book.applyRecord(record, cause, payment), transaction)
  }
}

const sourceOf = ({ id, orderId }: PaymentCore): Source => ({ orderId, paymentId: id })

/** Ignores that a payment does not exist any more. */
function ignoreMissing(error: unknown): undefined {
  if ((error as Partial<ApiError>).httpStatus !== 404) throw error
}
