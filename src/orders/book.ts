import { toOrderKey } from '../core/helpers/order-keys.js'
import type { DisputeStatusEvent } from '../core/schemas/event.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { OperationIntent } from '../operations/intent.js'
import type { Operations } from '../operations/operations.js'
import type { OperationRecord } from '../operations/record.js'
import type { Engine } from './engines.js'
import { learn, type Observation, observeDecision, observeDispute, observePayment, observeRecord } from './facts.js'
import { type Intent, plan, toOrder } from './order.js'
import { type Loaded, parameter, type Work } from './tables.js'
import type { ChangeCause, Order, OrdersOptions } from './types.js'

/** Where to store an event: absent if it belongs to another shop. */
export interface Located {
  readonly orderId: string | undefined
  readonly observations: readonly Observation[]
  /** Identify a dispute whose event has no order ID. */
  readonly paymentId?: string | undefined
  readonly disputeId?: string | undefined
}

export interface Decided {
  readonly order: Order
  /** The key of the operation to execute. */
  readonly key?: string | undefined
}

/** Stores what is known about orders, and calls `onChange`. Each method is a piece of a transaction. */
export class Book {
  readonly #engine: Engine
  readonly #prefix: string
  readonly #onChange: OrdersOptions['onChange']
  readonly #now: () => number

  /** @param now Returns the milliseconds since 1970. */
  constructor(engine: Engine, prefix: string, onChange: OrdersOptions['onChange'], now: () => number) {
    this.#engine = engine
    this.#prefix = prefix
    this.#onChange = onChange
    this.#now = now
  }

