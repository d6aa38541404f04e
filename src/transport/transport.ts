import { type Call, toCall, type WithResponse } from '../call.js'
import { type AnyOperation, type InputOf, namesOf, type ResultOf } from '../contract/operation.js'
import type { PaymentsError, RequestValidationError } from '../errors.js'
import { Deadline } from '../internal/deadline.js'
import type { Issue } from '../internal/issues.js'
import { engine } from '../internal/journal-engine.js'
import { overrideSettings, type Settings } from '../settings.js'
import { type CallIdentity, CallRecord, factsOf, identify } from './call-record.js'
import { isTraced, traceCall } from './channels.js'
import { callEnded, checkFilters } from './events.js'
import { assignKey } from './idempotency.js'
import { type Limits, RetryBudget, Slots } from './limits.js'
import { type Input, type PreparedRequest, prepareRequest } from './request.js'
import { sendWithRetries } from './retry.js'

/** Records the keyed calls of a client. */
export interface Recorder {
  /** Runs before and after the requests of a call. */
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
    this.#limits = limits ?? { slots: new Slots(settings.maxConnections), retryBudget: new RetryBudget() }
  }

  with<W extends string>(overrides: object): Transport<W> {
    return createTransport<W>(overrideSettings(this.settings, overrides), this.#limits)
  }

  /** Checks and encodes a request without sending it. Throws the error with which `send` would reject it. */
  prepare(operation: AnyOperation, input: Input, options?: object): PreparedRequest {
    return prepareRequest(this.settings, operation, input, options, namesOf(operation))
  }

  /** Checks arguments without sending a request. Returns the issues with which `send` would reject them. */
  check(operation: AnyOperation, input: Input, options?: object): readonly Issue[] {
    try {
      this.prepare(operation, input, options)
      return []
    } catch (error) {
      return (error as Partial<RequestValidationError>).issues ?? []
    }
  }

  /** Sends an operation. Even a call that fails because of invalid arguments gets a `callId` and is reported to `hooks.onResult`. */
  send<Op extends AnyOperation>(
    operation: Op,
    input: InputOf<Op, V> & Input,
    options?: object,
    recorder = this.settings.journal?.[engine] as Recorder | undefined,
  ): Call<ResultOf<Op, V>> {
    const identity = identify(operation, this.settings)
    const send = () => this.#send(identity, input, options, recorder) as Promise<WithResponse<never>>
    return toCall(isTraced('call') ? traceCall(identity, send) : send())
  }

  async #send(
    identity: CallIdentity,
    input: Input,
    options: object | undefined,
    recorder: Recorder | undefined,
  ): Promise<WithResponse<unknown>> {
    const { settings } = this
    try {
      const request = prepareRequest(settings, identity.operation, input, options, factsOf(identity))
      checkFilters(identity, request.query)
      const { signal, totalTimeout = settings.totalTimeout } = request.options
      const call = new CallRecord(identity, request, this.#limits, new Deadline(totalTimeout, signal, settings.runtime))
      // This `await` always yields, so nothing is sent if the caller aborts immediately after the call.
      await assignKey(call)
      const isRecorded = call.idempotencyKey !== undefined && identity.operation.refetch !== undefined
      const result = await (recorder && isRecorded
        ? recorder.record(call, () => sendWithRetries(call), this)
        : sendWithRetries(call))
      callEnded(identity, result.response)
      return result
    } catch (error) {
      callEnded(identity, error as PaymentsError)
      throw error
    }
  }
}

// Defined outside the class, because bundlers rename a class that refers to itself. Stack traces would show the new
// name.
function createTransport<V extends string>(...args: ConstructorParameters<typeof Transport>): Transport<V> {
  return new Transport(...args)
}
