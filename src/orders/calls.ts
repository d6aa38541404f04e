import { type ApiError, type CallFacts, PaymentsError } from '../core/errors.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import { isFinal } from '../core/helpers/payment-facts.js'
import { Deadline, Interrupted } from '../core/internal/deadline.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { interrupted } from '../core/transport/failure.js'
import { databaseFailed } from '../operations/errors.js'
import { emptyFacts, type OnSettled } from '../operations/operations.js'
import type { Steps } from '../stores/steps.js'
import { checkCall } from './arguments.js'
import type { Book } from './book.js'
import { OrderError } from './errors.js'
import { type Observation, observePayment, observeRecord } from './facts.js'
import type { OrdersStore } from './store.js'
import type { CallOptions, ChangeCause, DecideOptions, Order, OrdersOptions, PayOptions } from './types.js'

/** The longest time to wait for the lock of an order, in milliseconds. */
const lockWithinMs = 60_000

/** Sends requests for orders to the service and stores the results. */
export class Calls {
  constructor(
    private readonly client: OrdersOptions['client'],
    private readonly store: OrdersStore,
    private readonly book: Book,
    private readonly prefix: string,
  ) {}

  /** Decides whether a call is new, and then executes its operation, fetches the payment, or does nothing. */
  async execute(
    orderId: string,
    kind: DecisionKind,
    request: object,
    options: PayOptions & DecideOptions,
  ): Promise<Order> {
    const { operations } = this.client
    const { settings } = operations.transport
    const { id } = request as { id?: string }
    const body = checkCall(operations.transport as never, kind, { prefix: this.prefix, orderId, request, options })
    const { transaction, reopen, resendFor, ...call } = options
    const decide = () => this.book.decide(orderId, { ...body, kind, id, body, resendFor }, operations, reopen)
    // With SQLite, `runWithin` stores the decision synchronously, before this call returns its promise.
    if (transaction !== undefined) {
      return (await wrappingDatabaseErrors(decide, (steps) => this.store.database.runWithin(transaction, steps())))
        .order
    }

    const deadline = new Deadline(call.totalTimeout ?? settings.totalTimeout, call.signal, settings.runtime)
    const limited = () => ({ ...call, totalTimeout: Math.max(1, deadline.remaining) })
    const { order, key } = await this.transact(orderId, decide, deadline).catch(async (error) => {
      // Re-fetches the payment and tries again, because the stored amounts may be out of date, for example after a
      // failed refund.
      const isOutdated = error instanceof OrderError && ['exceeds', 'no_payment'].includes(error.reason)
      const stored = isOutdated && (await this.read(this.store.tables.load({ orderId }))).order
      if (!stored || stored.payment === undefined) throw error
      await this.refetch(stored, stored.payment.id, kind, limited())
      return this.transact(orderId, decide, deadline)
    })
    if (key !== undefined) return this.#carryOut(order, kind, key, limited())
    const mayChange = kind === 'pay' && order.payment !== undefined && !isFinal(order.payment.status)
    return mayChange ? this.refetch(order, String(order.payment?.id), kind, limited()) : order
  }

