import { type Call, toCall, type WithResponse } from '../call.js'
import type { AnyOperation, InputOf, ResultOf } from '../contract/operation.js'
import { Deadline } from '../internal/deadline.js'
import { overrideSettings, type Settings } from '../settings.js'
import { CallRecord } from './call-record.js'
import { assignKey } from './idempotency.js'
import { type Limits, RetryBudget, Slots } from './limits.js'
import { type Input, prepareRequest } from './request.js'
import { sendWithRetries } from './retry.js'

/** Sends operations: checks, encodes, retries if that is safe, and determines the outcome. */
export class Transport<V extends string = string> {
  readonly settings: Settings
  readonly #limits: Limits

  constructor(settings: Settings, limits?: Limits) {
    this.settings = settings
    this.#limits = limits ?? { slots: new Slots(settings.maxConnections), retryBudget: new RetryBudget() }
  }

  /** Creates a copy with other settings and the same connections and retry budget. */
  with<W extends string>(overrides: object): Transport<W> {
    return createTransport<W>(overrideSettings(this.settings, overrides), this.#limits)
  }

  /** Throws if `send` would reject the arguments. */
  check(operation: AnyOperation, input: Input, options?: object): void {
    prepareRequest(this.settings, operation, input, options)
  }

  /** Sends an operation with the body and the result of version `V`. */
  send<Op extends AnyOperation>(operation: Op, input: InputOf<Op, V> & Input, options?: object): Call<ResultOf<Op, V>> {
    return toCall(this.#send(operation, input, options) as Promise<WithResponse<never>>)
  }

  async #send(operation: AnyOperation, input: Input, options: object | undefined): Promise<WithResponse<unknown>> {
    const request = prepareRequest(this.settings, operation, input, options)
    const { signal, totalTimeout = this.settings.totalTimeout } = request.options
    const call = new CallRecord(request, this.settings, this.#limits, new Deadline(totalTimeout, signal))
    // Waits at least a microtask, so that an abort directly after the call prevents the request.
    await assignKey(call)
    return sendWithRetries(call)
  }
}

// Outside the class, because bundlers rename a class that refers to itself, and stack traces show that name.
function createTransport<V extends string>(...args: ConstructorParameters<typeof Transport>): Transport<V> {
  return new Transport(...args)
}
