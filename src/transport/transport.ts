import { type Answer, type Call, callOf, type ResponseInfo } from '../call.js'
import type { AnyOperation, Operation, PathParams } from '../contract/operation.js'
import { get as getPayment } from '../contract/payments.js'
import type { ByShape, ShapeOf } from '../contract/version.js'
import { Deadline, Interrupted } from '../deadline.js'
import {
  type Attempt,
  ConfigurationError,
  type FailedCall,
  type Outcome,
  type PaymentsError,
  RequestValidationError,
} from '../errors.js'
import type { IdempotencyKeyFunction } from '../options.js'
import type { Schema, Zod } from '../schemas/schema.js'
import { overrideSettings, type Settings } from '../settings.js'
import { adviceFor } from './advice.js'
import { type AttemptPlan, type AttemptResult, attempt, type Shared } from './attempt.js'
import { backoff } from './backoff.js'
import { RetryBudget } from './budget.js'
import { idempotencyKeyProblem } from './call-options.js'
import { type Failure, interrupted, keyWasUsed } from './failure.js'
import { claimKey } from './key-store.js'
import { callEvent, Observer } from './observer.js'
import { type Input, type PreparedRequest, paymentIn, prepareRequest } from './request.js'
import { longestRetryAfter } from './retry-after.js'
import { Slots } from './slots.js'

/** What a caller says of one operation, typed by its contract. */
type InputOf<Path extends string, Query, Body> = Input & {
  params?: PathParams<Path>
  query?: Query | undefined
  body?: Body
}

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
  send<Path extends string, Query, OldBody, NewBody, OldResult, NewResult>(
    operation: Operation<
      Path,
      Query,
      ByShape<Zod<OldBody>, Zod<NewBody>>,
      ByShape<Schema<OldResult>, Schema<NewResult>>
    >,
    input: InputOf<Path, Query, ByShape<OldBody, NewBody>[ShapeOf<V>]>,
    options?: object,
  ): Call<ByShape<OldResult, NewResult>[ShapeOf<V>]> {
    return callOf(() => this.#send(operation, input, options) as Promise<Answer<never>>)
  }

  async #send(operation: AnyOperation, input: Input, options: object | undefined): Promise<Answer<unknown>> {
    const request = prepareRequest(this.settings, operation, input, options)
    const { signal, totalTimeout = this.settings.totalTimeout } = request.options
    const deadline = new Deadline(totalTimeout, signal)
    const key = await this.#idempotencyKey(request, deadline)
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
    for (;;) {
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
      if (ambiguousBefore && isRecoverable(failure, request)) return this.#recover(failure, history, deadline)
      if (history.attempts.length > maxRetries || !history.mayRepeat(failure)) throw history.toError(failure)
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
   * The service says that our key was used: the earlier attempt took effect, and its answer was lost. Read the payment.
   * If that cannot be done, the conflict is all we know.
   */
  async #recover(conflict: Failure, history: History, deadline: Deadline): Promise<Answer<unknown>> {
    const { paymentId } = conflict.answer ?? {}
    const id = paymentIn(history.request) ?? paymentId
    if (id === undefined || (paymentId !== undefined && paymentId !== id)) throw history.toError(conflict)
    const request = prepareRequest(this.settings, getPayment, { params: { id } }, undefined)
    try {
      const answer = await this.#repeat(request, undefined, deadline)
      return { data: answer.data, response: history.recovered(answer) }
    } catch {
      throw history.toError(conflict)
    }
  }

  /** The key that goes out, if one does: the caller's, else as the client's options say. */
  async #idempotencyKey(request: PreparedRequest, deadline: Deadline): Promise<string | undefined> {
    if (request.operation.class !== 'keyed') return undefined
    const { idempotency, idempotencyStore: store } = this.settings
    const given = request.options.idempotencyKey ?? (idempotency === 'auto' ? crypto.randomUUID() : undefined)
    if (store === undefined && (given !== undefined || idempotency === 'off')) return given
    try {
      return await deadline.run(async () => {
        const key = given ?? (typeof idempotency === 'function' ? await makeKey(idempotency, request) : undefined)
        if (store !== undefined && key !== undefined) await claimKey(store, key, request)
        return key
      })
    } catch (error) {
      throw error instanceof Interrupted ? new History(request, given).toError(interrupted(error, 'queue')) : error
    }
  }
}

