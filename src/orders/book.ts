import { toOrderKey } from '../core/helpers/order-keys.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { OperationIntent } from '../operations/intent.js'
import type { Operations } from '../operations/operations.js'
import type { OperationRecord } from '../operations/record.js'
import { query, type Steps } from '../stores/steps.js'
import { learn, type Observation, observeDecision, observePayment, observeRecord } from './facts.js'
import { type Intent, plan, toOrder } from './order.js'
import type { OrdersStore } from './store.js'
import type { Loaded, Source } from './tables.js'
import type { ChangeCause, Order, OrdersOptions } from './types.js'

/** A decision to store, for example to refund an order, with the request body of its operation. */
interface Request extends Intent {
  readonly body: object
  readonly resendFor?: number | undefined
}

interface Decided {
  readonly order: Order
  /** The key of the operation to execute. Absent if there is nothing to do. */
  readonly key?: string | undefined
}

/** Updates stored orders and calls `onChange`. The generators are the steps of transactions. */
export class Book {
  /** @param now Returns the milliseconds since 1970. */
  constructor(
    private readonly store: OrdersStore,
    private readonly prefix: string,
    private readonly onChange: OrdersOptions['onChange'],
    private readonly now: () => number,
  ) {}

  get hasHook(): boolean {
    return this.onChange !== undefined
  }

  /** Returns the name by which the journal locks an order. */
  resourceOf(orderId: string): string {
    return `order:${this.prefix}${orderId}`
  }

  /** Stores a new decision and plans its operation, unless an earlier call made the same decision. */
  *decide(orderId: string, request: Request, operations: Operations, reopen = false): Steps<Decided> {
    yield* this.store.database.lock(this.resourceOf(orderId))
    const loaded = yield* this.store.tables.load({ orderId })
    const { order } = loaded
    const next = plan(request, order, reopen)
    if (next === undefined || 'key' in next) return { order: order as Order, key: next?.key }
    const { kind, id, body, resendFor } = request
    const decision = { kind, orderId, id, number: next.number }
    const key = toOrderKey(this.prefix, decision)
    const operation =
      kind === 'pay'
        ? { operation: 'payments.create', ...(resendFor !== undefined && { resendFor }) }
        : { operation: `payments.${kind}`, id: order?.payment?.id, intention: key.replace(/\d+$/, '') }
    const intent = { key, body, ...operation } as OperationIntent
    const { isSynchronous } = this.store.database
    yield (transaction) =>
      isSynchronous ? operations.planSync(transaction, intent) : operations.plan(transaction, intent)
    const changed = yield* this.change(orderId, loaded, [observeDecision(key, decision, request)], 'planned')
    return { order: changed.order as Order, key }
  }

  /**
   * Adds observations to a stored order. If they change the order, calls `onChange` and returns true.
   *
   * @param source `orderId` has no key prefix. Absent for a dispute whose order is not known yet.
   * @param isUnseen Whether the next `recover` calls `onChange` instead.
   */
  *apply(source: Source, observations: readonly Observation[], cause: ChangeCause, isUnseen = false): Steps<boolean> {
    const loaded = yield* this.store.tables.load(source)
    // Ignores operations in the journal that do not belong to a stored decision.
    const known = observations.filter(({ table, id }) => table !== 'decisions' || loaded.known.decisions.has(id))
    return (yield* this.change(source.orderId, loaded, known, cause, isUnseen)).hasChanged
  }

  /** Stores the result of an operation in the journal's transaction. */
  *applyRecord(record: OperationRecord, cause: ChangeCause, payment?: PaymentCore): Steps<void> {
    const { key, paymentId = record.id } = record
    const orderId = yield* this.find({ key, paymentId, orderId: (Object(record.body) as PaymentCore).orderId })
    if (orderId === undefined) return
    yield* this.store.database.tryLock(this.resourceOf(orderId))
    const observed = payment ? observePayment(payment) : []
    yield* this.apply({ orderId, paymentId }, [...observeRecord(record), ...observed], cause)
  }

  /** Stores an event, and then calls `notify`. Ignores the events of other shops. */
  *applyEvent(
    source: Source,
    observations: readonly Observation[],
    notify: (transaction: unknown) => unknown,
  ): Steps<void> {
    const orderId = yield* this.find(source)
    // A dispute without an order ID may arrive before its payment.
    const isUnknownDispute = observations[0]?.table === 'disputes' && source.orderId === undefined
    if (orderId === undefined && !isUnknownDispute) return
    if (orderId !== undefined) yield* this.store.database.tryLock(this.resourceOf(orderId))
    yield* this.apply({ ...source, orderId }, observations, 'webhook')
    yield notify
  }

  /** Calls `onChange` for changes that were stored without calling it. Returns whether there were any. */
  *handOver(orderId: string): Steps<boolean> {
    const { order, unseenCause: cause } = yield* this.store.tables.load({ orderId })
    if (order === undefined || cause === undefined) return false
    yield* this.store.tables.saveOrder(order, this.now())
    yield* callOnChange(this.onChange, order, cause)
    return true
  }

  /**
   * Returns an order's ID without the key prefix. Searches the tables only if `orderId` is absent. Returns undefined if
   * they contain no such order, or if the prefix is another shop's.
   */
  *find({ orderId, ...source }: Source): Steps<string | undefined> {
    if (orderId === undefined) return yield* this.store.tables.find(source)
    return orderId.startsWith(this.prefix) ? orderId.slice(this.prefix.length) || undefined : undefined
  }

  /** Adds observations to a loaded order. Calls `onChange` if they change the order. */
  *change(
    orderId: string | undefined,
    { known, order: before, unseenCause }: Loaded,
    observations: readonly Observation[],
    cause: ChangeCause,
    isUnseen = false,
  ) {
    const onChange = isUnseen ? undefined : this.onChange
    yield* this.store.tables.saveAll(learn(known, observations, orderId))
    const order = orderId === undefined ? undefined : toOrder(orderId, known)
    const hasChanged = JSON.stringify(order) !== JSON.stringify(before)
    if (order && hasChanged) {
      yield* this.store.tables.saveOrder(order, this.now(), onChange ? undefined : (unseenCause ?? cause))
      yield* callOnChange(onChange, order, cause)
    }
    return { order, hasChanged }
  }
}

/**
 * Calls `onChange`, and then runs a statement. In PostgreSQL, the statement fails if `onChange` caught the error of a
 * statement. Most libraries would not report that COMMIT then rolls back.
 */
function* callOnChange(onChange: OrdersOptions['onChange'], order: Order, cause: ChangeCause): Steps<void> {
  if (onChange === undefined) return
  yield (transaction) => onChange(order, { transaction, cause })
  yield* query('SELECT 1')
}
