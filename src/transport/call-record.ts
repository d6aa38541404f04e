import type { ResponseInfo, WithResponse } from '../call.js'
import { type AnyOperation, namesOf, type OperationClass } from '../contract/operation.js'
import type { Attempt, CallFacts, Outcome, PaymentsError, TimeoutPhase } from '../errors.js'
import type { Deadline } from '../internal/deadline.js'
import { isKeyConflict, retryOf } from '../internal/outcome.js'
import type { ResultEvent } from '../options.js'
import type { Settings } from '../settings.js'
import type { Failure, Sent } from './failure.js'
import type { HttpResponse } from './http/adapter.js'
import type { Limits } from './limits.js'
import { type PreparedRequest, paymentIn } from './request.js'

/** Identifies a call, even if its arguments are invalid. */
export interface CallIdentity {
  readonly callId: string
  readonly operation: AnyOperation
  readonly settings: Settings
  readonly startedAt: number
  result?: ResultEvent
  /** The error with which the journal failed to store the result. */
  journalError?: unknown
}

export function identify(operation: AnyOperation, settings: Settings): CallIdentity {
  const { runtime } = settings
  return { callId: runtime.uuid(), operation, settings, startedAt: runtime.now() }
}

export type Result = Success | { readonly kind: 'failure'; readonly failure: Failure }

interface Success {
  readonly kind: 'success'
  readonly data: unknown
  readonly response: HttpResponse
}

export interface AttemptContext {
  readonly call: CallRecord
  /** Starts at 1. */
  readonly number: number
  /** Milliseconds between the previous attempt and this one. */
  readonly waitedMs: number
  readonly startedAt: number
  /** The current step. It determines whether a failed request may have reached the service. */
  phase: TimeoutPhase
  /** Set only if the diagnostics channel has subscribers, which may change the caller's headers. */
  headers?: Headers
  sentHeaders: Readonly<Record<string, string>>
  /** Set when the headers arrive. */
  response: HttpResponse | undefined
}

/** The severity of each outcome. The outcome of a call is the most severe outcome of its attempts. */
const severity: Record<Outcome, number> = { not_sent: 0, rejected: 1, unknown: 2, accepted: 3 }

export class CallRecord {
  idempotencyKey: string | undefined
  /** Whether the SDK created the idempotency key. If so, no other call uses it. */
  isKeyGenerated = false
  /** The time from which no retry starts. */
  retryUntil = Number.POSITIVE_INFINITY
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

  /** Whether an attempt may have taken effect. */
  get isAmbiguous(): boolean {
    return severity[this.#outcome] >= severity.unknown
  }

  get settings(): Settings {
    return this.identity.settings
  }

  get sent(): Sent {
    return { method: this.request.operation.method, hasKey: this.idempotencyKey !== undefined }
  }

  startAttempt(waitedMs: number): AttemptContext {
    return {
      call: this,
      number: this.attempts.length + 1,
      waitedMs,
      startedAt: this.settings.runtime.now(),
      phase: 'queue',
      sentHeaders: {},
      response: undefined,
    }
  }

  add({ phase, number, waitedMs, startedAt }: AttemptContext, result: Result): void {
    const failure = result.kind === 'failure' ? result.failure : undefined
    if (failure !== undefined) this.addOutcome(failure.outcome)
    if (phase === 'queue') return
    const status = result.kind === 'success' ? result.response.status : failure?.status
    this.attempts.push({
      number,
      waitedMs,
      durationMs: this.settings.runtime.now() - startedAt,
      ...(status === undefined ? undefined : { status }),
      ...(failure === undefined ? undefined : { code: failure.code }),
    })
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

  toResult({ data, response }: Success): WithResponse<unknown> {
    return { data, response: new ResponseRecord(response, this) }
  }

  toRecoveredResult({ data, response }: WithResponse<unknown>): WithResponse<unknown> {
    return { data, response: new ResponseRecord(response, this, true) }
  }

  #advice(failure: Failure): string | undefined {
    if (this.#outcome === 'rejected' && failure.response && isKeyConflict(failure.response)) {
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

export function factsOf({ operation, callId, settings, startedAt }: CallIdentity) {
  return { ...namesOf(operation), callId, durationMs: settings.runtime.now() - startedAt }
}

/** The response's metadata for the caller. Creates `headers` on first access. */
class ResponseRecord implements ResponseInfo {
  readonly status: number
  readonly callId: string
  readonly durationMs: number
  readonly attempts: readonly Attempt[]
  declare readonly idempotencyKey?: string
  declare readonly recovered?: true
  readonly #response: { readonly headers: Headers }

  constructor(
    response: { readonly status: number; readonly headers: Headers },
    { identity, attempts, idempotencyKey }: CallRecord,
    recovered?: true,
  ) {
    this.status = response.status
    this.callId = identity.callId
    this.durationMs = identity.settings.runtime.now() - identity.startedAt
    this.attempts = attempts
    this.#response = response
    if (idempotencyKey !== undefined) this.idempotencyKey = idempotencyKey
    if (recovered) this.recovered = recovered
  }

  get headers(): Headers {
    return this.#response.headers
  }
}
