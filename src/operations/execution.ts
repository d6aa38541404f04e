import type { WithResponse } from '../call.js'
import { type AnyOperation, namesOf } from '../contract/operation.js'
import * as contract from '../contract/payments.js'
import type { ApiError, CallFacts, PaymentsError } from '../errors.js'
import type { OperationTrace } from '../internal/channels.js'
import { Deadline } from '../internal/deadline.js'
import { concernsContent, isKeyConflict } from '../internal/outcome.js'
import type { RequestOptions } from '../options.js'
import { listOf } from '../resources/lists.js'
import type { PaymentCore, PaymentSummary } from '../schemas/payment.js'
import { CallIdentity, type CallRecord } from '../transport/call-record.js'
import { recordingFailed } from '../transport/events.js'
import { hasErrorEnvelope } from '../transport/response.js'
import { serviceTime } from '../transport/retry-after.js'
import type { Transport } from '../transport/transport.js'
import { traceExecution } from './channel.js'
import { beforeClaim, type Claimed } from './claim.js'
import {
  decide,
  type Facts,
  openOperation,
  type Reply,
  resendableFor,
  type Sighting,
  type Step,
  willBeResent,
} from './decide.js'
import { effectOf, findEffect, findOwnRefund, findPayment, journaled, knowledgeOf, type Related } from './effects.js'
import { recordedError, storing } from './errors.js'
import { CheckedHook } from './hook.js'
import { claimTtlMs, type Ending, type JournalStore, type StoreHook } from './journal.js'
import { comparedOperations, isOpenState, type Knowledge, type StoredOperation } from './record.js'

type Send = () => Promise<WithResponse<unknown>>

/** The parts that all executions with one journal share. */
export interface Environment {
  readonly store: JournalStore
  readonly keyLifetime: number
  /** Milliseconds from the database's clock to the service's clock, as the latest response shows. */
  clockOffset: number | undefined
}

export interface ExecutionOptions {
  readonly by: Facts['by']
  readonly owner: string
  readonly deadline: Deadline
  /** Options for the requests. */
  readonly request: RequestOptions
  readonly onSettled?: StoreHook | undefined
}

/** The shortest time in which a result may be stored, even if the call's time limit has passed. */
const storeWithinMs = 5_000

/** How long a new payment may be missing from the list. Specification: Limits. */
const listDelayMs = 60_000

/** Maximum accepted difference between the clocks of the service and the database. */
const maxClockDifferenceMs = 60_000

/** The service reports its time in whole seconds. */
const dateResolutionMs = 1_000

/** Performs the steps that `decide` returns for one claimed operation, and stores the result. */
export class Execution {
  /** The record, without the request that the claim counted. */
  row: StoredOperation
  readonly #environment: Environment
  readonly #transport: Transport
  readonly #options: ExecutionOptions
  readonly #claimed: Claimed
  readonly #claimedAt: number
  readonly #operation: AnyOperation
  #call: CallRecord | undefined
  #send: Send | undefined
  #serviceNow: number | undefined
  #reply: Reply | undefined
  /** The error of the request. */
  #error: unknown
  /** The payment as this operation's response or a look returned it. */
  #response: WithResponse<PaymentCore> | undefined
  #known: Knowledge | undefined
  /** The error with which the result could not be stored. */
  #storeError: unknown

  constructor(environment: Environment, transport: Transport, claimed: Claimed, options: ExecutionOptions) {
    this.#environment = environment
    this.#transport = transport
    this.#claimed = claimed
    this.#claimedAt = transport.settings.runtime.now()
    this.#options = options
    this.#operation = journaled[claimed.row.operation]
    this.row = isOpenState(claimed.row.state) ? beforeClaim(claimed) : claimed.row
  }