// Made outside the class: a bundler renames a class that names itself, and that name shows in stack traces.
function transportOf<V extends string>(...args: ConstructorParameters<typeof Transport>): Transport<V> {
  return new Transport(...args)
}

/** Ask the caller's function for a key. */
async function makeKey(make: IdempotencyKeyFunction, request: PreparedRequest): Promise<string | undefined> {
  const call = operationOf(request.operation)
  let key: string | undefined
  try {
    key = await make(call.operation, request.params, request.bodyValue)
  } catch {
    throw new ConfigurationError('The idempotency function failed', { ...call, outcome: 'not_sent', attempts: [] })
  }
  const problem = key === undefined ? undefined : idempotencyKeyProblem(key)
  if (problem) throw new RequestValidationError([{ path: ['idempotencyKey'], message: problem }], call)
  return key
}

/** What happened so far in one call, and what may be concluded from it. */
class History {
  readonly attempts: Attempt[] = []
  #outcome: Outcome = 'not_sent'

  constructor(
    readonly request: PreparedRequest,
    readonly idempotencyKey: string | undefined,
  ) {}

  /** Whether an earlier attempt may have taken effect. */
  get ambiguous(): boolean {
    return certainty[this.#outcome] >= certainty.unknown
  }

  /** Note how an attempt ended. One that ended in doubt leaves the doubt, whatever the next one says. */
  add({ durationMs, success, failure, dispatched }: AttemptResult): void {
    const outcome = failure?.outcome ?? 'not_sent'
    if (certainty[outcome] > certainty[this.#outcome]) this.#outcome = outcome
    if (!dispatched) return
    const status = success?.answer.status ?? failure?.status
    this.attempts.push({
      number: this.attempts.length + 1,
      durationMs,
      ...(status === undefined ? undefined : { status }),
      ...(failure === undefined ? undefined : { code: failure.code }),
    })
  }

  /** Whether another attempt is safe. */
  mayRepeat(failure: Failure): boolean {
    if (failure.repeat === 'never') return false
    const repeatable = this.request.class !== 'once'
    return repeatable || (failure.repeat === 'freely' && !this.ambiguous)
  }

  toError(failure: Failure): PaymentsError {
    const { operation } = this.request
    const call: FailedCall = {
      ...operationOf(operation),
      outcome: this.#outcome,
      attempts: this.attempts,
      idempotencyKey: this.idempotencyKey,
      resourceId: paymentIn(this.request),
      advice: adviceFor(this.request, this.#outcome, failure),
    }
    return failure.toError(call)
  }

  toAnswer({ data, answer }: NonNullable<AttemptResult['success']>): Answer<unknown> {
    return { data, response: new AnsweredCall(answer, this.attempts, this.idempotencyKey) }
  }

  /** The response of a call whose result was read afterwards. */
  recovered({ response }: Answer<unknown>): ResponseInfo {
    const reading = response.attempts.map((attempt, index) => ({
      ...attempt,
      number: this.attempts.length + index + 1,
    }))
    return new AnsweredCall(response, [...this.attempts, ...reading], this.idempotencyKey, true)
  }
}

/** What is known about an answer. Its headers are made when someone looks. */
class AnsweredCall implements ResponseInfo {
  readonly status: number
  declare readonly idempotencyKey?: string
  declare readonly recovered?: true
  readonly #answer: { readonly headers: Headers }

  constructor(
    answer: { readonly status: number; readonly headers: Headers },
    readonly attempts: readonly Attempt[],
    idempotencyKey: string | undefined,
    recovered?: true,
  ) {
    this.status = answer.status
    this.#answer = answer
    if (idempotencyKey !== undefined) this.idempotencyKey = idempotencyKey
    if (recovered) this.recovered = recovered
  }

  get headers(): Headers {
    return this.#answer.headers
  }
}

/** How much an outcome says about an effect; the highest of all attempts is the call's. */
const certainty: Record<Outcome, number> = { not_sent: 0, rejected: 1, unknown: 2, accepted: 3 }

/** Whether the lost answer was a payment, and the service says that the key was used for it. */
function isRecoverable(failure: Failure, { operation }: PreparedRequest): boolean {
  return operation.class === 'keyed' && operation.response === getPayment.response && keyWasUsed(failure)
}

function operationOf({ name, method, path }: AnyOperation) {
  return { operation: name, method, path }
}
