import type { WithResponse } from '../core/call.js'
import type { AnyOperation } from '../core/contract/operation.js'
import { type ApiError, type CallFacts, ConfigurationError, type PaymentsError } from '../core/errors.js'
import { journalKey, type OperationTrace, Publisher } from '../core/internal/channels.js'
import { Deadline } from '../core/internal/deadline.js'
import { subjectOf } from '../core/internal/outcome.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { CallIdentity, type CallRecord, type SendingRules } from '../core/transport/call-record.js'
import { hookWasIdle, recordingFailed } from '../core/transport/events.js'
import { hasErrorEnvelope } from '../core/transport/response.js'
import type { Transport } from '../core/transport/transport.js'
import { beforeClaim, type Claimed, type Renewals, release, renewRegularly } from './claim.js'
import { decide, type Facts, type LookupResult, type Reply, sendableFor } from './decide.js'
import { journaled, snapshotOf } from './effects.js'
import { callFacts, endingOf, isSent, type Progress, resultOf } from './ending.js'
import { storing } from './errors.js'
import type { JournalSettings } from './journal.js'
import { type Limits, Lookup } from './lookup.js'
import { comparedOperations, isOpenState, type PaymentSnapshot, type StoredOperation } from './record.js'
import * as rules from './rules.js'

const channel = /* @__PURE__ */ new Publisher('operation')

type Send = () => Promise<WithResponse<unknown>>

export interface ExecutionOptions extends Limits {
  readonly by: Facts['by']
  readonly onSettled?: rules.StoreHook | undefined
}

/** Performs the steps that `decide` returns for one claimed operation. */
export class Execution implements Progress {
  row: StoredOperation
  readonly operation: AnyOperation
  readonly lookup: Lookup
  call: CallRecord | undefined
  reply: Reply | undefined
  error: unknown
  readonly #journal: JournalSettings
  readonly #transport: Transport
  /** Whether the client has the recorded API version. The operation is always sent with the recorded version. */
  readonly #isOwnVersion: boolean
  readonly #options: ExecutionOptions
  readonly #claimed: Claimed
  #send: Send | undefined
  #renewals: Renewals | undefined
  /** The error from the journal or from `onSettled` that prevented the result from being stored. */
  #storeError: unknown

