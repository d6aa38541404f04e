import { describeIssues, type Issue } from './internal/issues.js'
import type { ErrorFacts, Outcome, Retry, TimeoutPhase, UnreadableReason } from './internal/outcome.js'

export type { Outcome, Retry, TimeoutPhase, UnreadableReason } from './internal/outcome.js'

/** One HTTP request that a call made. */
export interface Attempt {
  /** Number of the attempt, starting at 1. */
  readonly number: number
  /** Milliseconds between the previous attempt and this one. */
  readonly waitedMs: number
  readonly durationMs: number
  /** HTTP status, if a response arrived. */
  readonly status?: number
  /** A short code for the failure, for example `ECONNRESET` or `ERR_TIMEOUT`. */
  readonly code?: string
}

/**
 * The details of a failed call, for its error. They contain no values from the request except the payment ID, the
 * idempotency key and the cursor, because other values may be secret.
 */
export interface CallFacts {
  readonly callId?: string | undefined
  readonly durationMs?: number | undefined
  /** Name of the operation, for example `payments.capture`. */
  readonly operation: string
  readonly method: string
  /** Path template, for example `/payments/:id/capture`. */
  readonly path: string
  /** Host and port of the service. */
  readonly host?: string | undefined
  readonly outcome: Outcome
  readonly retry: Retry
  readonly attempts: readonly Attempt[]
  readonly idempotencyKey?: string | undefined
  readonly resourceId?: string | undefined
  readonly cursor?: string | undefined
  /** The recommended next step. Present if the operation may have taken effect. */
  readonly advice?: string | undefined
}

/**
 * The fields of an error that are safe to print, store and send: `error.toJSON()` returns exactly these fields.
 *
 * An error that was revived from JSON, for example by a queue or a durable-execution engine, has only these fields.
 */
export interface PaymentsErrorFields {
  readonly name: string
  readonly message: string
  readonly code: string
  readonly outcome?: Outcome
  readonly retry?: Retry
  readonly operation?: string
  readonly callId?: string
  readonly durationMs?: number
  readonly attempts?: readonly Attempt[]
  readonly idempotencyKey?: string
  /** The key of the open operation that must finish first. */
  readonly openKey?: string
  readonly resourceId?: string
  readonly cursor?: string
  /** HTTP status of the service's response. */
  readonly httpStatus?: number
  readonly errorId?: string
  readonly diagnosticsId?: string
  readonly paymentId?: string
  readonly retryAfterMs?: number
  readonly requiredScope?: string
  readonly reason?: string
  readonly phase?: TimeoutPhase
  readonly timeoutMs?: number
  /** Paths and messages, without values. */
  readonly issues?: readonly Issue[]
  /** The delivery key of a `ClaimLostError`. */
  readonly key?: string
}

const safeFields = [
  'name',
  'message',
  'code',
  'outcome',
  'retry',
  'operation',
  'callId',
  'durationMs',
  'attempts',
  'idempotencyKey',
  'openKey',
  'resourceId',
  'cursor',
  'httpStatus',
  'errorId',
  'diagnosticsId',
  'paymentId',
  'retryAfterMs',
  'requiredScope',
  'reason',
  'phase',
  'timeoutMs',
  'issues',
  'key',
] as const satisfies readonly (keyof PaymentsErrorFields)[]

/**
 * The base class of all errors in this package. `code` is stable, and `outcome` states whether money may have moved.
 *
 * Use {@link isPaymentsError} instead of `instanceof`, which fails for an error that was revived from JSON, or that
 * comes from another copy of this package.
 */
export abstract class PaymentsError extends Error {
  override readonly name: string = 'PaymentsError'
  abstract readonly code: string
  /** Identifies the call in events, log lines, errors and responses. */
  declare readonly callId?: string
  /** Duration of the whole call, in milliseconds. */
  declare readonly durationMs?: number
  /** Name of the operation, for example `payments.capture`. Absent if the error did not occur in a call. */
  declare readonly operation?: string
  /**
   * Whether this call took effect. With a journal, the outcome also covers earlier calls with the same idempotency key.
   * Absent if the error did not occur in a single call.
   */
  declare readonly outcome?: Outcome
  /** The safe next step. Absent if the error did not occur in a single call. */
  declare readonly retry?: Retry
  /**
   * Always 500. If the error reaches the default handler of Express, Fastify, Koa or NestJS, the handler responds with
   * this status, and not with the status of the service's response.
   */
  declare readonly statusCode: 500
  /** Always false, so Koa and `http-errors` do not send the message to the browser. */
  declare readonly expose: false
  /** The HTTP requests that the call made, oldest first. */
  readonly attempts: readonly Attempt[]
  /** The idempotency key that was sent. Retry with this key: with a new key, the operation may take effect twice. */
  declare readonly idempotencyKey?: string
  /** The ID of the payment in the request's path. */
  declare readonly resourceId?: string
  /** The list position where reading stopped. Pass it as `cursor` to resume. */
  declare readonly cursor?: string