  /** Takes steps until the operation is finished, or cannot be finished now. */
  async advance(): Promise<void> {
    const { operation, key, state } = this.row
    if (!isOpenState(state)) return this.#acknowledge()
    const trace: OperationTrace = { operation, idempotencyKey: key, by: this.#options.by }
    await traceExecution(trace, this.#environment.store, async () => {
      await this.#keepClaim(() => this.#takeSteps())
      trace.state = this.row.state
      trace.isFinal = !isOpenState(this.row.state)
      if (this.#storeError !== undefined) trace.error = this.#storeError
    })
  }

  /** Renews the claim while `work` runs. */
  async #keepClaim(work: () => Promise<void>): Promise<void> {
    const { store } = this.#environment
    const { runtime } = this.#transport.settings
    let timer: unknown
    const renewLater = () => {
      timer = runtime.setTimeout(() => {
        renewLater()
        // A failed renewal needs no other handling: the next one may succeed, and `finish` detects a lost claim.
        store.renew(this.row.resource, this.#options.owner).catch(() => {})
      }, claimTtlMs / 3)
    }
    renewLater()
    try {
      await work()
    } finally {
      runtime.clearTimeout(timer)
    }
  }

  /** Passes the result of a finished operation to `onSettled`, unless an earlier call did. */
  async #acknowledge(): Promise<void> {
    const { row, isClaimed } = this.#claimed
    if (!isClaimed) return
    if (this.#options.onSettled === undefined || row.acknowledgedAt !== undefined) {
      return this.#environment.store.release(row.resource, this.#options.owner).catch(() => {})
    }
    await this.#store({ row, isSent: false }, true)
  }

  /** Runs the operation in a call that has already started. */
  async advanceWithin(call: CallRecord, send: Send): Promise<WithResponse<unknown>> {
    this.#enter(call, send)
    await this.advance()
    return this.result()
  }