  constructor(journal: JournalSettings, transport: Transport, claimed: Claimed, options: ExecutionOptions) {
    this.#journal = journal
    const { apiVersion = transport.settings.apiVersion } = claimed.row
    this.#isOwnVersion = apiVersion === transport.settings.apiVersion
    this.#transport = this.#isOwnVersion ? transport : transport.with({ apiVersion })
    this.#claimed = claimed
    this.#options = options
    this.lookup = new Lookup(journal, this.#transport, claimed, options)
    this.operation = journaled[claimed.row.operation]
    this.row = isOpenState(claimed.row.state) ? beforeClaim(claimed) : claimed.row
  }

  /** Performs steps until the operation is finished, or until nothing more can be done for now. */
  async advance(): Promise<void> {
    const { operation, key, state } = this.row
    if (!isOpenState(state)) return this.#acknowledge()
    const { store } = this.#journal
    const { by } = this.#options
    const trace: OperationTrace = { operation, idempotencyKey: key, by }
    Object.defineProperty(trace, journalKey, { value: store })
    const advance = async () => {
      this.#renewals = renewRegularly(store, this.#claimed, this.#transport.settings.runtime)
      try {
        await this.#takeSteps()
      } finally {
        await this.#renewals.stop()
      }
      trace.state = this.row.state
      trace.isFinal = !isOpenState(this.row.state)
      // Not enumerable, because a database error may contain the merchant's data.
      if (this.#storeError !== undefined) Object.defineProperty(trace, 'error', { get: () => this.#storeError })
    }
    await channel.trace(advance, trace)
  }

  /** Executes the operation within a client call that has already started. */
  async advanceWithin(call: CallRecord, send: Send): Promise<WithResponse<unknown>> {
    if (this.#isOwnVersion) this.#enter(call, send)
    await this.advance()
    return this.result()
  }

  /** Returns the payment after the operation, or throws the error that describes the operation's state. */
  result(): Promise<WithResponse<PaymentCore>> {
    return resultOf(this)
  }

  /** Passes the result of a finished operation to `onSettled`, unless an earlier call has already passed it. */
  async #acknowledge(): Promise<void> {
    const { row, owner, isClaimed } = this.#claimed
    const { onSettled } = this.#options
    if (!isClaimed) return
    if (onSettled !== undefined && row.acknowledgedAt === undefined) return this.#storeEnding({ row, isSent: false })
    await release(this.#journal.store, row.resource, owner).catch(() => {})
  }

  #enter(call: CallRecord, send: Send): void {
    this.call = call
    this.#send = send
    // An earlier request with this key may have taken effect, so the outcome is unknown even after a definite error.
    if (this.row.state === 'unknown') call.addOutcome('unknown')
  }

  async #takeSteps(seen?: LookupResult): Promise<void> {
    for (;;) {
      const { by } = this.#options
      const facts: Facts = { ...this.lookup.times, by, hasBody: this.#send !== undefined, reply: this.reply, seen }
      const step = decide(this.row, facts)
      if (step.do === 'look') seen = await this.lookup.look(this.row)
      else if (step.do !== 'send') return this.#storeEnding(endingOf(this, step, this.#journal.clockOffset))
      else if (this.#send === undefined) return this.#startCall(seen)
      else {
        this.#receive((await this.#prepare()) ?? (await this.#request(this.#send)))
        seen = undefined
      }
    }
  }

  #receive(reply: Reply): void {
    this.reply = reply
    const { firstSentAt = this.#claimed.row.firstSentAt } = this.row
    if (isSent(reply)) this.row = { ...this.row, firstSentAt }
    if ((reply.kind === 'open' || reply.kind === 'rejected') && reply.isAmbiguous) {
      this.row = { ...this.row, state: 'unknown' }
    }
    if (reply.kind === 'open' && reply.isKeyUsed) {
      this.row = { ...this.row, details: { ...this.row.details, isKeyUsed: true } }
    }
  }

  /** Starts a client call for the request, and performs the remaining steps within this call. */
  async #startCall(seen: LookupResult | undefined): Promise<void> {
    const { key, id, body } = this.row
    const input = {
      ...(id !== undefined && { params: { id } }),
      body: body === undefined ? undefined : JSON.parse(body),
      isStored: true,
    }
    const options = { ...this.lookup.requestOptions, idempotencyKey: key }
    const record = async (call: CallRecord, send: Send) => {
      this.#enter(call, send)
      await this.#takeSteps(seen)
      return this.result()
    }
    try {
      await this.#transport.send(this.operation, input, options, { record }).withResponse()
    } catch (error) {
      if (this.#send !== undefined) {
        // If there is a reply, the request failed, and `result` will throw the error. Otherwise, the journal failed,
        // and its error is thrown here.
        if (this.reply === undefined) throw error
        return
      }
      this.error = error
      const isInvalid = (error as Partial<PaymentsError>).code === 'ERR_REQUEST_VALIDATION'
      this.#receive(isInvalid ? { kind: 'invalid' } : replyOf(error))
      await this.#takeSteps()
    }
  }

  /**
   * Prepares a capture or refund: stores the state of the payment, so that the effect can be identified later. Returns
   * a reply if the operation must not be sent now.
   */
  async #prepare(): Promise<Reply | undefined> {
    const { key, operation, before, state } = this.row
    if (!comparedOperations.includes(operation) || before !== undefined || state === 'unknown') return undefined
    try {
      const found = await this.#readPayment()
      this.row = { ...this.row, before: (found && snapshotOf(found.data)) ?? {} }
      const lost = found && (await storing(this.lookup.findLost(this.row, found), callFacts(this)))
      if (lost && lost.kind !== 'none') return { kind: 'held', lost }
    } catch (error) {
      this.error = Object.assign(error as Error, { outcome: 'not_sent', idempotencyKey: key })
      return { kind: 'open', isSent: false, isAmbiguous: false }
    }
    await this.#note(this.row.before as PaymentSnapshot)
    return undefined
  }

  /**
   * Fetches the payment. Returns undefined if this API key cannot read it. In that case, only the time of a transaction
   * can identify the effect.
   */
  async #readPayment(): Promise<WithResponse<PaymentCore> | undefined> {
    const { id, details } = this.row
    try {
      return await this.lookup.get(id)
    } catch (error) {
      const { httpStatus, body } = error as Partial<ApiError>
      const isUnreadable = hasErrorEnvelope(body) && (httpStatus === 403 || httpStatus === 404)
      if (isUnreadable && details.intention === undefined) return undefined
      throw error
    }
  }

