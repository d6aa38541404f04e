import type { PaymentsClient } from '../client.js'
import type { PaymentsError } from '../core/errors.js'
import { parseOrderKey, toOrderKey } from '../core/helpers/order-keys.js'
import { isFinal } from '../core/helpers/payment-facts.js'
import type { RequestOptions } from '../core/options.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { OperationRecord } from '../operations/record.js'
import { createHandler } from '../webhooks/handler.js'
import { type Intent, plan } from './decide.js'
import type { Engine } from './engine.js'
import { OrderError } from './errors.js'
import { isFailed, microseconds, type Observation, observeDispute, observePayment, observeRefund } from './facts.js'
import type {
  CancelRequest,
  CaptureRequest,
  ChangeCause,
  DecideOptions,
  OrderFilter,
  OrdersOptions,
  PayOptions,
  PayRequest,
  RefundRequest,
  Resolution,
  WebhookOptions,
} from './options.js'
import { type Decision, isOpen, type Order, toOrder } from './order.js'
import { type OrderTables, orderColumns } from './tables.js'
import { query, type Work, withTransaction } from './work.js'

const dayMs = 24 * 60 * 60 * 1000
const overlapMs = 5 * 60 * 1000

/** The orders of a shop, with their payments, captures, refunds and disputes. `createOrders` creates them. */
export class Orders<Transaction = unknown> {
  readonly #client: PaymentsClient
  readonly #engine: Engine
  readonly #tables: OrderTables
  readonly #prefix: string
  readonly #onChange: OrdersOptions<Transaction>['onChange']

  /** @internal */
  constructor(options: OrdersOptions<Transaction>, engine: Engine, tables: OrderTables) {
    this.#client = options.client.withOptions({ journal: engine.journal })
    this.#engine = engine
    this.#tables = tables
    this.#prefix = options.keyPrefix ?? ''
    this.#onChange = options.onChange
  }

  /**
   * Pays for an order at most once. Repeat the call as often as you like, also with another card: a new attempt starts
   * only after all others have definitely failed.
   */
  async pay(orderId: string, request: PayRequest, options: PayOptions = {}): Promise<Order> {
    const order = await this.#execute(orderId, 'pay', request, options)
    const { payment } = order
    const isKnown = payment === undefined || isFinal(payment.status)
    return isKnown ? order : this.#refetch(orderId, payment.id, 'pay', options)
  }

  /** Continues a payment after the customer's action, such as 3-D Secure. Safe to repeat. */
  async resume(orderId: string, body: { resumeToken: string }, options: RequestOptions = {}): Promise<Order> {
    const order = await this.get(orderId)
    const { payment } = order ?? {}
    const problem = order === undefined ? 'unknown_order' : 'no_payment'
    if (payment === undefined || isFailed(payment.status)) throw new OrderError(problem, orderId, 'orders.resume')
    try {
      const resumed = await this.#client.payments.resume(payment.id, body, options)
      return await this.#store(orderId, 'resume', observePayment(resumed, orderId))
    } catch (error) {
      // The service takes no key for `resume`, so only the payment shows whether the call took effect.
      const latest = await this.#refetch(orderId, payment.id, 'resume', options)
      if (latest.state === 'action_required' && (error as PaymentsError).retry === 'new-key') throw error
      return latest
    }
  }

  /** Captures all or part of the authorized amount. */
  capture(orderId: string, request: CaptureRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#execute(orderId, 'capture', request, options)
  }

  /** Refunds all or part of the captured amount. */
  refund(orderId: string, request: RefundRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#execute(orderId, 'refund', request, options)
  }

  /** Cancels the payment of an order. */
  cancel(orderId: string, request: CancelRequest = {}, options: DecideOptions<Transaction> = {}): Promise<Order> {
    return this.#execute(orderId, 'cancel', request, options)
  }

  /** Returns an order from the tables, or undefined if they do not contain it. */
  get(orderId: string): Promise<Order | undefined> {
    return this.#engine.transaction(() => this.#load(orderId))
  }

  /** Returns orders from the tables, in the order of their latest change. */
  list(filter: OrderFilter = {}): Promise<{ data: Order[]; nextCursor?: string }> {
    return this.#engine.transaction(() => this.#list(filter))
  }

