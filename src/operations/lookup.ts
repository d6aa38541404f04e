import type { WithResponse } from '../core/call.js'
import * as contract from '../core/contract/payments.js'
import type { ApiError } from '../core/errors.js'
import type { Deadline } from '../core/internal/deadline.js'
import type { RequestOptions } from '../core/options.js'
import { listOf } from '../core/resources/lists.js'
import { listDelayMs, maxClockDifferenceMs } from '../core/resources/reconcile.js'
import type { PaymentCore, PaymentSummary } from '../core/schemas/payment.js'
import { hasErrorEnvelope } from '../core/transport/response.js'
import { serviceTime } from '../core/transport/retry-after.js'
import type { Transport } from '../core/transport/transport.js'
import type { Claimed } from './claim.js'
import { firstRequestAt, type LookupResult, mayBeResent, type Times, takesEffectWithinMs } from './decide.js'
import { effectOf, findEffect, findLostEffect, findOwnEffect, findPayment, snapshotOf } from './effects.js'
import { DamagedRecord, type JournalSettings } from './journal.js'
import { comparedOperations, isOpenState, type PaymentSnapshot, type StoredOperation } from './record.js'
import { isReplayed } from './refunds.js'
import type { Related } from './related.js'

/** The time limit for an operation's execution, and the options for its requests. */
export interface Limits {
  readonly deadline: Deadline
  readonly request: RequestOptions
}

/** The longest time between a request and the appearance of its payment in the payment list, in milliseconds. */
const appearsWithinMs = takesEffectWithinMs + listDelayMs

/** The service reports its time in whole seconds. */
const dateResolutionMs = 1_000

/** Gathers the facts about one claimed operation: the current time, the payment, and the operation's effect. */
export class Lookup {
  /** The response to the operation's request or to the latest lookup. Contains the payment. */
  response: WithResponse<PaymentCore> | undefined
  /** A snapshot of the payment in `response`. Absent if `response` may be out of date. */
  known: PaymentSnapshot | undefined
  /** The error with which the latest lookup failed. */
  error: unknown
  readonly #journal: JournalSettings
  readonly #transport: Transport
  readonly #limits: Limits
  readonly #claimed: Claimed
  #serviceNow: number | undefined

  constructor(journal: JournalSettings, transport: Transport, claimed: Claimed, limits: Limits) {
    this.#journal = journal
    this.#transport = transport
    this.#claimed = claimed
    this.#limits = limits
  }

  get times(): Times {
    return { now: this.#now(), serviceNow: this.#serviceNow, keyLifetime: this.#journal.keyLifetime }
  }

  /** Returns the database's current time, in milliseconds since 1970. */
  #now(): number {
    return this.#claimed.now + this.#claimed.claimedFor.elapsed
  }

  /** Reads the service's time from response headers, and updates the known difference between the clocks. */
  readClock(headers: Headers | undefined): number | undefined {
    const time = headers && serviceTime(headers)
    if (time === undefined) return undefined
    this.#serviceNow = time
    this.#journal.clockOffset = time - this.#now()
    return time
  }

  get requestOptions(): RequestOptions {
    const { request, deadline } = this.#limits
    return { ...request, totalTimeout: Math.max(1, deadline.remaining) }
  }

  async get(id: string | undefined): Promise<WithResponse<PaymentCore>> {
    const input = { params: { id: String(id) } }
    const found = await this.#transport.send(contract.get, input, this.requestOptions).withResponse()
    this.readClock(found.response.headers)
    return found
  }

  /** Searches a 2xx response for the operation's effect. Never rejects, because the request succeeded. */
  async findIn(row: StoredOperation, result: WithResponse<PaymentCore>): Promise<LookupResult> {
    const { data: payment, response } = result
    this.response = result
    this.readClock(response.headers)
    try {
      const isRetry =
        row.state === 'unknown' ||
        response.attempts.length > 1 ||
        response.recovered === true ||
        isReplayed(row, payment)
      // The response to a retry may contain an earlier state of the payment, but a fetched payment is up to date.
      if (!isRetry || response.recovered) this.known = snapshotOf(payment)
      if (!isRetry || !comparedOperations.includes(row.operation)) {
        return { kind: 'effect', effect: effectOf(row, payment, []) }
      }
      const related = await this.#related(row, { paymentId: payment.id })
      if (response.recovered) return findOwnEffect(row, payment, related)
      return { kind: 'effect', effect: effectOf(row, payment, related) }
    } catch {
      return { kind: 'unreadable' }
    }
  }