  #enter(call: CallRecord, send: Send): void {
    this.#call = call
    this.#send = send
    // The outcome belongs to the key: with an ambiguous request before, no later response makes it certain.
    if (this.row.state === 'unknown') call.addOutcome('unknown')
  }

  async #takeSteps(seen?: Sighting): Promise<void> {
    for (;;) {
      const step = decide(openOperation(this.row, this.#send !== undefined), this.#facts(seen))
      if (step.do === 'look') seen = await this.#look()
      else if (step.do !== 'send') return this.#store(this.#ending(step), step.do === 'finish')
      else if (this.#send === undefined) return this.#startCall(seen)
      else {
        this.#receive((await this.#rememberPayment()) ?? (await this.#request(this.#send)))
        seen = undefined
      }
    }
  }

  #receive(reply: Reply): void {
    this.#reply = reply
    const { firstSentAt = this.#claimed.row.firstSentAt } = this.row
    if (isSent(reply)) this.row = { ...this.row, firstSentAt }
    if (reply.kind === 'open' && reply.isKeyUsed) {
      this.row = { ...this.row, details: { ...this.row.details, isKeyUsed: true } }
    }
  }

  #facts(seen: Sighting | undefined): Facts {
    const { keyLifetime } = this.#environment
    const now = this.#now()
    return { by: this.#options.by, now, serviceNow: this.#serviceNow, keyLifetime, reply: this.#reply, seen }
  }

  /** Returns the database's time. */
  #now(): number {
    return this.#claimed.now + this.#transport.settings.runtime.now() - this.#claimedAt
  }

  /** Starts a call for the request, which then takes the remaining steps. */
  async #startCall(seen: Sighting | undefined): Promise<void> {
    const { key, id, body } = this.row
    const input = {
      ...(id !== undefined && { params: { id } }),
      body: body === undefined ? undefined : JSON.parse(body),
    }
    const options = { ...this.#requestOptions(), idempotencyKey: key }
    const record = async (call: CallRecord, send: Send) => {
      this.#enter(call, send)
      await this.#takeSteps(seen)
      return this.result()
    }
    try {
      await this.#transport.send(this.#operation, input, options, { record }).withResponse()
    } catch (error) {
      if (this.#send !== undefined) {
        // `result` throws the error of a request again. Any other error means that the journal failed.
        if (this.#reply === undefined) throw error
        return
      }
      this.#error = error
      const isInvalid = (error as Partial<PaymentsError>).code === 'ERR_REQUEST_VALIDATION'
      this.#receive(isInvalid ? { kind: 'invalid', reason: (error as Error).message } : replyOf(error))
      await this.#takeSteps()
    }
  }

  /**
   * Stores the state of the payment before a capture or refund, so that its effect can be identified later. If the
   * payment cannot be read now, the operation is not sent.
   */
  async #rememberPayment(): Promise<Reply | undefined> {
    const { key, operation, before, state } = this.row
    if (!comparedOperations.includes(operation) || before !== undefined || state === 'unknown') return undefined
    let known: Knowledge = {}
    try {
      known = knowledgeOf((await this.#get()).data) ?? {}
    } catch (error) {
      // With an API key that may not read payments, the effect can only be identified by its time.
      const { httpStatus, body } = error as Partial<ApiError>
      if (!hasErrorEnvelope(body) || (httpStatus !== 403 && httpStatus !== 404)) {
        this.#error = Object.assign(error as Error, { outcome: 'not_sent', retry: 'same-key', idempotencyKey: key })
        return { kind: 'open', isSent: false, isAmbiguous: false }
      }
    }
    await storing(this.#environment.store.note(key, known), this.#callFacts())
    this.row = { ...this.row, before: known }
    return undefined
  }

  async #request(send: Send): Promise<Reply> {
    // An earlier look is out of date after the request.
    this.#known = undefined
    this.#limitRetries()
    try {
      const result = (await send()) as WithResponse<PaymentCore>
      this.#readClock(result.response.headers)
      this.#response = result
      return { kind: 'done', sighting: await this.#sightingIn(result) }
    } catch (error) {
      this.#error = error
      this.#readClock((error as Partial<ApiError>).headers)
      const reply = replyOf(error)
      // The service rejected the request, so the payment is unchanged.
      if (reply.kind === 'rejected' && !reply.isAmbiguous) this.#known = this.#claimed.known
      return reply
    }
  }

  /** Ends the retries of the call when the operation may no longer be resent. */
  #limitRetries(): void {
    const now = this.#now()
    const operation = openOperation({ ...this.row, firstSentAt: this.row.firstSentAt ?? now }, true)
    const call = this.#call as CallRecord
    call.retryUntil = this.#transport.settings.runtime.now() + resendableFor(operation, this.#facts(undefined))
  }

  /** Finds the effect of a request that took effect. */
  async #sightingIn({ data: payment, response }: WithResponse<PaymentCore>): Promise<Sighting> {
    const isRetry = this.row.state === 'unknown' || response.attempts.length > 1 || response.recovered === true
    // A response to a retry may show an earlier state of the payment, unless it was fetched.
    if (!isRetry || response.recovered) this.#known = knowledgeOf(payment)
    const isRefund = this.row.operation === 'payments.refund'
    if (!isRefund || !isRetry) return { kind: 'effect', effect: effectOf(this.row, payment, []) }
    try {
      const related = await this.#related({ paymentId: payment.id })
      if (response.recovered) return findOwnRefund(this.row, payment, related)
      return { kind: 'effect', effect: effectOf(this.row, payment, related) }
    } catch {
      return { kind: 'unreadable' }
    }
  }

  /** Looks for the effect of an operation whose result is unknown. */
  async #look(): Promise<Sighting> {
    const isCreate = this.row.operation === 'payments.create'
    try {
      return await (isCreate ? this.#lookInList() : this.#lookAtPayment())
    } catch (error) {
      const { headers, httpStatus, body } = error as Partial<ApiError>
      this.#readClock(headers)
      return { kind: !isCreate && httpStatus === 404 && hasErrorEnvelope(body) ? 'missing' : 'unreadable' }
    }
  }

  async #lookAtPayment(): Promise<Sighting> {
    const found = await this.#get()
    this.#response = found
    this.#known = knowledgeOf(found.data)
    return findEffect(this.row, found.data, await this.#related({ paymentId: found.data.id }))
  }

  async #lookInList(): Promise<Sighting> {
    const { orderId, createdAt, firstSentAt = createdAt, lastSentAt = firstSentAt, details } = this.row
    const startedAt = this.#now()
    const assumedOffset = Math.min(0, this.#environment.clockOffset ?? 0)
    const fromDate = new Date(firstSentAt + (details.clockOffset ?? assumedOffset) - maxClockDifferenceMs)
    // Without an order id, the request only returns the service's time.
    const params = orderId === undefined ? { limit: 1 } : { orderId, fromDate }
    const list = listOf(this.#transport, contract.list, params, this.#requestOptions())
    const { data: first, response } = await list.withResponse()
    const serviceNow = this.#readClock(response.headers) ?? startedAt
    if (orderId === undefined) {
      return {
        kind: 'unclear',
        reason: 'the order id is only in the client session, so the payment cannot be looked up',
      }
    }
    const payments: PaymentSummary[] = []
    for (let page: typeof first | undefined = first; page !== undefined; page = await page.nextPage()) {
      payments.push(...page.data)
    }
    // Without a recorded difference between the clocks, assumes the one that makes the payment appear later, and the one
    // that includes more payments.
    const difference = serviceNow - startedAt
    const latestOffset = details.clockOffset ?? Math.max(0, difference)
    const clockOffset = details.clockOffset ?? Math.min(0, difference)
    const isFinal = serviceNow >= lastSentAt + latestOffset + listDelayMs + dateResolutionMs
    return findPayment(this.row, { payments, isFinal, clockOffset }, await this.#related({ orderId }))
  }

  async #related(to: { paymentId?: string; orderId?: string }): Promise<Related[]> {
    const rows = await this.#environment.store.related(to)
    const facts = this.#facts(undefined)
    return rows
      .filter(({ key }) => key !== this.row.key)
      .map((row) => {
        const isFirstRunning = row.state === 'sent' && row.inFlight
        const isRetried = isOpenState(row.state) && willBeResent(openOperation(row, false), facts)
        return { ...row, willBeCertain: isFirstRunning || isRetried }
      })
  }

  async #get(id = this.row.id): Promise<WithResponse<PaymentCore>> {
    const input = { params: { id: String(id) } }
    const found = await this.#transport.send(contract.get, input, this.#requestOptions()).withResponse()
    this.#readClock(found.response.headers)
    return found
  }

  /** Fetches the payment of an operation that succeeded. A failure says nothing about the operation. */
  async #getResult(id: string | undefined): Promise<WithResponse<PaymentCore>> {
    try {
      return await this.#get(id)
    } catch (error) {
      throw Object.assign(error as Error, { outcome: 'accepted', retry: 'same-key', idempotencyKey: this.row.key })
    }
  }

  #requestOptions(): RequestOptions {
    const { request, deadline } = this.#options
    return { ...request, totalTimeout: Math.max(1, deadline.remaining) }
  }

  /** Reads the service's time from a response. */
  #readClock(headers: Headers | undefined): number | undefined {
    const time = headers && serviceTime(headers)
    if (time === undefined) return undefined
    this.#serviceNow = time
    this.#environment.clockOffset = time - this.#now()
    return time
  }

  async #store(ending: Ending, isFinal: boolean): Promise<void> {
    const { store } = this.#environment
    const { owner, deadline, onSettled } = this.#options
    const { runtime } = this.#transport.settings
    const hook = onSettled && isFinal ? new CheckedHook(onSettled, store.isSynchronous === true) : undefined
    try {
      const limit = new Deadline(Math.max(storeWithinMs, deadline.remaining), undefined, runtime)
      const withHook = hook ? { ...ending, onSettled: hook.run } : ending
      const stored = await limit.run(() => store.finish(this.#claimed.row, owner, withHook))
      if (stored === undefined) throw new Error('another process claimed the operation, because this one was paused')
      this.row = stored
    } catch (error) {
      this.#storeError = error
      const problem = hook?.hasFailed
        ? 'the function onSettled failed, so the result was not stored: settle calls it again'
        : 'the journal could not store the result: settle finishes the operation'
      const identity = this.#call?.identity ?? new CallIdentity(this.#operation, this.#transport.settings)
      recordingFailed(identity, error, `${problem} (key ${this.row.key})`)
      await store.release(this.row.resource, owner).catch(() => {})
    }
  }

  #ending(step: Extract<Step, { do: 'keep' | 'finish' }>): Ending {
    const { row } = this
    const { firstSentAt } = row
    const reply = this.#reply
    const wasSent = reply !== undefined && isSent(reply)
    const effect = step.do === 'finish' ? step.effect : undefined
    const rejection = reply?.kind === 'rejected' ? (this.#error as ApiError) : undefined
    const isRejected = reply === undefined ? row.details.httpStatus !== undefined : rejection !== undefined
    return {
      row: {
        state: step.state,
        firstSentAt,
        attempts: firstSentAt === undefined ? 0 : row.attempts + this.#requests(),
        orderId: row.orderId ?? this.#response?.data.orderId,
        paymentId: effect?.paymentId,
        transactionId: effect?.transactionId,
        status: effect?.status,
        errorId: isRejected && !effect ? (rejection?.errorId ?? row.errorId) : undefined,
        reason: step.do === 'finish' ? step.reason : undefined,
        before: firstSentAt === undefined ? undefined : row.before,
        details: {
          ...row.details,
          clockOffset: row.details.clockOffset ?? (wasSent ? this.#environment.clockOffset : undefined),
          capturedAfter: effect?.capturedAfter,
          httpStatus: isRejected && !effect ? (rejection?.httpStatus ?? row.details.httpStatus) : undefined,
        },
      },
      isSent: wasSent,
      known: this.#known,
    }
  }

  /** Returns the number of requests, without the one that fetched a recovered payment. */
  #requests(): number {
    const isRecovered = this.#reply?.kind === 'done' && this.#response?.response.recovered === true
    return (this.#call?.attempts.length ?? 0) - Number(isRecovered)
  }

  /** Returns the payment that resulted from the operation, or throws the error that describes its state. */
  async result(): Promise<WithResponse<PaymentCore>> {
    const { state, paymentId } = this.row
    if (this.#reply?.kind === 'done') return this.#response as WithResponse<PaymentCore>
    if (state === 'succeeded') {
      const found = this.#response ?? (await this.#getResult(paymentId))
      return (this.#call?.toRecoveredResult(found) ?? found) as WithResponse<PaymentCore>
    }
    const isDefinite = isOpenState(state) || (this.#error as Partial<PaymentsError>)?.outcome === 'rejected'
    if (this.#error !== undefined && isDefinite) throw this.#error
    const error = recordedError(this.row, this.#operation, this.#callFacts())
    if (this.#error !== undefined) Object.defineProperty(error, 'cause', { value: this.#error })
    throw error
  }

  #callFacts(): CallFacts {
    const own = { ...namesOf(this.#operation), idempotencyKey: this.row.key, resourceId: this.row.id, attempts: [] }
    return { outcome: 'not_sent', retry: 'no', ...own, ...this.#call?.facts() }
  }
}

const isSent = (reply: Reply): boolean => reply.kind !== 'invalid' && !(reply.kind === 'open' && !reply.isSent)

function replyOf(error: unknown): Reply {
  const { outcome = 'unknown', code, httpStatus: status = 0, errorId, body } = error as Partial<ApiError>
  const conflict = { status, errorId }
  const isKeyUsed = isKeyConflict(conflict)
  const isAmbiguous = outcome === 'unknown' || outcome === ('accepted' as string) || isKeyUsed
  return code === 'ERR_API' && concernsContent({ ...conflict, hasEnvelope: hasErrorEnvelope(body) })
    ? { kind: 'rejected', isAmbiguous }
    : { kind: 'open', isSent: outcome !== 'not_sent', isAmbiguous, isKeyUsed }
}
