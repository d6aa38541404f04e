import { type Answer, type Call, callOf } from '../call.js'
import type { AnyOperation, InputOf, ResultOf } from '../contract/operation.js'
import { AbortedError } from '../errors.js'
import { Deadline, type Interrupted } from '../internal/deadline.js'
import type { PaymentCore } from '../schemas/payment.js'
import { overrideSettings, type Settings } from '../settings.js'
import { type AttemptPlan, attempt, type Shared } from './attempt.js'
import { backoff } from './backoff.js'
import { RetryBudget } from './budget.js'
import { aborted, type Failure, interrupted, keyWasUsed } from './failure.js'
import { History } from './history.js'
import { idempotencyKeyFor } from './idempotency-key.js'
import { callEvent, Observer } from './observer.js'
import { type Input, type PreparedRequest, paymentIn, prepareRequest } from './request.js'
import { longestRetryAfter } from './retry-after.js'
import { Slots } from './slots.js'

/** Sends operations: checks, repeats where that is safe, and says what may be concluded when it fails. */
export class Transport<V extends string = string> {
  readonly settings: Settings
  readonly #shared: Shared

  constructor(settings: Settings, shared?: Shared) {
    this.settings = settings
    this.#shared = shared ?? {
      slots: new Slots(settings.maxConnections),
      budget: new RetryBudget(),
      observer: new Observer(),
    }
  }

  /** The same connections and retry budget, with some options changed. */
  with<W extends string>(overrides: object): Transport<W> {
    return transportOf<W>(overrideSettings(this.settings, overrides), this.#shared)
  }

  /** Throws what `send` would refuse. */
  check(operation: AnyOperation, input: Input, options?: object): void {
    prepareRequest(this.settings, operation, input, options)
  }

  /** Send an operation, with what it takes and returns in version `V`. */
  send<Op extends AnyOperation>(operation: Op, input: InputOf<Op, V> & Input, options?: object): Call<ResultOf<Op, V>> {
    return callOf(() => this.#send(operation, input, options) as Promise<Answer<never>>)
  }

  async #send(operation: AnyOperation, input: Input, options: object | undefined): Promise<Answer<unknown>> {
    const request = prepareRequest(this.settings, operation, input, options)
    const { signal, totalTimeout = this.settings.totalTimeout } = request.options
    const deadline = new Deadline(totalTimeout, signal)
    const key = await idempotencyKeyFor(request, this.settings, deadline)
    return this.#repeat(
      key === undefined && request.class === 'keyed' ? { ...request, class: 'once' } : request,
      key,
      deadline,
    )
  }

  /** Attempt after attempt, until one succeeds or another one would be unsafe or pointless. */
  async #repeat(
    request: PreparedRequest,
    idempotencyKey: string | undefined,
    deadline: Deadline,
  ): Promise<Answer<unknown>> {
    const { maxRetries = this.settings.maxRetries, timeout = this.settings.timeout } = request.options
    const history = new History(request, idempotencyKey)
    for (let retries = 0; ; retries++) {
      const plan: AttemptPlan = {
        number: history.attempts.length + 1,
        request,
        settings: this.settings,
        idempotencyKey,
        deadline,
        timeout,
      }
      const ambiguousBefore = history.ambiguous
      const result = await attempt(plan, this.#shared)
      history.add(result)
      if (result.success) {
        this.#shared.budget.earn()
        return history.toAnswer(result.success)
      }
      const failure = result.failure as Failure
      const { refetch } = request.operation
      if (ambiguousBefore && refetch && keyWasUsed(failure)) return this.#recover(refetch, failure, history, deadline)
      if (retries >= maxRetries || !history.mayRepeat(failure)) throw history.toError(failure)
      await this.#pause(failure, history, plan)
    }
  }

  /** Wait before the next attempt, or throw when waiting is pointless. */
  async #pause(
    failure: Failure,
    history: History,
    { number, request, idempotencyKey, deadline }: AttemptPlan,
  ): Promise<void> {
    const asked = failure.answer?.retryAfterMs
    if (asked !== undefined && (asked > longestRetryAfter || asked >= deadline.remaining))
      throw history.toError(failure)
    if (!this.#shared.budget.spend()) throw history.toError(failure)
    const delayMs = Math.max(asked ?? 0, backoff(number))
    const event = callEvent(request.operation, number, idempotencyKey)
    this.#shared.observer.retrying(this.settings, event, delayMs, failure.code)
    try {
      await deadline.sleep(delayMs)
    } catch (error) {
      throw history.toError(interrupted(error as Interrupted, 'backoff'))
    }
  }

  /**
   * The service says that our key was used: the earlier attempt took effect, and its answer was lost. Read what it made.
   * If that cannot be done, or it is not what was asked for, the conflict is all we know.
   */
  async #recover(
    refetch: AnyOperation,
    conflict: Failure,
    history: History,
    deadline: Deadline,
  ): Promise<Answer<unknown>> {
    const { paymentId } = conflict.answer ?? {}
    const id = paymentIn(history.request) ?? paymentId
    if (id === undefined || (paymentId !== undefined && paymentId !== id)) throw history.toError(conflict)
    try {
      const { headers, timeout, maxRetries } = history.request.options
      const request = prepareRequest(this.settings, refetch, { params: { id } }, { headers, timeout, maxRetries })
      const answer = await this.#repeat(request, undefined, deadline)
      const { operation, bodyValue } = history.request
      if (operation.isConsistent?.(answer.data as PaymentCore, bodyValue) === false) throw history.toError(conflict)
      return { data: answer.data, response: history.recovered(answer) }
    } catch (error) {
      throw history.toError(error instanceof AbortedError ? aborted('headers', error.reason) : conflict)
    }
  }
}

// Made outside the class: a bundler renames a class that names itself, and that name shows in stack traces.
function transportOf<V extends string>(...args: ConstructorParameters<typeof Transport>): Transport<V> {
  return new Transport(...args)
}
