import { describeIssues, type Issue } from './internal/issues.js'

/**
 * The effect of a failed call:
 *
 * - `not_sent`: the service cannot have acted.
 * - `rejected`: the service responded that it did not act.
 * - `unknown`: the service may or may not have acted; the message explains how to find out.
 * - `accepted`: the service responded 2xx, but the response could not be read.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown' | 'accepted'

/** One request of a call. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** Milliseconds from the end of the previous attempt to the start of this one. */
  readonly waitedMs: number
  readonly durationMs: number
  /** HTTP status, if a response arrived. */
  readonly status?: number
  /** The kind of failure, for example `ECONNRESET` or `ERR_TIMEOUT`. */
  readonly code?: string
}

/** The call that an error concerns. Of the request's values, only the payment's id, the key and the cursor. */
export interface CallFacts {
  readonly callId?: string | undefined
  readonly durationMs?: number | undefined
  /** For example `payments.capture`. */
  readonly operation: string
  readonly method: string
  /** Path template, for example `/payments/:id/capture`. */
  readonly path: string
  readonly outcome: Outcome
  readonly attempts: readonly Attempt[]
  readonly idempotencyKey?: string | undefined
  readonly resourceId?: string | undefined
  readonly cursor?: string | undefined
  /** The next step for the caller, if the outcome leaves a question open. */
  readonly advice?: string | undefined
}

const brand = Symbol.for('payments-client.error')

/**
 * The base of every error of this package. `code` is stable, and `outcome` states whether money may have moved.
 *
 * `instanceof` recognizes errors of the same copy of the package, {@link isPaymentsError} also those of another copy.
 */
export abstract class PaymentsError extends Error {
  override readonly name: string = 'PaymentsError'
  abstract readonly code: string
  /** The same for every event, log line, error and response of one call. */
  declare readonly callId?: string
  /** Milliseconds that the whole call took. */
  declare readonly durationMs?: number
  /** For example `payments.capture`. Absent on errors that concern no call. */
  declare readonly operation?: string
  /** The effect of the call. Absent on errors that concern no single request. */
  declare readonly outcome?: Outcome
  /** Every request of the call. */
  readonly attempts: readonly Attempt[]
  /** The key that was sent. Retry with this key, because a new key may repeat the effect. */
  declare readonly idempotencyKey?: string
  /** The id of the payment in the path. */
  declare readonly resourceId?: string
  /** The position at which a list can be resumed: pass it as `cursor`. */
  declare readonly cursor?: string

  constructor(message: string, call: Partial<CallFacts> = {}) {
    const { operation, method, path, advice } = call
    const prefix = operation === undefined ? '' : `${operation}${method ? ` (${method} ${path})` : ''}: `
    super(`${prefix}${message}${advice ? `. ${advice}` : ''}`)
    this.attempts = call.attempts ?? []
    assignDefined(this, call, [
      'callId',
      'durationMs',
      'operation',
      'outcome',
      'idempotencyKey',
      'resourceId',
      'cursor',
    ])
  }

  /** The page about the error's `code`, relative to the homepage of the package. */
  get docsUrl(): string {
    return `docs/reference/errors.md#${this.code.toLowerCase()}`
  }

  get [brand](): true {
    return true
  }
}

/**
 * Recognizes every error of this package, also of another copy of it (ESM beside CommonJS).
 *
 * @param value Any value, for example from a `catch` clause.
 * @example
 * if (isPaymentsError(error) && error.outcome === 'unknown') …
 */
export function isPaymentsError(value: unknown): value is PaymentsError {
  return value instanceof Error && Reflect.get(value, brand) === true
}

function assignDefined<T extends object>(target: object, source: T, names: readonly (keyof T)[]): void {
  for (const name of names) if (source[name] !== undefined) Object.assign(target, { [name]: source[name] })
}

/** Invalid options, an invalid signing secret, a failing `apiKey` function, or a polluted `Object.prototype`. */
export class ConfigurationError extends PaymentsError {
  override readonly name = 'ConfigurationError'
  readonly code = 'ERR_CONFIGURATION'

  constructor(message: string, call?: Partial<CallFacts>) {
    super(message, { outcome: 'not_sent', ...call })
  }
}

/** Arguments that were rejected before anything was sent. */
export class RequestValidationError extends PaymentsError {
  override readonly name = 'RequestValidationError'
  readonly code = 'ERR_REQUEST_VALIDATION'
  declare readonly outcome: 'not_sent'

  constructor(
    /** The problems with their paths, without values. */
    readonly issues: readonly Issue[],
    call?: Partial<CallFacts>,
  ) {
    super(describeIssues(issues), { ...call, outcome: 'not_sent' })
  }
}

