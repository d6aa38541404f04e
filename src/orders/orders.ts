import type { ApiError, CallFacts, PaymentsError } from '../core/errors.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import { isFinal } from '../core/helpers/payment-facts.js'
import { Deadline, Interrupted } from '../core/internal/deadline.js'
import { checkOptions, requireOptions } from '../core/internal/validation.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { interrupted } from '../core/transport/failure.js'
import { emptyFacts, type OnSettled, type Resolution } from '../operations/operations.js'
import type { RecoveryReport } from '../operations/recovery.js'
import { createHandler, type EventFunctions, type WebhookContext, type WebhookHandler } from '../webhooks/handler.js'
import { checkCall, checkMethod, orderIdIssues, rejectIssues, schemas } from './arguments.js'
import { Book, type Decided, type Located } from './book.js'
import type { Engine } from './engines.js'
import { OrderError } from './errors.js'
import {
  type Facts,
  hasFailed as isFailed,
  type Observation,
  observePayment,
  observeRecord,
  valuesOf,
} from './facts.js'
import { type Intent, toDecision } from './order.js'
import { type Loaded, parameter, type Work } from './tables.js'
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

const dayMs = 24 * 60 * 60 * 1000
const overlapMs = 5 * 60 * 1000
const lockRetryMs = 25
/** The number of failures in a row after which `sync` assumes an outage of the service. */
const maxFailures = 3

type Client = OrdersOptions['client']
type AllOptions = PayOptions & DecideOptions<unknown>

/** The orders of a shop, with their payments, captures, refunds and disputes. `createOrders` creates them. */
export class Orders<Transaction = unknown> {
  readonly #client: Client
  readonly #engine: Engine
  readonly #prefix: string
  readonly #hasHook: boolean
  readonly #book: Book

