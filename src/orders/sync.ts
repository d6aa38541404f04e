import { type ApiError, ConfigurationError, type PaymentsError } from '../core/errors.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { serviceOf } from '../core/settings.js'
import { hasErrorEnvelope } from '../core/transport/response.js'
import type { Book } from './book.js'
import type { Calls } from './calls.js'
import { observePayment } from './facts.js'
import type { OrdersStore } from './store.js'
import type { Source } from './tables.js'
import type { OrdersOptions } from './types.js'

const dayMs = 24 * 60 * 60 * 1000
/** How far each `sync` reads back before the start of the previous one. */
const overlapMs = 5 * 60 * 1000
/** The number of consecutive temporary failures after which `sync` stops. */
const maxFailures = 3

/** One call of `orders.sync`. */
export class Sync {
  #checked = 0
  #changed = 0
  /** The first error after which the same payments must be read again. */
  #failure: { readonly error: unknown } | undefined

  /** @param from The caller must retry a call with `from` until every payment is read. */
  constructor(
    private readonly client: OrdersOptions['client'],
    private readonly store: OrdersStore,
    private readonly book: Book,
    private readonly calls: Calls,
    private readonly from: Date | undefined,
  ) {}

  /** Reads the payments that the service has created since `from` or the last call, and those that may have changed. */
  async run(signal: AbortSignal | undefined): Promise<{ checked: number; changed: number }> {
    const { tables } = this.store
    const { settings } = this.client.operations.transport
    const call = signal ? { signal } : {}
    await this.#checkService(serviceOf(settings))
    const stored = await this.calls.read(tables.watermark('list'))
    // Uses the service's clock, because this machine's clock may be wrong.
    const { response } = await this.client.payments.list({ limit: 1 }, call).withResponse()
    const now = Date.parse(response.headers.get('date') ?? '') || settings.runtime.wallTime()
    const watermark = Number(stored ?? now - dayMs + overlapMs)
    const fromDate = this.from ?? new Date(watermark - overlapMs)
    const list = this.client.payments.list({ fromDate }, call)

    const ids = new Set<string>()
    for await (const payment of list) {
      if ((await this.calls.read(this.book.find(sourceOf(payment as PaymentCore)))) !== undefined) ids.add(payment.id)
    }
    const since = Math.min(fromDate.getTime(), now - dayMs, watermark - dayMs)
    const unfinished = await this.calls.read(tables.unfinished(since))
    for (const id of unfinished.flat()) ids.add(id)

    await this.#fetchAll(ids, call)
    // The next `sync` may start later than `from`, so it may not read these payments again.
    if (this.from && this.#failure) throw this.#failure.error
    // A later `from` leaves a gap, which the next `sync` must read.
    const hasGap = fromDate.getTime() > watermark
    if (!this.#failure && !hasGap) await this.calls.transact(undefined, () => tables.saveWatermark('list', now))
    return { checked: this.#checked, changed: this.#changed }
  }

  /** Fetches every payment, because the list omits refunds: without them, a refunded order would look paid. */
  async #fetchAll(ids: ReadonlySet<string>, call: { signal?: AbortSignal }): Promise<void> {
    let [failures, unread] = [0, 0]
    for (const id of ids) {
      try {
        const payment = await this.client.payments.get(id, call).catch(ignoreMissing)
        failures = 0
        if (payment) await this.#save(payment)
      } catch (error) {
        // A payment that cannot be read must not block the others.
        const isTemporary = mayBeTemporary(error)
        failures = isTemporary ? failures + 1 : 0
        if (call.signal?.aborted || failures === maxFailures) throw error
        unread++
        // If no payment could be read, the next `sync` must read all of them again.
        const isReadAgain = isTemporary || unread === ids.size
        if (isReadAgain || this.from) this.#failure ??= { error }
        this.#report(error, `The payment ${id} could not be read`, isReadAgain)
      }
    }
  }

  /** Stores a payment's state, if the payment belongs to an order of this shop. Adds the order if it is new. */
  async #save(payment: PaymentCore): Promise<void> {
    const source = sourceOf(payment)
    const orderId = await this.calls.read(this.book.find(source))
    if (orderId === undefined) return
    this.#checked++
    const apply = () => this.book.apply({ ...source, orderId }, observePayment(payment), 'sync')
    try {
      if (await this.calls.transact(orderId, apply)) this.#changed++
    } catch (error) {
      this.#failure ??= { error }
      this.#report(error, `onChange or the database failed for the payment ${payment.id}`, true)
    }
  }

  /** Logs an error that concerns one payment. */
  #report(error: unknown, problem: string, isReadAgain: boolean): void {
    const next = isReadAgain ? 'the next sync reads it again' : 'sync skips it'
    this.calls.report(error, `${problem}: ${this.from ? 'retry sync with the same from' : next}`)
  }

  /**
   * Stores the service at the first `sync`, so that a client of another service cannot change the orders. With `from`,
   * accepts another base URL of the same service.
   */
  async #checkService(own: string): Promise<void> {
    const { tables } = this.store
    const service = await this.calls.read(tables.watermark('service'))
    if (service === own) return
    if (service !== undefined && !this.from) {
      const fix =
        'use a client with this baseUrl, or another database, or call sync({ from }) once if the service moved'
      throw new ConfigurationError(`The tables contain the orders of ${service}: ${fix}`, { operation: 'orders.sync' })
    }
    await this.calls.transact(undefined, () => tables.saveWatermark('service', own))
  }
}

/** Returns the IDs by which a payment's order is found. */
export const sourceOf = ({ id, orderId }: PaymentCore): Source => ({ orderId, paymentId: id })

/** Returns whether reading the payment again may succeed. */
function mayBeTemporary(error: unknown): boolean {
  if ((error as PaymentsError).code === 'ERR_RESPONSE_VALIDATION') return false
  // Without the service's error format, the failure is in the network, a proxy or the database.
  const { httpStatus = 0, body } = error as Partial<ApiError>
  return !hasErrorEnvelope(body) || [401, 408, 429].includes(httpStatus) || httpStatus >= 500
}

/** Ignores the error for a payment that no longer exists. */
function ignoreMissing(error: unknown): undefined {
  const { httpStatus, body } = error as Partial<ApiError>
  if (httpStatus !== 404 || !hasErrorEnvelope(body)) throw error
}