/** No response arrived, or the connection broke. */
export class ConnectionError extends PaymentsError {
  override readonly name = 'ConnectionError'
  readonly code = 'ERR_CONNECTION'

  constructor(
    call: CallFacts,
    /** The system's code, for example `ECONNRESET`, or `ERR_NETWORK`. */
    readonly reason: string,
    /** The original error. */
    cause?: unknown,
  ) {
    super(`the connection failed (${reason})`, call)
    // A getter keeps it out of printed errors, because the error of a custom fetch may contain secrets.
    if (cause !== undefined) Object.defineProperty(this, 'cause', { get: () => cause })
  }
}

/** The step of a call during which its time ran out. */
export type TimeoutPhase = 'queue' | 'connect' | 'headers' | 'body' | 'backoff'

function describeTimeout({ attempts }: CallFacts, phase: TimeoutPhase, timeoutMs: number): string {
  const last = attempts.at(-1)
  return phase === 'backoff' && last !== undefined
    ? `out of time after ${timeoutMs} ms, before another attempt (phase: backoff; the last one ended with ${last.code})`
    : `no response within ${timeoutMs} ms (phase: ${phase})`
}

/** `timeout` or `totalTimeout` elapsed. */
export class TimeoutError extends PaymentsError {
  override readonly name = 'TimeoutError'
  readonly code = 'ERR_TIMEOUT'

  constructor(
    call: CallFacts,
    readonly phase: TimeoutPhase,
    /** The limit that elapsed, in milliseconds. */
    readonly timeoutMs: number,
  ) {
    super(describeTimeout(call, phase, timeoutMs), call)
  }
}

/** The caller's signal aborted the call. */
export class AbortedError extends PaymentsError {
  override readonly name = 'AbortedError'
  readonly code = 'ERR_ABORTED'
  readonly #reason: unknown

  constructor(call: Partial<CallFacts>, reason: unknown) {
    super('aborted by the caller', call)
    this.#reason = reason
  }

  /** The signal's reason. Not printed. */
  get reason(): unknown {
    return this.#reason
  }
}

/** Problems with one model of a request, in the service's words. */
export interface ServiceValidationError {
  readonly model?: string
  readonly errors?: readonly { readonly path?: string; readonly description?: string }[]
}

/** A response without success. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON, else a string, or `undefined` if empty. */
  readonly body: unknown
  readonly errorId?: string | undefined
  readonly description?: string | undefined
  readonly diagnosticsId?: string | undefined
  readonly validationErrors?: readonly ServiceValidationError[] | undefined
  readonly paymentId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** The description, masked. */
  readonly quote?: string | undefined
}

function describeResponse({ status, errorId = '', quote, retryAfterMs }: ErrorResponse, hint?: string): string {
  const label = /^[\w.-]{1,100}$/.test(errorId) ? ` ${errorId}` : ''
  const wait = retryAfterMs === undefined ? undefined : `it asks to wait ${retryAfterMs} ms`
  const notes = [hint, wait].filter((note) => note !== undefined).join('; ')
  return `the service responded ${status}${label}${quote ? `: ${quote}` : ''}${notes ? ` (${notes})` : ''}`
}

/** Any non-2xx response, redirects included, or a 2xx response with the error envelope. */
export class ApiError extends PaymentsError {
  override readonly name: string = 'ApiError'
  readonly code = 'ERR_API'
  /** HTTP status. */
  readonly status: number
  /** The service's name for this error. */
  declare readonly errorId?: string
  /** An id to quote to the service's support. */
  declare readonly diagnosticsId?: string
  /** The payment that the error concerns, if the service names one. */
  declare readonly paymentId?: string
  /** The delay that the service asks for, in milliseconds. */
  declare readonly retryAfterMs?: number
  readonly #response: ErrorResponse

  constructor(call: CallFacts, response: ErrorResponse, hint?: string) {
    super(describeResponse(response, hint), call)
    this.status = response.status
    this.#response = response
    assignDefined(this, response, ['errorId', 'diagnosticsId', 'paymentId', 'retryAfterMs'])
  }

  /** The response's headers. Not printed. */
  get headers(): Headers {
    return this.#response.headers
  }

  /** The response's body: parsed JSON, else a string. Not printed. */
  get body(): unknown {
    return this.#response.body
  }

  /** The service's explanation. Not printed, because it may quote the request. */
  get description(): string | undefined {
    return this.#response.description
  }

  /** The problems with the request, in the service's words. Not printed. */
  get validationErrors(): readonly ServiceValidationError[] | undefined {
    return this.#response.validationErrors
  }
}

/** 400: the request is invalid. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError'
}

/** 401: no valid API key. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the API key lacks a scope. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
  /** The scope that the operation needs, if the specification names one. */
  declare readonly requiredScope?: string

  constructor(call: CallFacts, response: ErrorResponse, requiredScope?: string) {
    super(call, response, requiredScope && `this operation needs the scope ${requiredScope}`)
    if (requiredScope !== undefined) this.requiredScope = requiredScope
  }
}