  constructor(message: string, call: Partial<CallFacts> = {}) {
    const { operation, method, path, advice } = call
    const prefix = operation === undefined ? '' : `${operation}${path ? ` (${method} ${path})` : ''}: `
    super(`${prefix}${message}${advice ? `. ${advice}` : ''}`)
    this.attempts = call.attempts ?? []
    assignDefined(this, call, [
      'callId',
      'durationMs',
      'operation',
      'outcome',
      'retry',
      'idempotencyKey',
      'resourceId',
      'cursor',
    ])
  }

  /** The path and anchor of the documentation for `code`, relative to `node_modules/payments-client`. */
  get docsPath(): string {
    return `docs/reference/errors.md#${this.code.toLowerCase()}`
  }

  /** @deprecated Use `docsPath`. */
  get docsUrl(): string {
    return this.docsPath
  }

  /** Returns the fields that are safe to print, store and send. */
  toJSON(): PaymentsErrorFields {
    // Reads only own properties, because getters such as `AbortedError.reason` may contain secrets.
    const present = safeFields.filter((name) => Object.hasOwn(this, name))
    return Object.fromEntries(present.map((name) => [name, Reflect.get(this, name)])) as unknown as PaymentsErrorFields
  }
}

// Defines `statusCode` and `expose` on the prototype, so that logs omit them. Some frameworks assign these properties,
// so they must be writable.
Object.assign(PaymentsError.prototype, { statusCode: 500, expose: false })

const outcomes: ReadonlySet<unknown> = /* @__PURE__ */ new Set<Outcome>(['not_sent', 'rejected', 'unknown', 'accepted'])
const retries: ReadonlySet<unknown> = /* @__PURE__ */ new Set<Retry>(['same-key', 'new-key', 'check-first', 'no'])

/**
 * Returns whether a value is an error from this package: its `code` starts with `ERR_`, and it has a known `outcome` or
 * `retry`, or an array of `attempts`.
 *
 * Also recognizes errors from another copy of the package, and errors that were sent or stored as JSON and revived.
 *
 * @param value Any value, for example from a `catch` clause.
 * @example
 * if (isPaymentsError(error) && error.retry === 'same-key') …
 */
export function isPaymentsError(value: unknown): value is PaymentsErrorFields {
  const { code, outcome, retry, attempts } = Object(value) as Partial<Record<keyof PaymentsErrorFields, unknown>>
  if (typeof code !== 'string' || !code.startsWith('ERR_')) return false
  // Checks three fields, because errors outside a call, such as `WaitError`, have no outcome.
  return outcomes.has(outcome) || retries.has(retry) || Array.isArray(attempts)
}

function assignDefined<T extends object>(target: object, source: T, names: readonly (keyof T)[]): void {
  for (const name of names) if (source[name] !== undefined) Object.assign(target, { [name]: source[name] })
}

/**
 * An option or a signing secret is invalid, the `apiKey` function failed, or `Object.prototype` has enumerable
 * properties.
 */
export class ConfigurationError extends PaymentsError {
  override readonly name = 'ConfigurationError'
  readonly code = 'ERR_CONFIGURATION'

  constructor(message: string, call?: Partial<CallFacts>) {
    super(message, { outcome: 'not_sent', retry: 'no', ...call })
  }
}

/** The arguments of a call are invalid. No request was sent. */
export class RequestValidationError extends PaymentsError {
  override readonly name = 'RequestValidationError'
  readonly code = 'ERR_REQUEST_VALIDATION'
  declare readonly outcome: 'not_sent'

  constructor(
    /** The problems with the arguments: paths and messages, without values. */
    readonly issues: readonly Issue[],
    call?: Partial<CallFacts>,
  ) {
    super(describeIssues(issues), { ...call, outcome: 'not_sent', retry: 'no' })
  }
}

/** The connection failed before a response arrived. */
export class ConnectionError extends PaymentsError {
  override readonly name = 'ConnectionError'
  readonly code = 'ERR_CONNECTION'

  readonly #original: unknown

  constructor(
    call: CallFacts,
    /** The system's error code, for example `ECONNRESET`, or `ERR_NETWORK` if there is none. */
    readonly reason: string,
    /** A copy of the original error with its name, its code, and its message without secrets. */
    cause?: Error,
    original?: unknown,
  ) {
    super(`the connection${call.host === undefined ? '' : ` to ${call.host}`} failed (${reason})`, call)
    // A getter hides the cause in printed errors, because third-party code wrote its message.
    if (cause !== undefined) Object.defineProperty(this, 'cause', { get: () => cause })
    this.#original = original
  }

  /**
   * The original error. Omitted when the error is printed, because an error from a custom `fetch` may contain the
   * request with its API key: do not log it.
   */
  get originalCause(): unknown {
    return this.#original
  }
}

function describeTimeout({ attempts }: CallFacts, phase: TimeoutPhase, timeoutMs: number): string {
  return phase === 'backoff'
    ? `the time limit of ${timeoutMs} ms passed before the next retry (phase: backoff; the last attempt ended with ${attempts.at(-1)?.code})`
    : `no response within ${timeoutMs} ms (phase: ${phase})`
}

