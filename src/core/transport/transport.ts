import { type Call, toCall, type WithResponse } from '../call.js'
import { type AnyOperation, type InputOf, namesOf, type ResultOf } from '../contract/operation.js'
import type { PaymentsError } from '../errors.js'
import { Deadline, isEndOfIteration } from '../internal/deadline.js'
import { journalFunctions } from '../internal/journal-functions.js'
import type { Health } from '../options.js'
import { overrideSettings, type Settings } from '../settings.js'
import { CallIdentity, CallRecord, factsOf } from './call-record.js'
import { channels, traceCall } from './channels.js'
import { callEnded, checkFilters } from './events.js'
import { assignKey } from './idempotency.js'
import { createLimits, type Limits } from './limits.js'
import { type CheckedArguments, checkArguments, type Input, type PreparedRequest, prepareRequest } from './request.js'
import { sendWithRetries } from './retry.js'

/** Records calls that have an idempotency key in the journal. */
export interface Recorder {
  /** Records a call before its first request and after its last request. Calls `send` to send the requests. */
  record(
    call: CallRecord,
    send: () => Promise<WithResponse<unknown>>,
    transport: Transport,
  ): Promise<WithResponse<unknown>>
}

export class Transport<V extends string = string> {
  readonly settings: Settings
  readonly #limits: Limits

  constructor(settings: Settings, limits?: Limits) {
    this.settings = settings
    this.#limits = limits ?? createLimits(settings)
  }

  with<W extends string>(overrides: object): Transport<W> {
    // Uses `this.constructor`, because bundlers rename a class that refers to itself, and stack traces would then show
    // the new name.
    const Constructor = this.constructor as new (settings: Settings, limits: Limits) => Transport<W>
    return new Constructor(overrideSettings(this.settings, overrides), this.#limits)
  }

  get health(): Health {
    const { retryBudget, recentCalls } = this.#limits
    const { calls, unknown, durationMs } = recentCalls.read()
    const since = new Date(Date.now() - durationMs)
    return { retryBudget: retryBudget.remaining, recentCalls: calls, recentUnknown: unknown, since }
  }

  /** Checks and encodes a request without sending it. If the request is invalid, throws the same error as `send`. */
  prepare(operation: AnyOperation, input: Input, options?: object): PreparedRequest {
    return prepareRequest(this.settings, operation, input, options, () => namesOf(operation))
  }

  /** Checks and copies arguments, so that `send` can use them later. */
  check(operation: AnyOperation, input: Input, options?: object): CheckedArguments {
    return checkArguments(this.settings, operation, input, options)
  }

  /**
   * Sends an operation. Even a call that fails because of invalid arguments gets a `callId` and is reported to
   * `hooks.onResult`.
   */
  send<Op extends AnyOperation>(
    operation: Op,
    input: InputOf<Op, V> & Input,
    options?: object,
    recorder = this.settings.journal?.[journalFunctions] as Recorder | undefined,
  ): Call<ResultOf<Op, V>> {
    const identity = new CallIdentity(operation, this.settings)
    const send = () => this.#send(identity, input, options, recorder) as Promise<ResultOf<Op, V>>
    const data = channels.call.hasSubscribers ? traceCall(identity, send) : send()
    return toCall(data, () => (identity.success as WithResponse<unknown>).response)
  }

  async #send(
    identity: CallIdentity,
    input: Input,
    options: object | undefined,
    recorder: Recorder | undefined,
  ): Promise<unknown> {
    const { settings } = this
    const { recentCalls } = this.#limits
    try {
      const request = prepareRequest(settings, identity.operation, input, options, () => factsOf(identity))
      checkFilters(identity, request.query)
      const { signal, totalTimeout = settings.totalTimeout } = request.options
      const deadline = new Deadline(totalTimeout, signal, settings.runtime, recorder !== undefined)
      const call = new CallRecord(identity, request, this.#limits, deadline)
      // This `await` always yields, so no request is sent if the caller aborts immediately after the call.
      await assignKey(call)
      const isRecorded = call.idempotencyKey !== undefined && identity.operation.refetch !== undefined
      const result = await (recorder && isRecorded
        ? recorder.record(call, () => sendWithRetries(call), this)
        : sendWithRetries(call))
      identity.success = result
      recentCalls.add('succeeded')
      callEnded(identity)
      return result.data
    } catch (error) {
      const failure = error as PaymentsError
      if (failure.retry !== 'no')
        recentCalls.add(isEndOfIteration(failure) ? 'succeeded' : (failure.outcome ?? 'unknown'))
      callEnded(identity, failure)
      throw error
    }
  }
}