  get #tables() {
    return this.#engine.tables
  }

  /** Does the same as `decide` in the caller's transaction. */
  *decideWithin(...args: Parameters<Book['decide']>): Work<Decided> {
    yield* this.#engine.lock(args[0])
    return yield* this.decide(...args)
  }

  /** Stores a new decision and plans its operation, unless an earlier call has already decided the same. */
  *decide(
    orderId: string,
    { body, resendFor, ...intent }: Intent & { readonly body: object; readonly resendFor?: number | undefined },
    operations: Operations,
    reopen = false,
  ): Work<Decided> {
    const loaded = yield* this.#tables.load(orderId)
    const { order } = loaded
    const next = plan(intent, order, reopen)
    if (next === undefined || 'key' in next) return { order: order as Order, key: next?.key }
    const { kind } = intent
    const parts = { kind, orderId, id: intent.id, number: next.number }
    const key = toOrderKey(this.#prefix, parts)
    const operation =
      kind === 'pay'
        ? { operation: 'payments.create', ...(resendFor !== undefined && { resendFor }) }
        : { operation: `payments.${kind}`, id: order?.payment?.id }
    yield this.#engine.plan(operations, { key, body, ...operation } as OperationIntent)
    const changed = yield* this.change(orderId, loaded, [observeDecision(key, parts, intent)], 'planned')
    return { order: changed.order as Order, key }
  }

  *storeRecord(record: OperationRecord, cause: ChangeCause, payment?: PaymentCore): Work<void> {
    const decided = yield* this.orderOfKey(record.key)
    // The journal may contain operations that were not decided here. Their payments are stored like those of webhooks.
    const orderId = decided === undefined ? yield* this.locateRecord(record) : decided
    if (orderId === undefined) return
    yield* this.#engine.lock(orderId)
    const observed = payment && record.state === 'succeeded' ? observePayment(payment, orderId) : []
    const observations = [...observeRecord(record, orderId), ...observed]
    const isKnown = ({ table }: Observation) => decided !== undefined || table !== 'decisions'
    yield* this.store({ orderId, observations: observations.filter(isKnown) }, cause)
  }

  *locateRecord({ body, paymentId, id }: OperationRecord): Work<string | undefined> {
    const { orderId } = Object(body) as PaymentCore
    return orderId === undefined ? yield* this.orderOf(paymentId ?? id) : this.ownId(orderId)
  }

  *orderOfKey(key: string): Work<string | undefined> {
    const sql = `SELECT order_id FROM ${this.#tables.name('decisions')} WHERE key = ${parameter(1)}`
    const [[orderId] = []] = yield* this.#tables.select(sql, key)
    return orderId
  }

  /** Stores an event, unless it belongs to another shop. */
  *receive(locating: Work<Located | undefined>, notify: (transaction: unknown) => unknown): Work<void> {
    const located = yield* locating
    if (located === undefined) return
    if (located.orderId !== undefined) yield* this.#engine.lock(located.orderId)
    yield* this.store(located, 'webhook')
    yield notify
  }

  /** Stores observations. Returns whether the order changed. If `isUnseen`, the next `recover` calls `onChange`. */
  *store(located: Located, cause: ChangeCause, isUnseen = false): Work<boolean> {
    const { orderId, observations, paymentId, disputeId } = located
    const loaded = yield* this.#tables.load(orderId, paymentId ?? observations[0]?.id, disputeId)
    return (yield* this.change(orderId, loaded, observations, cause, isUnseen)).hasChanged
  }

  /** Adds observations to a loaded order, and calls `onChange` if the order is different afterwards. */
  *change(
    orderId: string | undefined,
    { known, order: before, unseenCause }: Loaded,
    observations: readonly Observation[],
    cause: ChangeCause,
    isUnseen = false,
  ) {
    const onChange = isUnseen ? undefined : this.#onChange
    yield* this.#tables.saveAll(learn(known, observations, orderId))
    const order = orderId === undefined ? undefined : toOrder(orderId, known)
    const hasChanged = JSON.stringify(order) !== JSON.stringify(before)
    if (order && hasChanged) {
      yield* this.#tables.saveOrder(order, this.#now(), onChange ? undefined : (unseenCause ?? cause))
      yield (transaction: unknown) => onChange?.(order, { transaction, cause })
    }
    return { order, hasChanged }
  }

  /** Calls `onChange` for changes that were stored by a process without `onChange`. */
  *handOver(orderId: string): Work<boolean> {
    const { order, unseenCause: cause } = yield* this.#tables.load(orderId)
    if (order === undefined || cause === undefined) return false
    yield* this.#tables.saveOrder(order, this.#now())
    yield (transaction: unknown) => this.#onChange?.(order, { transaction, cause })
    return true
  }

  /** Finds the order of a payment. Returns undefined if the payment belongs to another shop. */
  *locatePayment(payment: PaymentCore): Work<Located | undefined> {
    const orderId = payment.orderId === undefined ? yield* this.orderOf(payment.id) : this.ownId(payment.orderId)
    return orderId === undefined ? undefined : { orderId, observations: observePayment(payment, orderId) }
  }

  *locateDispute(dispute: DisputeStatusEvent): Work<Located | undefined> {
    const { orderId: given, paymentId, processorDisputeId: disputeId } = dispute
    if (given !== undefined && this.ownId(given) === undefined) return undefined
    const orderId = given === undefined ? yield* this.orderOf(paymentId, disputeId) : this.ownId(given)
    return { orderId, observations: [observeDispute(dispute, orderId)], paymentId, disputeId }
  }

  *orderOf(paymentId: string | undefined, disputeId?: string): Work<string | undefined> {
    const [payments, disputes] = [this.#tables.name('payments'), this.#tables.name('disputes')]
    const sql = `SELECT order_id FROM ${payments} WHERE id = ${parameter(1)}
      UNION ALL SELECT order_id FROM ${disputes} WHERE order_id IS NOT NULL
        AND (payment_id = ${parameter(1)} OR dispute_id = ${parameter(2)})`
    const [[orderId] = []] = yield* this.#tables.select(sql, paymentId ?? null, disputeId ?? null)
    return orderId
  }

  ownId(orderId: string): string | undefined {
    return orderId.startsWith(this.#prefix) ? orderId.slice(this.#prefix.length) || undefined : undefined
  }
}