/** 404: the resource does not exist. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409: a conflict with the current state, for example an idempotency key that was used before. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** 422: well-formed, but not possible now. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError'
}

/** 429: too many requests. `retryAfterMs` is the delay that the service asks for. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

/** Why a 2xx response could not be read. */
export type UnreadableReason =
  | 'truncated'
  | 'empty'
  | 'too-large'
  | 'too-deep'
  | 'not-json'
  | 'not-utf-8'
  | 'unknown-encoding'

/** A 2xx response whose body is truncated, empty, too large or not JSON. The operation took effect. */
export class UnreadableResponseError extends PaymentsError {
  override readonly name = 'UnreadableResponseError'
  readonly code = 'ERR_UNREADABLE_RESPONSE'

  constructor(
    call: CallFacts,
    /** HTTP status. */
    readonly status: number,
    readonly reason: UnreadableReason,
  ) {
    super(`the service responded ${status}, but the response cannot be read (${reason})`, call)
  }
}

/** A 2xx response whose body violates the contract. The operation took effect. */
export class ResponseValidationError extends PaymentsError {
  override readonly name = 'ResponseValidationError'
  readonly code = 'ERR_RESPONSE_VALIDATION'
  readonly #data: unknown

  constructor(
    call: CallFacts,
    /** The violations with their paths, without values. */
    readonly issues: readonly Issue[],
    data: unknown,
  ) {
    super(`the response violates the contract (${describeIssues(issues)})`, call)
    this.#data = data
  }

  /** The parsed body, unchanged. Not printed. */
  get data(): unknown {
    return this.#data
  }
}

/** A list cannot be read further: a cursor repeats, 100 pages in a row are empty, or a response has no items. */
export class PaginationError extends PaymentsError {
  override readonly name = 'PaginationError'
  readonly code = 'ERR_PAGINATION'

  constructor(message: string, { operation, cursor }: { operation: string; cursor?: string | undefined }) {
    super(message, { operation, cursor })
  }
}

/** `waitFor` gave up: the time ran out, or the payment can no longer have one of the statuses. */
export class WaitError<Payment = unknown> extends PaymentsError {
  override readonly name = 'WaitError'
  readonly code = 'ERR_WAIT'
  readonly #seen: { lastPayment: Payment | undefined; history: readonly string[] }

  constructor(
    readonly reason: 'timeout' | 'impossible',
    message: string,
    lastPayment: Payment | undefined,
    history: readonly string[],
  ) {
    super(message, { operation: 'payments.waitFor' })
    this.#seen = { lastPayment, history }
  }

  /** The payment as it was last retrieved. Not printed. */
  get lastPayment(): Payment | undefined {
    return this.#seen.lastPayment
  }

  /** The statuses that the payment had, oldest first. */
  get history(): readonly string[] {
    return this.#seen.history
  }
}

/** Why a webhook was rejected. */
export type WebhookRefusal =
  | 'missing-signature'
  | 'malformed-signature'
  | 'no-match'
  | 'body-not-raw'
  | 'too-large'
  | 'too-old'
  | 'too-new'

/** A webhook that cannot be trusted. */
export class WebhookVerificationError extends PaymentsError {
  override readonly name = 'WebhookVerificationError'
  readonly code = 'ERR_WEBHOOK_VERIFICATION'

  constructor(
    readonly reason: WebhookRefusal,
    message: string,
  ) {
    super(message)
  }
}

/** A properly signed webhook that is not JSON, or a known event that violates its schema. */
export class WebhookPayloadError extends PaymentsError {
  override readonly name = 'WebhookPayloadError'
  readonly code = 'ERR_WEBHOOK_PAYLOAD'
  readonly #payload: unknown

  constructor(
    message: string,
    payload: unknown,
    /** The violations with their paths; empty if the body is not JSON. */
    readonly issues: readonly Issue[] = [],
  ) {
    super(issues.length > 0 ? `${message} (${describeIssues(issues)})` : message)
    this.#payload = payload
  }

  /** The parsed JSON, or the body as a string if it is not JSON. Not printed. */
  get payload(): unknown {
    return this.#payload
  }
}

/**
 * The claim on a webhook delivery expired and another process took it, so the function may run twice. The service
 * delivers the webhook again.
 */
export class ClaimLostError extends PaymentsError {
  override readonly name = 'ClaimLostError'
  readonly code = 'ERR_CLAIM_LOST'

  constructor(
    /** The delivery key: `context.key`. */
    readonly key: string,
  ) {
    super('the claim on the delivery was lost: another process may handle the same delivery. Increase claimTtl')
  }
}