  /**
   * Returns a webhook handler, which verifies each delivery, stores its event once, and then calls your function in the
   * same transaction. Deliveries about orders with another key prefix are ignored.
   */
  webhooks({ secret, on = {}, onError }: WebhookOptions<Transaction>): WebhookHandler {
    const storing =
      <E extends KnownEvent>(observe: (event: E) => Work<Located | undefined>, listener: Listener<E, Transaction>) =>
      (event: E, context: WebhookContext) => {
        const work = () => this.#storeEvent(observe(event), (transaction) => listener?.(event, { ...context, transaction }))
        return context.transaction === undefined
          ? this.#engine.transaction(work)
          : this.#engine.within(context.transaction, work)
      }
    return createHandler({
      secret,
      ...(onError && { onError }),
      deduplicate: this.#engine.webhookStore,
      on: {
        'PAYMENT.STATUS': storing(({ payment }) => this.#locatePayment(payment), on['PAYMENT.STATUS']),
        'PAYMENT.REFUND': storing(({ payment }) => this.#locatePayment(payment), on['PAYMENT.REFUND']),
        'DISPUTE.STATUS': storing((dispute) => this.#locateDispute(dispute), on['DISPUTE.STATUS']),
      },
    })
  }

  /** Finishes interrupted operations, and hands over the changes that `onChange` has not received. */
  async recover({ limit = 1000, signal }: RecoverOptions = {}): Promise<RecoverReport> {
    const onSettled = this.#settling('recover')
    const report = await this.#client.operations.recover({ limit, onSettled, ...(signal && { signal }) })
    if (this.#onChange === undefined) return report
    const unseen = await this.#engine.transaction(() =>
      this.#tables.select('orders', `unseencause IS NOT NULL ORDER BY changedat LIMIT ${limit}`),
    )
    let handedOver = 0
    for (const { id } of unseen) {
      const handOver = () => this.#handOver(String(id))
      handedOver += Number(await this.#engine.transaction(handOver, String(id)).catch(() => false))
    }
    return { ...report, finished: report.finished + handedOver, open: report.open + unseen.length - handedOver }
  }

  /** Stores the newer states of payments whose webhooks were lost. `from` is for a restored backup. */
  async sync({ from, signal }: { from?: Date; signal?: AbortSignal } = {}): Promise<{ checked: number; changed: number }> {
    const options = signal ? { signal } : {}
    const [mark] = await this.#engine.transaction(() => this.#tables.select('watermarks', `name = ${text(1)}`, 'sync'))
    const since = from ?? new Date(mark ? Number(mark['value']) - overlapMs : Date.now() - dayMs)
    const list = this.#client.payments.list({ fromDate: since }, options)
    const { response } = await list.withResponse()
    const serviceTime = Date.parse(response.headers.get('date') ?? '') || Date.now()
    const changed = new Map<string, boolean>()
    const check = async (payment: PaymentCore) => {
      const work = () => this.#storeEvent(this.#locatePayment(payment), () => {}, 'sync')
      const hasChanged = await this.#engine.transaction(work)
      if (hasChanged !== undefined) changed.set(payment.id, hasChanged || changed.get(payment.id) === true)
    }
    for await (const payment of list) await check(payment)
    const recent = from?.getTime() ?? Date.now() - dayMs
    for (const { id } of await this.#engine.transaction(() => this.#tables.select('payments', this.#unsettled(), recent))) {
      const payment = await this.#client.payments.get(String(id), options).catch(ignoreRejection)
      if (payment) await check(payment)
    }
    await this.#engine.transaction(() => this.#tables.save('watermarks', { name: 'sync', value: String(serviceTime) }))
    return { checked: changed.size, changed: [...changed.values()].filter(Boolean).length }
  }

  /** Returns the decisions that need a person's answer. */
  review(): Promise<(Decision & { orderId: string })[]> {
    const needsReview = "state = 'needs_review' ORDER BY orderid, key"
    return this.#engine.transaction(() => this.#tables.select('decisions', needsReview)) as Promise<never>
  }

  /** Stores a person's answer to a decision that needs a review. */
  async resolve(key: string, answer: Resolution): Promise<void> {
    await this.#client.operations.resolve(key, answer)
    // The result is handed over like that of any other operation. It may be an error, such as `not_executed`.
    await this.#client.operations.run(key, { onSettled: this.#settling('resolve') }).catch(() => {})
  }

  /** Creates or upgrades the tables of the orders, the journal and the webhook store. */
  async migrate(): Promise<void> {
    await this.#engine.migrate(this.#tables.migrations())
    await this.#engine.journal.migrate()
    await this.#engine.webhookStore.migrate()
  }

  /** Deletes expired deliveries and request bodies. Keeps all orders, payments and decisions. */
  async prune(): Promise<number> {
    return (await this.#engine.journal.prune()) + (await this.#engine.webhookStore.prune())
  }

  async #execute(orderId: string, kind: DecisionKind, request: Request, options: Options<Transaction>): Promise<Order> {
    const { transaction, reopen, resendFor, ...call } = options
    const decide = () => this.#decide(orderId, { ...request, kind }, { reopen, resendFor })
    if (transaction !== undefined) return (await this.#engine.within(transaction, decide, orderId)).order
    const { order, key } = await this.#engine.transaction(decide, orderId)
    return key === undefined ? order : this.#carryOut(orderId, kind, key, call)
  }

  /** Stores a new decision and plans its operation, unless an earlier call has already decided the same. */
  *#decide(orderId: string, request: Request & Intent, { reopen, resendFor }: PayOptions): Work<Decided> {
    const order = yield* this.#load(orderId)
    const { kind, id, ...body } = request
    const next = plan(request, orderId, order, reopen)
    if (next.do !== 'start') return { order: order as Order, ...(next.do === 'continue' && { key: next.key }) }
    const number = 1 + (order?.decisions ?? []).filter((other) => other.kind === kind && other.id === id).length
    const key = toOrderKey(this.#prefix, { kind, orderId, id, number })
    const intent =
      kind === 'pay'
        ? { operation: 'payments.create', body: { ...body, orderId: this.#prefix + orderId }, resendFor }
        : { operation: `payments.${kind}`, id: order?.payment?.id, body }
    yield* withTransaction((transaction) => this.#engine.plan(this.#client, transaction, { key, ...intent }))
    yield* this.#tables.save('decisions', { key, orderId, kind, id, number, amount: request.amount, state: 'planned' })
    if (kind === 'pay') {
      const attempt = { attemptAmount: request.amount, attemptCurrency: request.currencyCode }
      yield* this.#tables.save('orders', { id: orderId, ...attempt })
    }
    yield* this.#publish(orderId, 'planned', order)
    return { order: (yield* this.#load(orderId)) as Order, key }
  }

  /** Executes an operation. Throws only if nothing can come of it. */
  async #carryOut(orderId: string, kind: DecisionKind, key: string, call: RequestOptions): Promise<Order> {
    const { operations } = this.#client
    try {
      const { payment } = await operations.run(key, { onSettled: this.#settling(kind), ...call })
      return await this.#store(orderId, kind, observePayment(payment, orderId))
    } catch (error) {
      const record = await operations.get(key)
      if (record?.state === 'rejected' || record === undefined) throw error
      const { errorId } = error as Partial<ApiError>
      const change = this.#tables.save('decisions', { key, state: record.state, ...(errorId && { errorId }) })
      return this.#commit(orderId, kind, () => change)
    }
  }

  /** Fetches a payment again and stores it. Returns the order as it is stored if the payment cannot be read. */
  async #refetch(orderId: string, paymentId: string, cause: ChangeCause, call: RequestOptions): Promise<Order> {
    const payment = await this.#client.payments.get(paymentId, call).catch(() => undefined)
    return this.#store(orderId, cause, payment ? observePayment(payment, orderId) : [])
  }

  #store(orderId: string, cause: ChangeCause, observations: readonly Observation[]): Promise<Order> {
    return this.#commit(orderId, cause, () => this.#tables.observe(observations))
  }

  /**
   * Changes an order in a transaction of its own. If `onChange` throws, the order stays as it was before: the journal
   * hands the result over again.
   */
  async #commit(orderId: string, cause: ChangeCause, change: () => Work<void>): Promise<Order> {
    await this.#engine.transaction(() => this.#change(orderId, cause, change()), orderId).catch(() => {})
    return (await this.get(orderId)) as Order
  }

  /** Returns the function that stores the result of an operation, in the transaction of the journal. */
  #settling(cause: ChangeCause) {
    return (record: OperationRecord, transaction: unknown) =>
      this.#engine.within(transaction, () => this.#storeRecord(record, cause))
  }

  *#storeRecord(record: OperationRecord, cause: ChangeCause): Work<void> {
    const { key, operation, state, paymentId: id, transactionId, status, dateUpdated, errorId, reason, body } = record
    const [decision] = yield* this.#tables.select('decisions', `key = ${text(1)}`, key)
    if (decision === undefined) return
    const orderId = String(decision['orderId'])
    const isRefund = operation === 'payments.refund'
    const row = { key, state, paymentId: id, transactionId, errorId, reason, ...(isRefund && { status }) }
    const { amount, currencyCode } = Object(body) as Partial<PaymentCore>
    const created = operation === 'payments.create' ? { amount, currencyCode } : {}
    const processor = { amountCaptured: record.amountCapturedAfter }
    const observations =
      id === undefined
        ? []
        : isRefund
          ? observeRecordedRefund(record, decision['amount'])
          : observePayment({ ...created, id, status, dateUpdated, processor }, orderId)
    yield* this.#engine.lock(orderId)
    yield* this.#change(orderId, cause, this.#saveAll(row, observations))
  }

  *#saveAll(decision: Row, observations: readonly Observation[]): Work<void> {
    yield* this.#tables.save('decisions', decision)
    yield* this.#tables.observe(observations)
  }

  /** Stores an event or a payment of the list. Resolves to whether an order changed, or undefined for another shop. */
  *#storeEvent(located: Located | undefined, notify: (transaction: Transaction) => unknown, cause: ChangeCause): Work<boolean | undefined> {
    if (located === undefined) return undefined
    const { orderId, observations } = located
    if (orderId !== undefined) yield* this.#engine.lock(orderId)
    const store = this.#tables.observe(observations)
    const hasChanged = orderId === undefined ? (yield* store, true) : yield* this.#change(orderId, cause, store)
    yield* withTransaction((transaction) => notify(transaction as Transaction))
    return hasChanged
  }

  /** Changes an order, and calls `onChange` if the order is different afterwards. Returns whether it is. */
  *#change(orderId: string, cause: ChangeCause, change: Work<void>): Work<boolean> {
    const before = yield* this.#load(orderId)
    yield* change
    return yield* this.#publish(orderId, cause, before)
  }

  *#publish(orderId: string, cause: ChangeCause, before: Order | undefined): Work<boolean> {
    const after = yield* this.#load(orderId)
    if (after === undefined || JSON.stringify(after) === JSON.stringify(before)) return false
    const [row] = yield* this.#tables.select('orders', `id = ${text(1)}`, orderId)
    const unseenCause = this.#onChange ? undefined : (row?.['unseenCause'] ?? cause)
    yield* this.#tables.save('orders', { ...orderColumns(after), changedAt: Date.now(), unseenCause })
    yield* withTransaction((transaction) => this.#onChange?.(after, { transaction: transaction as Transaction, cause }))
    return true
  }

  /** Calls `onChange` for changes that were stored by a process without `onChange`. */
  *#handOver(orderId: string): Work<boolean> {
    const [row] = yield* this.#tables.select('orders', `id = ${text(1)}`, orderId)
    const order = yield* this.#load(orderId)
    const cause = row?.['unseenCause'] as ChangeCause | undefined
    if (order === undefined || cause === undefined) return false
    yield* this.#tables.save('orders', { id: orderId, unseenCause: null })
    yield* withTransaction((transaction) => this.#onChange?.(order, { transaction: transaction as Transaction, cause }))
    return true
  }

  *#list({ state, updatedSince, limit = 100, cursor = '' }: OrderFilter): Work<{ data: Order[]; nextCursor?: string }> {
    const [time = '-1', ...id] = cursor.split(' ')
    const position = `(changedat > ${number(2)} OR (changedat = ${number(2)} AND id > ${text(3)}))`
    const conditions = `${position} AND changedat >= ${number(4)} AND (${text(1)} IS NULL OR state = ${text(1)})`
    const rows = yield* this.#tables.select(
      'orders',
      `${conditions} ORDER BY changedat, id LIMIT ${limit + 1}`,
      state ?? null,
      Number(time),
      id.join(' '),
      updatedSince?.getTime() ?? 0,
    )
    const data: Order[] = []
    for (const row of rows.slice(0, limit)) data.push((yield* this.#load(String(row['id']))) as Order)
    const last = rows[limit - 1]
    return { data, ...(rows.length > limit && { nextCursor: `${last?.['changedAt']} ${last?.['id']}` }) }
  }

  *#load(orderId: string): Work<Order | undefined> {
    const known = yield* this.#tables.load(orderId)
    return known && toOrder(known)
  }

  /** Finds the order of a payment. Returns undefined if the payment belongs to another shop. */
  *#locatePayment(payment: PaymentCore): Work<Located | undefined> {
    const orderId = payment.orderId === undefined ? yield* this.#orderOf(payment.id) : this.#ownId(payment.orderId)
    return orderId === undefined ? undefined : { orderId, observations: observePayment(payment, orderId) }
  }

  *#locateDispute(dispute: DisputeStatusEvent): Work<Located | undefined> {
    if (dispute.orderId !== undefined && this.#ownId(dispute.orderId) === undefined) return undefined
    const orderId = dispute.orderId === undefined ? yield* this.#orderOf(dispute.paymentId) : this.#ownId(dispute.orderId)
    return { orderId, observations: [observeDispute(dispute, orderId)] }
  }

  *#orderOf(paymentId: string | undefined): Work<string | undefined> {
    const [row] = yield* this.#tables.select('payments', `id = ${text(1)}`, paymentId ?? null)
    return row?.['orderId'] as string | undefined
  }

  #ownId(orderId: string): string | undefined {
    return orderId.startsWith(this.#prefix) ? orderId.slice(this.#prefix.length) : undefined
  }
}