  /** Executes an operation. Throws only if the service rejected it, or if it belongs to another service. */
  async #carryOut(order: Order, kind: DecisionKind, key: string, call: CallOptions): Promise<Order> {
    const { operations } = this.client
    let stored: { readonly payment: PaymentCore | undefined } | undefined
    const store = this.storing(kind)
    const onSettled: OnSettled = (record, transaction, payment) => {
      stored = { payment }
      return store(record, transaction, payment)
    }
    try {
      const { payment } = await operations.run(key, { ...call, onSettled })
      // `onSettled` already received this payment. If `onChange` threw, `recover` calls `onChange` again.
      if (stored?.payment === payment) return await this.#latest(order)
      return await this.commit(order, observePayment(payment), kind)
    } catch (error) {
      const record = await operations.get(key).catch(() => undefined)
      if (record?.state === 'rejected' || isFromOtherService(error)) throw error
      const errorId = this.reportRejection(error, kind)
      return record ? this.commit(order, observeRecord(record, errorId), kind) : this.#latest(order)
    }
  }

  /** Re-fetches a payment and stores its state. Returns the stored order if the payment cannot be read. */
  async refetch(order: Order, paymentId: string, cause: ChangeCause, call: CallOptions): Promise<Order> {
    const payment = await this.client.payments.get(paymentId, call).catch(() => undefined)
    return payment ? this.commit(order, observePayment(payment), cause) : this.#latest(order)
  }

  /** Stores the observations after a request. If `onChange` throws, the next `recover` calls it again. */
  async commit(order: Order, observations: readonly Observation[], cause: ChangeCause): Promise<Order> {
    const source = { orderId: order.id, paymentId: observations[0]?.id }
    const store = (isUnseen: boolean) =>
      this.transact(order.id, () => this.book.apply(source, observations, cause, isUnseen))
    try {
      await store(false)
      return await this.#latest(order)
    } catch (error) {
      const isStored = await store(true).then(
        () => true,
        () => false,
      )
      const consequence = isStored ? 'recover calls onChange again' : 'sync or a webhook stores the change later'
      this.report(error, `onChange or the database failed for the order ${order.id}: ${consequence}`)
      return order
    }
  }

  /** Returns the stored order. If the database is down, returns the given order. */
  async #latest(order: Order): Promise<Order> {
    const loaded = await this.read(this.store.tables.load({ orderId: order.id })).catch(() => undefined)
    return loaded?.order ?? order
  }

  /** Performs steps outside a transaction. */
  read<T>(steps: Steps<T>): Promise<T> {
    return wrappingDatabaseErrors(
      () => steps,
      (given) => this.store.database.run(given()),
    )
  }

  /** Performs steps in a new transaction that locks the order. */
  async transact<T>(
    orderId: string | undefined,
    work: () => Steps<T>,
    deadline = new Deadline(lockWithinMs, undefined, this.client.operations.transport.settings.runtime),
  ): Promise<T> {
    const resource = orderId && this.book.resourceOf(orderId)
    try {
      // Rejects if the time limit has passed or the signal has aborted. SQLite ignores the deadline below.
      await deadline.run(async () => {})
      const { database } = this.store
      return await wrappingDatabaseErrors(work, (steps) =>
        database.transaction(resource, steps, this.book.hasHook, deadline),
      )
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      const facts: CallFacts = { ...emptyFacts, operation: 'orders', retry: 'same-key' }
      throw interrupted(error, 'queue', { method: 'POST', hasKey: true }).toError(facts)
    }
  }

  /** Returns a function that stores the result of an operation in the journal's transaction. */
  storing(cause: ChangeCause): OnSettled {
    return (record, transaction, payment) =>
      this.store.database.run(this.book.applyRecord(record, cause, payment), transaction)
  }

  /** If the service rejected the API key, logs the error and returns the service's error ID. */
  reportRejection(error: unknown, kind: string): string | undefined {
    const { httpStatus, errorId } = error as Partial<ApiError>
    if (httpStatus !== 401 && httpStatus !== 403) return undefined
    this.report(error, `orders.${kind} has no result, because the service rejected the API key (${httpStatus})`)
    return errorId
  }

  report(error: unknown, message: string): void {
    this.client.operations.report(error, message)
  }
}

/** Returns whether the journal rejected an operation because it belongs to another base URL. */
function isFromOtherService(error: unknown): boolean {
  const { code, retry } = error as PaymentsError
  return code === 'ERR_CONFIGURATION' && retry === 'no'
}

/** Performs steps. Wraps errors of the database, but not those of functions of the application. */
async function wrappingDatabaseErrors<T>(
  work: () => Steps<T>,
  perform: (work: () => Steps<T>) => T | Promise<T>,
): Promise<T> {
  let isCalling = false
  function* watched(): Steps<T> {
    const steps = work()
    let step = steps.next()
    while (!step.done) {
      isCalling = typeof step.value === 'function'
      step = steps.next(yield step.value)
    }
    isCalling = false
    return step.value
  }
  try {
    return await perform(watched)
  } catch (error) {
    if (isCalling || error instanceof PaymentsError || error instanceof Interrupted) throw error
    const advice = 'If the call changes an order, retry it unchanged, because orders.recover may execute it'
    throw databaseFailed(error, 'The orders cannot be read or stored', 'orders.migrate()', {
      operation: 'orders',
      advice,
    })
  }
}