  /** Stores the state of the payment before the first request. */
  async #note(before: PaymentSnapshot): Promise<void> {
    const { key, resource } = this.row
    const noting = this.#journal.store.update({ key, resource }, (held) =>
      rules.note(held, this.#claimed.owner, before),
    )
    const isStored = await storing(noting, callFacts(this))
    if (!isStored) throw claimLost(callFacts(this))
  }

  async #request(send: Send): Promise<Reply> {
    // The request may change the payment, so the result of an earlier lookup is out of date.
    this.lookup.known = undefined
    this.#limitRequests()
    let result: WithResponse<PaymentCore>
    try {
      result = (await send()) as WithResponse<PaymentCore>
    } catch (error) {
      this.error = error
      this.lookup.readClock((error as Partial<ApiError>).headers)
      const reply = replyOf(error)
      // The service rejected the request, so the payment is unchanged, and the earlier snapshot is still correct.
      if (reply.kind === 'rejected' && !reply.isAmbiguous) this.lookup.known = this.#claimed.known
      return reply
    }
    return { kind: 'done', result: await this.lookup.findIn(this.row, result) }
  }

  /** Limits the call's requests to the time during which the operation may be sent and this process has the claim. */
  #limitRequests(): void {
    const { lookup } = this
    const operation = { ...this.row, firstSentAt: this.row.firstSentAt ?? this.#claimed.row.firstSentAt }
    const renewals = this.#renewals as Renewals
    let isFirst = this.row.firstSentAt === undefined
    const sendingRules: SendingRules = {
      get remaining() {
        return sendableFor(operation, isFirst, lookup.times)
      },
      async problem() {
        if (!(await renewals.ensure())) return 'The journal could not renew its claim on the operation'
        const isAllowed = sendingRules.remaining > 0
        isFirst = false
        return isAllowed
          ? undefined
          : 'The operation may not be sent any more, because resendFor or keyLifetime has passed'
      },
    }
    ;(this.call as CallRecord).sendingRules = sendingRules
  }

  /**
   * Stores the result of the execution in the journal. Reports a failure instead of throwing it, because the result of
   * the request is still valid.
   */
  async #storeEnding(ending: rules.Ending): Promise<void> {
    const { deadline, onSettled } = this.#options
    const { store } = this.#journal
    const { settings } = this.#transport
    const { owner, row } = this.#claimed
    const { key, resource } = row
    const identity = this.call?.identity ?? new CallIdentity(this.operation, settings)
    const hasHook = onSettled !== undefined && !isOpenState(ending.row.state)
    let isHookRunning = false
    const hook: Pick<rules.Ending, 'onSettled' | 'onEnd'> = {
      onSettled: (row, transaction) => {
        isHookRunning = true
        return onSettled?.(row, transaction, this.lookup.response?.data)
      },
      onEnd(isIdle) {
        isHookRunning = false
        if (isIdle) hookWasIdle(identity, `the function onSettled ran no statement (key ${key})`)
      },
    }
    const change = (held: rules.Held) => rules.finish(held, owner, { ...ending, ...(hasHook && hook) })
    try {
      const limit = new Deadline(Math.max(storeWithinMs, deadline.remaining), undefined, settings.runtime)
      const stored = await limit.run(async () => {
        await this.#renewals?.stop()
        return store.update({ key, resource }, change, hasHook)
      })
      if (stored === undefined) throw claimLost(callFacts(this))
      this.row = stored
    } catch (error) {
      const problem = isHookRunning
        ? 'the function onSettled failed, so the result was not stored: operations.recover calls the function again'
        : 'the journal could not store the result: operations.recover finishes the operation'
      recordingFailed(identity, error, `${problem} (key ${key})`)
      const free = () => release(store, resource, owner)
      await new Deadline(storeWithinMs, undefined, settings.runtime).run(free).catch(() => {})
      this.row = row
      this.#storeError = error
    }
  }
}

/** Minimum time for storing a result, in milliseconds, even if the call's time limit has passed. */
const storeWithinMs = 5_000

/** Creates the error for an operation whose claim has expired, for example because this process was paused. */
function claimLost(facts: CallFacts): ConfigurationError {
  return new ConfigurationError(
    'This process lost its claim on the operation, because it did not renew the claim in time',
    {
      ...facts,
      retry: 'same-key',
    },
  )
}

function replyOf(error: unknown): Reply {
  const { outcome = 'unknown', code, httpStatus: status = 0, errorId, body, attempts = [] } = error as Partial<ApiError>
  const subject = subjectOf({ status, errorId, hasEnvelope: hasErrorEnvelope(body) })
  const isKeyUsed = subject === 'key'
  const isOnlyRequest = attempts.length === 1
  const isAmbiguous = outcome === 'unknown' || outcome === ('accepted' as string) || isKeyUsed
  return code === 'ERR_API' && subject === 'content'
    ? { kind: 'rejected', isAmbiguous, isOnlyRequest }
    : { kind: 'open', isSent: outcome !== 'not_sent', isAmbiguous, isKeyUsed, isOnlyRequest }
}