/** `timeout` or `totalTimeout` elapsed. */
export class TimeoutError extends PaymentsError {
  override readonly name = 'TimeoutError'
  readonly code = 'ERR_TIMEOUT'

  constructor(
    call: CallFacts,
    readonly phase: TimeoutPhase,
    /** The time limit that was exceeded, in milliseconds. */
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

  /** The signal's reason. Omitted when the error is printed. */
  get reason(): unknown {
    return this.#reason
  }
}

/** The problems that the service reports for one part of a request. */
export interface ServiceValidationError {
  readonly model?: string
  readonly errors?: readonly { readonly path?: string; readonly description?: string }[]
}

/** A response that reports an error. */
export interface ErrorResponse extends ErrorFacts {
  readonly headers: Headers
  /** Parsed JSON, a string if the body is not JSON, or `undefined` if the body is empty. */
  readonly body: unknown
  readonly description?: string | undefined
  readonly diagnosticsId?: string | undefined
  readonly validationErrors?: readonly ServiceValidationError[] | undefined
  readonly paymentId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** The service's description, with request values masked. The error message quotes it. */
  readonly quote: string
}

function describeResponse({ status, errorId, quote, retryAfterMs }: ErrorResponse, hint?: string): string {
  const label = errorId && /^[\w.-]{1,100}$/.test(errorId) ? ` ${errorId}` : ''
  const wait = retryAfterMs === undefined ? undefined : `wait ${retryAfterMs} ms before a retry`
  const notes = [hint, wait].filter((note) => note !== undefined).join('; ')
  return `the service responded ${status}${label}${quote ? `: ${quote}` : ''}${notes ? ` (${notes})` : ''}`
}

/**
 * The service responded with a status other than 2xx (including redirects), or with 2xx and a body that describes an
 * error.
 */
export class ApiError extends PaymentsError {
  override readonly name: string = 'ApiError'
  readonly code = 'ERR_API'
  /** HTTP status of the service's response. */
  readonly httpStatus: number
  /** The service's identifier for this kind of error. */
  declare readonly errorId?: string
  /** Identifies this request to the service's support team. */
  declare readonly diagnosticsId?: string
  /** The ID of the payment that the error is about, if the service reports it. */
  declare readonly paymentId?: string
  /** The delay that the service requested before a retry, in milliseconds. */
  declare readonly retryAfterMs?: number
  readonly #response: ErrorResponse

  constructor(call: CallFacts, response: ErrorResponse, hint?: string) {
    super(describeResponse(response, hint), call)
    this.httpStatus = response.status
    this.#response = response
    assignDefined(this, response, ['errorId', 'diagnosticsId', 'paymentId', 'retryAfterMs'])
  }

  /** The response's headers. Omitted when the error is printed. */
  get headers(): Headers {
    return this.#response.headers
  }

  /** The response's body: parsed JSON, or a string if it is not JSON. Omitted when the error is printed. */
  get body(): unknown {
    return this.#response.body
  }

  /** The service's explanation. Omitted when the error is printed, because it may quote the request. */
  get description(): string | undefined {
    return this.#response.description
  }

  /** The problems with the request, as the service reports them. Omitted when the error is printed. */
  get validationErrors(): readonly ServiceValidationError[] | undefined {
    return this.#response.validationErrors
  }
}

/** 400: the request is invalid. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError'
}

/** 401: the API key is missing or invalid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the API key lacks a required scope. */
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

/** 422: the request is well-formed, but not possible in the current state. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError'
}

/** 429: too many requests. `retryAfterMs` is the delay that the service requested. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

/** A 2xx response whose body is truncated, empty, too large or not JSON. The operation took effect. */
export class UnreadableResponseError extends PaymentsError {
  override readonly name = 'UnreadableResponseError'
  readonly code = 'ERR_UNREADABLE_RESPONSE'

  constructor(
    call: CallFacts,
    /** HTTP status of the service's response. */
    readonly httpStatus: number,
    readonly reason: UnreadableReason,
  ) {
    super(`the service responded ${httpStatus}, but the response cannot be read (${reason})`, call)
  }
}

/** A 2xx response whose body violates the contract. The operation took effect. */
export class ResponseValidationError extends PaymentsError {
  override readonly name = 'ResponseValidationError'
  readonly code = 'ERR_RESPONSE_VALIDATION'
  readonly #data: unknown

  constructor(
    call: CallFacts,
    /** HTTP status of the service's response. */
    readonly httpStatus: number,
    /** The violations: paths and messages, without values. */
    readonly issues: readonly Issue[],
    data: unknown,
  ) {
    super(`the response violates the contract (${describeIssues(issues)})`, call)
    this.#data = data
  }

  /** The parsed body, unchanged. Omitted when the error is printed. */
  get data(): unknown {
    return this.#data
  }
}

/**
 * A list cannot be read completely: the service returned the same cursor twice, 100 consecutive empty pages, or a page
 * without an array of items.
 */
export class PaginationError extends PaymentsError {
  override readonly name = 'PaginationError'
  readonly code = 'ERR_PAGINATION'

  constructor(message: string, { operation, cursor }: { operation: string; cursor?: string | undefined }) {
    super(message, { operation, cursor })
  }
}