  /** Searches the service's data for the effect of an operation whose result is unknown. */
  async look(row: StoredOperation): Promise<LookupResult> {
    const isCreate = row.operation === 'payments.create'
    try {
      return await (isCreate ? this.#lookInList(row) : this.#lookAtPayment(row))
    } catch (error) {
      this.error = error
      const { headers, httpStatus, body } = error as Partial<ApiError>
      this.readClock(headers)
      return { kind: !isCreate && httpStatus === 404 && hasErrorEnvelope(body) ? 'missing' : 'unreadable' }
    }
  }

  /** Searches a fetched payment for the effect of an earlier attempt whose record was lost. */
  async findLost(row: StoredOperation, found: WithResponse<PaymentCore>): Promise<LookupResult> {
    const { intention } = row.details
    if (intention === undefined) return { kind: 'none' }
    this.response = found
    this.known = snapshotOf(found.data)
    const related = await this.#related(row, { paymentId: found.data.id })
    const isJudged = ({ state, details }: StoredOperation) =>
      state === 'not_executed' && details.isResolved && details.intention === intention
    return findLostEffect(row, found.data, related, related.findLast(isJudged))
  }

  async #lookAtPayment(row: StoredOperation): Promise<LookupResult> {
    const found = await this.get(row.id)
    this.response = found
    this.known = snapshotOf(found.data)
    return findEffect(row, found.data, await this.#related(row, { paymentId: found.data.id }))
  }

  async #lookInList(claimed: StoredOperation): Promise<LookupResult> {
    const row = { ...claimed, firstSentAt: firstRequestAt(claimed) }
    const { orderId, createdAt, firstSentAt = createdAt, lastSentAt = firstSentAt, details } = row
    const startedAt = this.#now()
    const list = (offset: number) => {
      const fromDate = new Date(firstSentAt + offset - 2 * maxClockDifferenceMs)
      // Without an order ID, the list is requested only to read the service's time.
      const params = orderId === undefined ? { limit: 1 } : { orderId, fromDate }
      return listOf(this.#transport, contract.list, params, this.requestOptions).withResponse()
    }
    // Never starts later because of a recorded difference, because a clock may have been set since the measurement.
    const earliestOffset = Math.min(0, details.clockOffset ?? this.#journal.clockOffset ?? 0)
    let listed = await list(earliestOffset)
    const serviceNow = this.readClock(listed.response.headers) ?? startedAt
    if (orderId === undefined) {
      return {
        kind: 'unclear',
        reason: 'the order id is only in the client session, so the payment cannot be looked up',
      }
    }
    // The database's clock may have been set since the recorded measurement. Uses the larger difference to decide how
    // long to wait for the payment, and the smaller one to decide which payments may match.
    const offsets = [details.clockOffset ?? 0, serviceNow - startedAt]
    const latestOffset = Math.max(...offsets)
    const clockOffset = Math.min(...offsets, 0)
    // If the database's clock is far ahead, the payment may be too old for the first list.
    if (clockOffset < earliestOffset - maxClockDifferenceMs) listed = await list(clockOffset)
    const payments: PaymentSummary[] = []
    for (let page: typeof listed.data | undefined = listed.data; page !== undefined; page = await page.nextPage()) {
      payments.push(...page.data)
    }
    // Waits only for the payment of a recorded request. Without a recorded request, a payment can exist only if the
    // database lost the record.
    const isFinal =
      row.firstSentAt === undefined || serviceNow >= lastSentAt + latestOffset + appearsWithinMs + dateResolutionMs
    return findPayment(row, { payments, isFinal, clockOffset }, await this.#related(row, { orderId }))
  }

  /** Returns the other journal records for a payment or an order. */
  async #related(row: StoredOperation, to: { paymentId?: string; orderId?: string }): Promise<Related[]> {
    const found = await this.#journal.store.list(to)
    const { times } = this
    return found
      .filter(({ key }) => key !== row.key)
      .map((other) => {
        if (other instanceof DamagedRecord) throw other
        const isFirstRunning = other.state === 'sent' && other.inFlight
        const isRetried = isOpenState(other.state) && mayBeResent(other, times)
        return { ...other, firstSentAt: firstRequestAt(other), willBeCertain: isFirstRunning || isRetried }
      })
  }
}
