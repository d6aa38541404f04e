import { type ApiError, ConfigurationError } from '../core/errors.js'
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
/** The number of consecutive outages after which `sync` stops. */
const maxFailures = 3

/** One call of `orders.sync`. */
export class Sync {
  #checked = 0
  #changed = 0
  /** The first error after which the same payments must be read again. */
  #failure: { readonly error: unknown } | undefined
  /** Whether the caller must retry this `sync` until every payment is read. */
  #mustFinish = false

  constructor(
    private readonly client: OrdersOptions['client'],
    private readonly store: OrdersStore,
    private readonly book: Book,
    private readonly calls: Calls,
  ) {}

  /** Reads the payments that the service has created since `from`, and those that may have changed. */
  async run(from: Date | undefined, signal: AbortSignal | undefined): Promise<{ checked: number; changed: number }> {
    const { tables } = this.store
    const { settings } = this.client.operations.transport
    const call = signal ? { signal } : {}
    await this.#checkService(serviceOf(settings), from !== undefined)
    const stored = await this.calls.read(tables.watermark('list'))
    // The service's clock decides, because this machine's may be wrong.
    const { response } = await this.client.payments.list({ limit: 1 }, call).withResponse()
    const now = Date.parse(response.headers.get('date') ?? '') || settings.runtime.wallTime()
    const watermark = Number(stored ?? now - dayMs + overlapMs)
    this.#mustFinish = from !== undefined
    const fromDate = from ?? new Date(watermark - overlapMs)
    const list = this.client.payments.list({ fromDate }, call)

    const ids = new Set<string>()
    for await (const payment of list) {
      if ((await this.calls.read(this.book.find(sourceOf(payment as PaymentCore)))) !== undefined) ids.add(payment.id)
    }
    const since = Math.min(from?.getTime() ?? now, Math.min(now, watermark) - dayMs)
    const unfinished = await this.calls.read(tables.unfinished(since))
    for (const id of unfinished.flat()) ids.add(id)

    await this.#fetchAll(ids, call)
    // The next `sync` may start later than `from`, so it may not read these payments again.
    if (from && this.#failure) throw this.#failure.error
    // A later `from` leaves a gap, which the next `sync` must read.
    const hasGap = fromDate.getTime() > watermark
    if (!this.#failure && !hasGap) await this.calls.transact(undefined, () => tables.saveWatermark('list', now))
    return { checked: this.#checked, changed: this.#changed }
  }

  /** Fetches every payment, because the list omits refunds: without them, a refunded order would look paid. */
  async #fetchAll(ids: ReadonlySet<string>, call: { signal?: AbortSignal }): Promise<void> {
    const unread: unknown[] = []
    let outages = 0
    for (const id of ids) {
      try {
        const payment = await this.client.payments.get(id, call).catch(ignoreMissing)
        outages = 0
        if (payment) await this.#save(payment)
      } catch (error) {
        // A payment that cannot be read must not block the others.
        const isTemporary = isOutage(error)
        outages = isTemporary ? outages + 1 : 0
        if (call.signal?.aborted || outages === maxFailures) throw error
        if (isTemporary || this.#mustFinish) this.#failure ??= { error }
        unread.push(error)
        this.#report(error, `The payment ${id} could not be read`, isTemporary)
      }
    }
    // If no payment could be read, the next `sync` must read all of them again.
    if (unread.length > 0 && unread.length === ids.size) this.#failure ??= { error: unread[0] }
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
  #report(error: unknown, problem: string, isTemporary: boolean): void {
    const next = isTemporary ? 'the next sync reads it again' : 'sync skips it'
    this.calls.report(error, `${problem}: ${this.#mustFinish ? 'retry this sync' : next}`)
  }

  /**
   * Remembers the service at the first `sync`, so that a client of another service cannot change the orders.
   *
   * @param hasMoved Whether to accept another base URL of the same service.
   */
  async #checkService(own: string, hasMoved: boolean): Promise<void> {
    const { tables } = this.store
    const service = await this.calls.read(tables.watermark('service'))
    if (service === own) return
    if (service !== undefined && !hasMoved) {
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
function isOutage(error: unknown): boolean {
  // Without a response, there is no status.
  const { code, httpStatus = 500, body } = error as Partial<ApiError>
  if ((code as string) === 'ERR_RESPONSE_VALIDATION') return false
  return !hasErrorEnvelope(body) || [401, 408, 429].includes(httpStatus) || httpStatus >= 500
}

/** Ignores the error for a payment that no longer exists. */
function ignoreMissing(error: unknown): undefined {
  const { httpStatus, body } = error as Partial<ApiError>
  if (httpStatus !== 404 || !hasErrorEnvelope(body)) throw error
}