  /** @internal */
  constructor(client: Client, engine: Engine, prefix: string, onChange: OrdersOptions['onChange']) {
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
    const { issues } = checkOptions(options, schemas.resume, { path: ['options'] })
    rejectIssues([...orderIdIssues(this.#prefix, orderId), ...issues], 'resume')
    const order = await this.get(orderId)
    if (order === undefined) throw new OrderError('unknown_order', 'orders.resume')
    if (order.payment === undefined) throw new OrderError('no_payment', 'orders.resume')
    if (isFailed(order.payment.status)) return order
    const { id } = order.payment
    try {
      const resumed = await this.#client.payments.resume(id, body, options)
      return await this.#commit(order, 'resume', observePayment(resumed, orderId))
    } catch (error) {
      if ((error as PaymentsError).outcome === 'not_sent') throw error
      // The service takes no key for `resume`, so only the payment shows whether the call took effect.
      const latest = await this.#refetch(order, id, 'resume', options)
      const isRejected = (error as PaymentsError).outcome === 'rejected' && !this.#reportRefusal(error, 'resume')
      if (latest.state === 'action_required' && isRejected) throw error
      return latest
    }
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
    rejectIssues(orderIdIssues(this.#prefix, orderId), 'get')
    return (await this.#engine.read(this.#tables.load(orderId))).order
  }

  /** Returns orders from the tables, oldest change first. */
  async list(filter: OrderFilter = {}): Promise<{ data: Order[]; nextCursor?: string }> {
    const { state, updatedSince, limit = 100, cursor = '-1 ' } = checkMethod('list', filter) as OrderFilter
    const time = Number(cursor.slice(0, cursor.indexOf(' ')))
    const position = `(changed_at > ${parameter(1, 'bigint')} OR (changed_at = ${parameter(1, 'bigint')} AND id > ${parameter(2)}))`
    const isWanted = `changed_at >= ${parameter(3, 'bigint')} AND (${parameter(4)} IS NULL OR state = ${parameter(4)})`
    const sql = `SELECT CAST(changed_at AS text) AS changed, id, facts FROM ${this.#tables.name('orders')}
      WHERE ${position} AND ${isWanted} ORDER BY changed_at, id LIMIT ${limit + 1}`
    const after = cursor.slice(cursor.indexOf(' ') + 1)
    const rows = await this.#engine.read(
      this.#tables.select(sql, time, after, updatedSince?.getTime() ?? 0, state ?? null),
    )
    const page = rows.slice(0, limit)
    const data = page.map(([, , facts]) => (JSON.parse(String(facts)) as Loaded).order as Order)
    return { data, ...(rows.length > limit && { nextCursor: page.at(-1)?.slice(0, 2).join(' ') }) } as never
  }

  /**
   * Returns a webhook handler, which verifies each delivery, stores its event once, and then calls your function in the
   * same transaction. Ignores deliveries about orders with another key prefix.
   *
   * @throws {ConfigurationError} A secret or option is invalid.
   */
  webhooks(options: WebhookOptions<Transaction>): WebhookHandler {
    const { on, ...verification } = requireOptions(options, schemas.webhooks) as WebhookOptions
    const functions = requireOptions(on, schemas.events, { path: ['on'], noun: 'event' })
    type Functions = Required<EventFunctions<Transaction>>
    const storing =
      <Name extends keyof Functions>(
        name: Name,
        locate: (event: Parameters<Functions[Name]>[0]) => Work<Located | undefined>,
      ) =>
      (event: Parameters<Functions[Name]>[0], context: WebhookContext) => {
        const notify = (transaction: unknown) => {
          const given = { key: context.key, stale: context.stale, signal: context.signal, transaction }
          return functions[name]?.(event as never, given)
        }
        const work = () => this.#book.receive(locate(event), notify)
        if (context.transaction === undefined) return this.#transact(undefined, work)
        return this.#engine.within(context.transaction, work())
      }
    const locatePayment = ({ payment }: { payment: PaymentCore }) => this.#book.locatePayment(payment)
    return createHandler({
      ...verification,
      deduplicate: this.#engine.webhookStore,
      on: {
        'PAYMENT.STATUS': storing('PAYMENT.STATUS', locatePayment),
        'PAYMENT.REFUND': storing('PAYMENT.REFUND', locatePayment),
        'DISPUTE.STATUS': storing('DISPUTE.STATUS', (dispute) => this.#book.locateDispute(dispute)),
      },
    })
  }

  /**
   * Finishes interrupted operations, and hands over the changes that `onChange` has not received. Call it regularly, in
   * any number of processes.
   */
  async recover(options: { limit?: number; signal?: AbortSignal } = {}): Promise<RecoveryReport> {
    const { limit = 1000, signal } = checkMethod('recover', options) as typeof options
    const onSettled = this.#storing('recover')
    const report = await this.#client.operations.recover({ limit, onSettled, ...(signal && { signal }) })
    if (!this.#hasHook) return report
    const sql = `SELECT id FROM ${this.#tables.name('orders')} WHERE unseen_cause IS NOT NULL ORDER BY changed_at LIMIT ${limit}`
    let [finished, open] = [report.finished, report.open]
    for (const [id = ''] of await this.#engine.read(this.#tables.select(sql))) {
      if (signal?.aborted) break
      try {
        if (await this.#transact(id, () => this.#book.handOver(id))) finished++
      } catch (error) {
        open++
        this.#report(error, `onChange failed for the order ${id}: the next recover calls it again`)
      }
    }
    return { ...report, finished, open }
  }

  /**
   * Reads the service's list, and stores the newer states of payments whose webhooks were lost.
   *
   * @param options.from Reads the list from this time, for example the time of a restored backup.
   * @returns The numbers of payments that were checked, and of those that had changed.
   */
  async sync(options: { from?: Date; signal?: AbortSignal } = {}): Promise<{ checked: number; changed: number }> {
    const { from, signal } = checkMethod('sync', options) as typeof options
    const call = signal ? { signal } : {}
    const marks = this.#tables.select(`SELECT value FROM ${this.#tables.name('watermarks')} WHERE name = 'list'`)
    const [[mark] = []] = await this.#engine.read(marks)
    const fromDate = from ?? new Date(mark === undefined ? this.#now() - dayMs : Number(mark) - overlapMs)
    const list = this.#client.payments.list({ fromDate }, call)
    const first = await list.withResponse()
    const now = Date.parse(first.response.headers.get('date') ?? '') || this.#now()
    const changed = new Map<string, boolean>()
    let hasFailed = false
    const check = async (payment: PaymentCore) => {
      const located = await this.#engine.read(this.#book.locatePayment(payment))
      if (located?.orderId === undefined) return
      try {
        const hasChanged = await this.#transact(located.orderId, () => this.#book.store(located, 'sync'))
        changed.set(payment.id, hasChanged || changed.get(payment.id) === true)
      } catch (error) {
        hasFailed = true
        this.#report(error, `onChange failed for the payment ${payment.id}: the next sync calls it again`)
      }
    }
    for await (const payment of list) await check(payment as PaymentCore)
    const unfinished = this.#tables.select(this.#unfinishedSql(), from?.getTime() ?? now - dayMs)
    // The list omits captured amounts and refunds.
    const ids = new Set((await this.#engine.read(unfinished)).map(([id = '']) => id))
    for (const [id, hasChanged] of changed) if (hasChanged) ids.add(id)
    let failures = 0
    for (const id of ids) {
      try {
        const payment = await this.#client.payments.get(id, call).catch(ignoreMissing)
        failures = 0
        if (payment) await check(payment)
      } catch (error) {
        // One payment that cannot be read must not keep all others out of date.
        if (signal?.aborted || ++failures === maxFailures) throw error
        hasFailed = true
        this.#report(error, `The payment ${id} could not be read: the next sync reads it again`)
      }
    }
    if (!hasFailed) await this.#transact(undefined, () => this.#tables.save('watermarks', { name: 'list', value: now }))
    return { checked: changed.size, changed: [...changed.values()].filter(Boolean).length }
  }

  /** Selects the payments that may change, or have changed since a time. */
  #unfinishedSql(): string {
    const isFinal = "status IN ('SETTLED', 'DECLINED', 'FAILED', 'CANCELLED')"
    const open = `SELECT payment_id FROM ${this.#tables.name('refunds')} WHERE status IS NULL OR NOT ${isFinal}`
    const isRecent = `updated_at >= ${parameter(1, 'bigint')} OR created_at >= ${parameter(1, 'bigint')}`
    return `SELECT id FROM ${this.#tables.name('payments')} WHERE NOT ${isFinal} OR ${isRecent} OR id IN (${open})`
  }

  /** Returns the decisions that need a person's answer. */
  async review(): Promise<(Decision & { orderId: string })[]> {
    const decisions = this.#tables.name('decisions')
    const sql = `SELECT key, order_id, facts FROM ${decisions} WHERE state = 'needs_review' ORDER BY order_id, key`
    const rows = await this.#engine.read(this.#tables.select(sql))
    return rows.map(([key = '', orderId = '', facts = '']) => {
      const row = valuesOf({ table: 'decisions', id: key, facts: JSON.parse(facts) as Facts })
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
    const orderId = await this.#engine.read(this.#book.orderOfKey(key))
    if (orderId === undefined) return undefined
    return this.#transact(orderId, () => this.#book.storeRecord(record, 'resolve')).then(() => this.get(orderId))
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

  get #tables() {
    return this.#engine.tables
  }

  get #settings() {
    return this.#client.operations.transport.settings
  }

  #now(): number {
    return this.#settings.runtime.wallTime()
  }

  async #execute(orderId: string, kind: DecisionKind, request: object, options: AllOptions): Promise<Order> {
    const { operations } = this.#client
    const body = checkCall(operations.transport as never, kind, { prefix: this.#prefix, orderId, request, options })
    const { transaction, reopen, resendFor, ...call } = options
    const { id } = request as { id?: string }
    const intent: Intent & { body: object; resendFor?: number | undefined } = { ...body, kind, id, body, resendFor }
    if (transaction !== undefined) {
      const decided = this.#engine.within(transaction, this.#book.decideWithin(orderId, intent, operations, reopen))
      return (this.#engine.isSynchronous ? (decided as Decided) : await decided).order
    }
    const deadline = new Deadline(call.totalTimeout ?? this.#settings.totalTimeout, call.signal, this.#settings.runtime)
    const { order, key } = await this.#transact(
      orderId,
      () => this.#book.decide(orderId, intent, operations, reopen),
      deadline,
    )
    if (key !== undefined)
      return this.#carryOut(order, kind, key, { ...call, totalTimeout: Math.max(1, deadline.remaining) })
    const isFetched = kind === 'pay' && order.payment !== undefined && !isFinal(order.payment.status)
    return isFetched ? this.#refetch(order, String(order.payment?.id), 'pay', call) : order
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
      return await this.#commit(order, kind, observePayment(payment, order.id))
    } catch (error) {
      const record = await operations.get(key).catch(() => undefined)
      if (record?.state === 'rejected') throw error
      const isRefused = this.#reportRefusal(error, kind)
      const errorId = isRefused ? (error as ApiError).errorId : undefined
      return record ? this.#commit(order, kind, observeRecord(record, order.id, errorId)) : this.#latest(order)
    }
  }

  /** Logs that the service rejected the credentials. Returns whether it did. */
  #reportRefusal(error: unknown, kind: string): boolean {
    const { httpStatus } = error as Partial<ApiError>
    const isRefused = httpStatus === 401 || httpStatus === 403
    if (isRefused)
      this.#report(error, `orders.${kind} stays open, because the service rejected the API key (${httpStatus})`)
    return isRefused
  }

  #report(error: unknown, message: string): void {
    this.#client.operations.report(error, message)
  }

  /** Fetches a payment again and stores it. Returns the order as it is stored if the payment cannot be read. */
  async #refetch(order: Order, paymentId: string, cause: ChangeCause, call: CallOptions): Promise<Order> {
    const payment = await this.#client.payments.get(paymentId, call).catch(() => undefined)
    return payment ? this.#commit(order, cause, observePayment(payment, order.id)) : this.#latest(order)
  }

  /** Stores what is known after a request. If `onChange` throws, stores the change for the next `recover`. */
  async #commit(order: Order, cause: ChangeCause, observations: readonly Observation[]): Promise<Order> {
    const located = { orderId: order.id, observations }
    try {
      await this.#transact(order.id, () => this.#book.store(located, cause))
      return await this.#latest(order)
    } catch (error) {
      this.#report(error, `onChange or the database failed for the order ${order.id}: recover calls onChange again`)
      await this.#transact(order.id, () => this.#book.store(located, cause, true)).catch(() => {})
      return order
    }
  }

  /** Returns the stored order. If the database is down, returns the order that was read before. */
  async #latest(order: Order): Promise<Order> {
    return (await this.get(order.id).catch(() => undefined)) ?? order
  }

  /** Runs work in a transaction of its own, while no other transaction changes the order. */
  async #transact<T>(orderId: string | undefined, work: () => Work<T>, deadline?: Deadline): Promise<T> {
    const waiting = deadline ?? new Deadline(lockWithinMs, undefined, this.#settings.runtime)
    try {
      await waiting.run(async () => {})
      return await this.#engine.transaction(work, orderId, () => waiting.sleep(lockRetryMs))
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      const facts: CallFacts = { ...emptyFacts, operation: 'orders', retry: 'same-key' }
      throw interrupted(error, 'queue', { method: 'POST', hasKey: true }).toError(facts)
    }
  }

  /** Returns the function that stores the result of an operation, in the transaction of the journal. */
  #storing(cause: ChangeCause): OnSettled {
    return (record, transaction, payment) =>
      this.#engine.within(transaction, this.#book.storeRecord(record, cause, payment))
  }
}

const lockWithinMs = 60_000

/** Ignores that a payment does not exist any more. */
function ignoreMissing(error: unknown): undefined {
  if ((error as Partial<ApiError>).httpStatus !== 404) throw error
}
