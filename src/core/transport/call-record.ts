import type { Writable } from 'type-fest'
import type { ResponseInfo, WithResponse } from '../call.js'
import { type AnyOperation, namesOf, type OperationClass, paymentIn } from '../contract/operation.js'
import type { Attempt, CallFacts, Outcome, PaymentsError, TimeoutPhase } from '../errors.js'
import type { Cutoff, Deadline } from '../internal/deadline.js'
import { type RequestFacts, retryOf, subjectOf } from '../internal/outcome.js'
import type { ResultEvent } from '../options.js'
import type { Settings } from '../settings.js'
import type { Failure } from './failure.js'
import type { HttpResponse } from './http/adapter.js'
import type { Limits } from './limits.js'
import type { PreparedRequest } from './request.js'

/** The identity and the result of a call, which exist even if the call's arguments are invalid. */
export class CallIdentity {
  readonly startedAt: number
  /** The result of the call. Set if the call succeeds. */
  success: WithResponse<unknown> | undefined
  /** The result that hooks and subscribers of the diagnostics channel receive. */
  result: ResultEvent | undefined
  /** The error that prevented the journal from storing the result. */
  journalError: unknown
  readonly callId: string

  constructor(
    readonly operation: AnyOperation,
    readonly settings: Settings,
  ) {
    this.startedAt = settings.runtime.now()
    this.callId = settings.runtime.uuid()
  }

  get durationMs(): number {
    return this.settings.runtime.now() - this.startedAt
  }
}

export type Result = Success | { readonly kind: 'failure'; readonly failure: Failure }

interface Success {
  readonly kind: 'success'
  readonly data: unknown
  readonly response: HttpResponse
}

/** One attempt of a call: its progress, its time limit and its connection slot. */
export class AttemptContext {
  /** The number of the attempt, starting at 1. */
  readonly number: number
  readonly startedAt: number
  readonly cutoff: Cutoff
  /** The current step. It determines whether a failed request may have reached the service. */
  phase: TimeoutPhase = 'queue'
  /** The caller's headers. Set only if the diagnostics channel has subscribers, which may change these headers. */
  headers: Headers | undefined
  sentHeaders: Readonly<Record<string, string>> = {}
  sentAt = 0
  /** The response. Set when its headers arrive. */
  response: HttpResponse | undefined
  #hasSlot = false

  /** @param waitedMs Milliseconds between the previous attempt and this one. */
  constructor(
    readonly call: CallRecord,
    readonly waitedMs: number,
  ) {
    const { attempts, deadline, request, settings } = call
    this.number = attempts.length + 1
    this.startedAt = settings.runtime.now()
    this.cutoff = deadline.startCutoff(request.options.timeout ?? settings.timeout)
  }

  takeFreeSlot(): boolean {
    this.#hasSlot = this.call.limits.slots.takeFree()
    return this.#hasSlot
  }

  async waitForSlot(): Promise<void> {
    await this.call.limits.slots.wait(this.cutoff)
    this.#hasSlot = true
  }

  releaseSlot(): void {
    if (this.#hasSlot) this.call.limits.slots.release()
    this.#hasSlot = false
  }

  end(result: Result): Result {
    this.cutoff.end()
    this.releaseSlot()
    this.call.add(this, result)
    return result
  }

  fail(failure: Failure): Result {
    return this.end({ kind: 'failure', failure })
  }
}

/** The severity of each outcome. The outcome of a call is the most severe outcome of its attempts. */
const severity: Record<Outcome, number> = { not_sent: 0, rejected: 1, unknown: 2, accepted: 3 }

/** The limits that a journal sets for the requests of a call. */
export interface SendingRules {
  /** Resolves to the reason that the next request must not be sent, or to undefined. */
  problem(): Promise<string | undefined>
  /** The number of milliseconds that remain for sending requests. */
  readonly remaining: number
}

export class CallRecord {
  idempotencyKey: string | undefined
  /** Whether the client created the idempotency key. If so, no other call uses it. */
  isKeyGenerated = false
  /** The journal's limits for this call. Absent without a journal. */
  sendingRules: SendingRules | undefined
  /** Whether the warning about a long wait for a connection was logged. */
  isSlotDelayed = false
  #outcome: Outcome = 'not_sent'

  constructor(
    readonly identity: CallIdentity,
    readonly request: PreparedRequest,
    readonly limits: Limits,
    readonly deadline: Deadline,
    readonly attempts: Attempt[] = [],
  ) {}

  /** A `keyed` operation without an idempotency key is retried like a `once` operation. */
  get class(): OperationClass {
    return this.request.class === 'keyed' && this.idempotencyKey === undefined ? 'once' : this.request.class
  }

  /** The most severe outcome of the attempts so far. */
  get outcome(): Outcome {
    return this.#outcome
  }

  /** Whether an attempt may have taken effect. */
  get isAmbiguous(): boolean {
    return severity[this.#outcome] >= severity.unknown
  }

  get settings(): Settings {
    return this.identity.settings
  }

  get sent(): RequestFacts {
    return { method: this.request.operation.method, hasKey: this.idempotencyKey !== undefined }
  }

  add({ phase, number, waitedMs, startedAt }: AttemptContext, result: Result): void {
    const failure = result.kind === 'failure' ? result.failure : undefined
    if (failure !== undefined) this.addOutcome(failure.outcome)
    if (phase === 'queue') return
    const durationMs = this.settings.runtime.now() - startedAt
    const attempt: Writable<Attempt> = { number, waitedMs, durationMs }
    const status = result.kind === 'success' ? result.response.status : failure?.status
    if (status !== undefined) attempt.status = status
    if (failure !== undefined) attempt.code = failure.code
    this.attempts.push(attempt)
  }

  addOutcome(outcome: Outcome): void {
    if (severity[outcome] > severity[this.#outcome]) this.#outcome = outcome
  }

  mayRetry(failure: Failure): boolean {
    return failure.isRetryable && (this.class !== 'once' || !this.isAmbiguous)
  }

  facts(failure?: Failure): CallFacts {
    return {
      ...factsOf(this.identity),
      host: this.settings.baseUrl.host,
      outcome: this.#outcome,
      retry: retryOf({
        outcome: this.#outcome,
        isRepeatable: this.class !== 'once',
        response: failure?.response,
        isInvalid: failure === undefined || failure.code === 'ERR_CONFIGURATION',
      }),
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

  /** @param source A response, or the metadata of the response to another call. */
  toResult({ data, response: source }: Success | WithResponse<unknown>, recovered = false): WithResponse<unknown> {
    const { attempts, idempotencyKey } = this
    const { callId, durationMs } = this.identity
    const response: ResponseInfo = {
      status: source.status,
      callId,
      durationMs,
      attempts,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(recovered && { recovered }),
      // Uses a getter, whose value `console.log` does not print, because headers may contain secrets.
      get headers() {
        return source.headers
      },
    }
    return { data, response }
  }

  #advice(failure: Failure): string | undefined {
    if (this.#outcome === 'rejected' && failure.response && subjectOf(failure.response) === 'key') {
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
      return 'An earlier attempt of this call may have deleted it already: check whether it still exists'
    }
    return operation.class === 'repeatable' && this.class === 'repeatable'
      ? 'A retry is safe'
      : 'Check the current state before you retry it'
  }
}

export function factsOf({ operation, callId, durationMs }: CallIdentity) {
  return { ...namesOf(operation), callId, durationMs }
}
