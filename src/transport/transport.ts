import { type Call, toCall, type WithResponse } from '../call.js'
import type { AnyOperation, InputOf, ResultOf } from '../contract/operation.js'
import type { PaymentsError } from '../errors.js'
import { Deadline } from '../internal/deadline.js'
import { overrideSettings, type Settings } from '../settings.js'
import { type CallIdentity, CallRecord, factsOf, identify } from './call-record.js'
import { isTraced, traceCall } from './channels.js'
import { callEnded, checkFilters } from './events.js'
import { assignKey } from './idempotency.js'
import { type Limits, RetryBudget, Slots } from './limits.js'
import { type CheckedArguments, checkArguments, type Input, prepareRequest } from './request.js'
import { sendWithRetries } from './retry.js'

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

  /** Checks and copies arguments, so that `send` can use them later. */
  check(operation: AnyOperation, input: Input, options?: object): CheckedArguments {
    return checkArguments(this.settings, operation, input, options)
  }

  /** Sends an operation. Even a call that fails because of invalid arguments gets a `callId` and is reported to `hooks.onResult`. */
  send<Op extends AnyOperation>(operation: Op, input: InputOf<Op, V> & Input, options?: object): Call<ResultOf<Op, V>> {
    const identity = identify(operation, this.settings)
    const send = () => this.#send(identity, input, options) as Promise<WithResponse<never>>
    return toCall(isTraced('call') ? traceCall(identity, send) : send())
  }

  async #send(identity: CallIdentity, input: Input, options: object | undefined): Promise<WithResponse<unknown>> {
    const { settings } = this
    try {
      const request = prepareRequest(settings, identity.operation, input, options, factsOf(identity))
      checkFilters(identity, request.query)
      const { signal, totalTimeout = settings.totalTimeout } = request.options
      const call = new CallRecord(identity, request, this.#limits, new Deadline(totalTimeout, signal, settings.runtime))
      // This `await` always yields, so nothing is sent if the caller aborts immediately after the call.
      await assignKey(call)
      const result = await sendWithRetries(call)
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
