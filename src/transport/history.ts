import type { Answer, ResponseInfo } from '../call.js'
import { namesOf } from '../contract/operation.js'
import type { Attempt, FailedCall, Outcome, PaymentsError } from '../errors.js'
import { adviceFor } from './advice.js'
import type { AttemptResult } from './attempt.js'
import type { Failure } from './failure.js'
import { type PreparedRequest, paymentIn } from './request.js'

/** What happened so far in one call, and what may be concluded from it. */
export class History {
  readonly attempts: Attempt[] = []
  #outcome: Outcome = 'not_sent'

  constructor(
    readonly request: PreparedRequest,
    readonly idempotencyKey: string | undefined,
  ) {}

  /** Whether an earlier attempt may have taken effect. */
  get ambiguous(): boolean {
    return weight[this.#outcome] >= weight.unknown
  }

  /** Note how an attempt ended. One that ended in doubt leaves the doubt, whatever the next one says. */
  add({ durationMs, success, failure, dispatched }: AttemptResult): void {
    const outcome = failure?.outcome ?? 'not_sent'
    if (weight[outcome] > weight[this.#outcome]) this.#outcome = outcome
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
      ...namesOf(operation),
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

/** How much an outcome says of an effect; the heaviest of all attempts is the call's. */
const weight: Record<Outcome, number> = { not_sent: 0, rejected: 1, unknown: 2, accepted: 3 }
