import type { ResponseInfo, WithResponse } from '../call.js'
import { namesOf, type OperationClass } from '../contract/operation.js'
import type { Attempt, CallFacts, Outcome, PaymentsError, TimeoutPhase } from '../errors.js'
import { type Deadline, monotonic } from '../internal/deadline.js'
import type { Settings } from '../settings.js'
import { type Failure, keyIsTaken } from './failure.js'
import type { HttpResponse } from './http/adapter.js'
import type { Limits } from './limits.js'
import { type PreparedRequest, paymentIn } from './request.js'

/** The result of one attempt. */
export type Result = Success | { readonly kind: 'failure'; readonly failure: Failure }

interface Success {
  readonly kind: 'success'
  readonly data: unknown
  readonly response: HttpResponse
}

/** One attempt of a call, and its progress. */
export interface AttemptContext {
  readonly call: CallRecord
  /** 1 for the first. */
  readonly number: number
  readonly startedAt: number
  /** The current step. The meaning of a failure depends on it. */
  phase: TimeoutPhase
  /** The headers that were sent. */
  headers: Readonly<Record<string, string>>
  /** The response, once its headers arrived. */
  response: HttpResponse | undefined
}

/** The effect that each outcome stands for. The heaviest outcome of all attempts is the outcome of the call. */
const weight: Record<Outcome, number> = { not_sent: 0, rejected: 1, unknown: 2, accepted: 3 }

/** One call: its request, its attempts, and the outcome that follows from them. */
export class CallRecord {
  idempotencyKey: string | undefined
  /** Whether the SDK made the idempotency key for this call, so that no other call can have used it. */
  hasOwnKey = false
  #outcome: Outcome = 'not_sent'

  constructor(
    readonly request: PreparedRequest,
    readonly settings: Settings,
    readonly limits: Limits,
    readonly deadline: Deadline,
    readonly attempts: Attempt[] = [],
  ) {}

  /** The retry class. A keyed operation without a key is never retried after an ambiguous attempt. */
  get class(): OperationClass {
    return this.request.class === 'keyed' && this.idempotencyKey === undefined ? 'once' : this.request.class
  }

  /** Whether an attempt may have taken effect. */
  get isAmbiguous(): boolean {
    return weight[this.#outcome] >= weight.unknown
  }

  startAttempt(): AttemptContext {
    return {
      call: this,
      number: this.attempts.length + 1,
      startedAt: monotonic(),
      phase: 'queue',
      headers: {},
      response: undefined,
    }
  }

  /** Records the end of an attempt. */
  add({ phase, number, startedAt }: AttemptContext, result: Result): void {
    const failure = result.kind === 'failure' ? result.failure : undefined
    if (failure !== undefined) this.addOutcome(failure.outcome)
    if (phase === 'queue') return
    const status = result.kind === 'success' ? result.response.status : failure?.status
    this.attempts.push({
      number,
      durationMs: monotonic() - startedAt,
      ...(status === undefined ? undefined : { status }),
      ...(failure === undefined ? undefined : { code: failure.code }),
    })
  }

  /** An ambiguous attempt keeps the whole call ambiguous. */
  addOutcome(outcome: Outcome): void {
    if (weight[outcome] > weight[this.#outcome]) this.#outcome = outcome
  }

  /** Whether a retry is safe. */
  mayRetry(failure: Failure): boolean {
    if (failure.retry === 'never') return false
    return this.class !== 'once' || (failure.retry === 'always' && !this.isAmbiguous)
  }

  /** The facts for an error, before or after the first attempt. */
  facts(failure?: Failure): CallFacts {
    return {
      ...namesOf(this.request.operation),
      outcome: this.#outcome,
      attempts: this.attempts,
      idempotencyKey: this.idempotencyKey,
      resourceId: paymentIn(this.request),
      cursor: this.request.query.get('cursor'),
      advice: failure && this.#advice(failure),
    }
  }

  toError(failure: Failure): PaymentsError {
    return failure.toError(this.facts(failure))
  }

  toResult({ data, response }: Success): WithResponse<unknown> {
    return { data, response: new ResponseRecord(response, this.attempts, this.idempotencyKey) }
  }

  toRecoveredResult({ data, response }: WithResponse<unknown>): WithResponse<unknown> {
    return { data, response: new ResponseRecord(response, this.attempts, this.idempotencyKey, true) }
  }

  /** The next step for the caller, if the outcome leaves a question open. */
  #advice(failure: Failure): string | undefined {
    if (this.#outcome === 'rejected' && keyIsTaken(failure)) {
      return 'An earlier call with this idempotency key took effect: retrieve that payment before you do anything else'
    }
    const isOpen = this.#outcome === 'unknown' || this.#outcome === 'accepted'
    if (!isOpen || this.request.operation.class === 'safe') return undefined
    const effect =
      this.#outcome === 'accepted'
        ? 'The service accepted the operation, so it took effect'
        : 'Outcome unknown: the operation may have taken effect'
    return `${effect}. ${this.#nextStep(failure.status)}`
  }

  #nextStep(status: number | undefined): string {
    const { operation } = this.request
    if (operation.class === 'keyed') {
      const { lookup = 'retrieve the payment and check its transactions' } = operation
      return this.idempotencyKey === undefined
        ? `Do not retry it. Instead ${lookup}`
        : `Do not retry it with a new idempotency key. Retry it with the same key (error.idempotencyKey), or ${lookup}`
    }
    if (operation.method === 'DELETE' && status === 404) {
      return 'An earlier attempt of this call may have deleted it already: check what exists'
    }
    return operation.class === 'repeatable' && this.class === 'repeatable'
      ? 'A retry is safe'
      : 'Check what exists before you retry it'
  }
}

/** Creates its headers when they are first read. */
class ResponseRecord implements ResponseInfo {
  readonly status: number
  declare readonly idempotencyKey?: string
  declare readonly recovered?: true
  readonly #response: { readonly headers: Headers }

  constructor(
    response: { readonly status: number; readonly headers: Headers },
    readonly attempts: readonly Attempt[],
    idempotencyKey: string | undefined,
    recovered?: true,
  ) {
    this.status = response.status
    this.#response = response
    if (idempotencyKey !== undefined) this.idempotencyKey = idempotencyKey
    if (recovered) this.recovered = recovered
  }

  get headers(): Headers {
    return this.#response.headers
  }
}
