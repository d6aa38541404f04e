import { describeIssues, type Issue } from './internal/issues.js'

/**
 * What may be concluded about the operation:
 *
 * - `not_sent`: the service cannot have acted.
 * - `rejected`: the service answered that it did not act.
 * - `unknown`: it may or may not have acted; the message says how to find out.
 * - `accepted`: it answered 2xx, but the answer could not be read.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown' | 'accepted'

/** One request on the wire. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  readonly durationMs: number
  /** HTTP status, where one arrived. */
  readonly status?: number
  /** What went wrong, e.g. `ECONNRESET` or `ERR_TIMEOUT`. */
  readonly code?: string
}

/** The call that an error is about: names and counts, no value of the request but the payment's id and the key. */
export interface FailedCall {
  /** e.g. `payments.capture`. */
  readonly operation: string
  readonly method: string
  /** Path template, e.g. `/payments/:id/capture`. */
  readonly path: string
  readonly outcome: Outcome
  readonly attempts: readonly Attempt[]
  readonly idempotencyKey?: string | undefined
  /** The payment in the path. */
  readonly resourceId?: string | undefined
  /** What to do next, where the outcome leaves a question. */
  readonly advice?: string | undefined
}

const marker = Symbol.for('payments-client.error')

/** Everything this package throws extends this. `code` is stable; `outcome` says whether money may have moved. */
export abstract class PaymentsError extends Error {
  abstract readonly code: string
  /** e.g. `payments.capture`; absent on errors that are about no single call. */
  declare readonly operation?: string
  /** What may be concluded about the operation; absent on errors that are about no single call. */
  declare readonly outcome?: Outcome
  /** Every request that was made for this call. */
  readonly attempts: readonly Attempt[]
  /** The key that was sent. Repeat with this one, not with a new one. */
  declare readonly idempotencyKey?: string
  /** The id in the path, where it is a payment's. */
  declare readonly resourceId?: string
  /** Where a list can be resumed, on errors that end an iteration: pass it as `cursor`. */
  declare cursor?: string

  constructor(message: string, call: Partial<FailedCall> = {}) {
    const endpoint = call.method ? ` (${call.method} ${call.path})` : ''
    const where = call.operation ? `${call.operation}${endpoint}: ` : ''
    super(`${where}${message}${call.advice ? `. ${call.advice}` : ''}`)
    this.attempts = call.attempts ?? []
    for (const fact of ['operation', 'outcome', 'idempotencyKey', 'resourceId'] as const) {
      if (call[fact] !== undefined) Object.assign(this, { [fact]: call[fact] })
    }
  }

  override get name(): string {
    return 'PaymentsError'
  }

  get [marker](): true {
    return true
  }

  /** Two copies of this package in one process (ESM and CommonJS, say) recognize each other's errors. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that stands right of `instanceof`.
    const { prototype } = this
    // A merchant's own subclass has no name of its own, and is nobody's copy.
    const hasCopies = Object.hasOwn(prototype, 'name')
    return (
      Object.prototype.isPrototypeOf.call(prototype, Object(value)) ||
      (hasCopies && lineage(value).includes(prototype.name))
    )
  }
}

/** The names of the error classes a value belongs to, innermost first, whichever copy of this package made it. */
function lineage(value: unknown): (string | undefined)[] {
  if (!(value instanceof Error && marker in value)) return []
  const names: string[] = []
  let prototype = Object.getPrototypeOf(value)
  while (prototype !== null && marker in prototype) {
    names.push(prototype.name)
    prototype = Object.getPrototypeOf(prototype)
  }
  return names
}

/** Bad options, a bad signing secret, or an `apiKey` function that failed. */
export class ConfigurationError extends PaymentsError {
  readonly code = 'ERR_CONFIGURATION'

  constructor(message: string, call?: FailedCall) {
    super(message, { outcome: 'not_sent', ...call })
  }

  override get name() {
    return 'ConfigurationError'
  }
}

/** Arguments that were refused before anything was sent. */
export class RequestValidationError extends PaymentsError {
  readonly code = 'ERR_REQUEST_VALIDATION'
  declare readonly outcome: 'not_sent'

  constructor(
    /** What is wrong, and where. Never the value. */
    readonly issues: readonly Issue[],
    call?: Partial<FailedCall>,
  ) {
    super(describeIssues(issues), { ...call, outcome: 'not_sent' })
  }

  override get name() {
    return 'RequestValidationError'
  }
}

/** No answer arrived, or the connection broke. */
export class ConnectionError extends PaymentsError {
  readonly code = 'ERR_CONNECTION'

  constructor(
    call: FailedCall,
    /** The system's code, e.g. `ECONNRESET`, where there is one. */
    readonly reason: string,
  ) {
    super(`the connection failed (${reason})`, call)
  }

  override get name() {
    return 'ConnectionError'
  }
}

/** What a call was doing when its time ran out. */
export type TimeoutPhase = 'queue' | 'connect' | 'headers' | 'body' | 'backoff'

function describeTimeout({ attempts }: FailedCall, phase: TimeoutPhase, timeoutMs: number): string {
  const last = attempts.at(-1)
  return phase === 'backoff' && last !== undefined
    ? `out of time after ${timeoutMs} ms, before another attempt (phase: backoff; the last one ended with ${last.code})`
    : `no answer within ${timeoutMs} ms (phase: ${phase})`
}

/** `timeout` or `totalTimeout` ran out. */
export class TimeoutError extends PaymentsError {
  readonly code = 'ERR_TIMEOUT'

  constructor(
    call: FailedCall,
    /** What the call was doing. */
    readonly phase: TimeoutPhase,
    /** The limit that ran out. */
    readonly timeoutMs: number,
  ) {
    super(describeTimeout(call, phase, timeoutMs), call)
  }

  override get name() {
    return 'TimeoutError'
  }
}

/** The caller's signal ended the call. */
export class AbortedError extends PaymentsError {
  readonly code = 'ERR_ABORTED'
  readonly #reason: unknown

  constructor(call: Partial<FailedCall>, reason: unknown) {
    super('aborted by the caller', call)
    this.#reason = reason
  }

  /** The signal's reason. */
  get reason(): unknown {
    return this.#reason
  }

  override get name() {
    return 'AbortedError'
  }
}

/** What is wrong with one model of a request, in the service's words. */
export interface ServiceValidationError {
  readonly model?: string
  readonly errors?: readonly { readonly path?: string; readonly description?: string }[]
}

/** An answer that is no success, as it came. */
export interface FailedAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON, text, or `undefined` when empty. */
  readonly body: unknown
  readonly errorId?: string | undefined
  readonly description?: string | undefined
  readonly diagnosticsId?: string | undefined
  readonly validationErrors?: readonly ServiceValidationError[] | undefined
  readonly paymentId?: string | undefined
  /** How long the service asked to wait. */
  readonly retryAfterMs?: number | undefined
  /** The description, with everything masked that must not be printed. */
  readonly quote?: string | undefined
}

function describeAnswer({ status, errorId = '', quote, retryAfterMs }: FailedAnswer, hint?: string): string {
  const label = /^[\w.-]{1,100}$/.test(errorId) ? ` ${errorId}` : ''
  const wait = retryAfterMs === undefined ? undefined : `it asks to wait ${retryAfterMs} ms`
  const notes = [hint, wait].filter((note) => note !== undefined).join('; ')
  return `the service answered ${status}${label}${quote ? `: ${quote}` : ''}${notes ? ` (${notes})` : ''}`
}

/** The service answered with anything but success: not 2xx (redirects included), or 2xx carrying an error. */
export class ApiError extends PaymentsError {
  readonly code = 'ERR_API'
  /** HTTP status. */
  readonly status: number
  /** The service's name for this error. */
  declare readonly errorId?: string
  /** Quote it to the service's support. */
  declare readonly diagnosticsId?: string
  /** The payment that the error is about, where the service names one. */
  declare readonly paymentId?: string
  /** How long the service asked to wait, in milliseconds. */
  declare readonly retryAfterMs?: number
  readonly #answer: FailedAnswer

  constructor(call: FailedCall, answer: FailedAnswer, hint?: string) {
    super(describeAnswer(answer, hint), call)
    this.status = answer.status
    this.#answer = answer
    for (const fact of ['errorId', 'diagnosticsId', 'paymentId', 'retryAfterMs'] as const) {
      if (answer[fact] !== undefined) Object.assign(this, { [fact]: answer[fact] })
    }
  }

  /** Headers of the answer. Not printed. */
  get headers(): Headers {
    return this.#answer.headers
  }

  /** Body of the answer: parsed JSON, else text. Not printed. */
  get body(): unknown {
    return this.#answer.body
  }

  /** The service's explanation. Not printed, since it may quote what was sent. */
  get description(): string | undefined {
    return this.#answer.description
  }

  /** What is wrong with the request, in the service's words. Not printed. */
  get validationErrors(): readonly ServiceValidationError[] | undefined {
    return this.#answer.validationErrors
  }

  override get name() {
    return 'ApiError'
  }
}

/** 400: the service refused the request. */
export class BadRequestError extends ApiError {
  override get name() {
    return 'BadRequestError'
  }
}

/** 401: no valid API key. */
export class AuthenticationError extends ApiError {
  override get name() {
    return 'AuthenticationError'
  }
}

/** 403: the API key may not do this. */
export class PermissionError extends ApiError {
  /** The scope that the operation needs, where the specification says. */
  declare readonly requiredScope?: string

  constructor(call: FailedCall, answer: FailedAnswer, requiredScope?: string) {
    super(call, answer, requiredScope && `this operation needs the scope ${requiredScope}`)
    if (requiredScope !== undefined) this.requiredScope = requiredScope
  }

  override get name() {
    return 'PermissionError'
  }
}

/** 404: there is no such thing. */
export class NotFoundError extends ApiError {
  override get name() {
    return 'NotFoundError'
  }
}

/** 409: it contradicts what is there, e.g. an idempotency key that was used before. */
export class ConflictError extends ApiError {
  override get name() {
    return 'ConflictError'
  }
}

/** 422: well-formed, but not possible now. */
export class UnprocessableError extends ApiError {
  override get name() {
    return 'UnprocessableError'
  }
}

/** 429: too many requests; `retryAfterMs` says how long to wait, where the service does. */
export class RateLimitError extends ApiError {
  override get name() {
    return 'RateLimitError'
  }
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override get name() {
    return 'ServerError'
  }
}

/** Why a 2xx answer could not be read. */
export type UnreadableReason =
  | 'truncated'
  | 'empty'
  | 'too-large'
  | 'too-deep'
  | 'not-json'
  | 'not-utf-8'
  | 'unknown-encoding'

/** The service answered 2xx, but the body is cut off, empty, too large or not JSON. The operation took effect. */
export class UnreadableResponseError extends PaymentsError {
  readonly code = 'ERR_UNREADABLE_RESPONSE'

  constructor(
    call: FailedCall,
    /** HTTP status. */
    readonly status: number,
    readonly reason: UnreadableReason,
  ) {
    super(`the service answered ${status}, but its answer cannot be read (${reason})`, call)
  }

  override get name() {
    return 'UnreadableResponseError'
  }
}

/** The service answered 2xx with a body that breaks the contract. The operation took effect. */
export class ResponseValidationError extends PaymentsError {
  readonly code = 'ERR_RESPONSE_VALIDATION'
  readonly #data: unknown

  constructor(
    call: FailedCall,
    /** Where the answer breaks the contract. Never the value. */
    readonly issues: readonly Issue[],
    data: unknown,
  ) {
    super(`the answer does not fit the contract (${describeIssues(issues)})`, call)
    this.#data = data
  }

  /** The answer as it came. Not printed. */
  get data(): unknown {
    return this.#data
  }

  override get name() {
    return 'ResponseValidationError'
  }
}

/** A list cannot be read further: a cursor repeats, 100 pages in a row are empty, or a response has no items. */
export class PaginationError extends PaymentsError {
  readonly code = 'ERR_PAGINATION'

  constructor(message: string, { operation, cursor }: { operation: string; cursor?: string | undefined }) {
    super(message, { operation })
    if (cursor !== undefined) this.cursor = cursor
  }

  override get name() {
    return 'PaginationError'
  }
}

/** `waitFor` gave up: time ran out, or the payment can no longer get there. */
export class WaitError<Payment = unknown> extends PaymentsError {
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

  /** The payment as it was read last. Not printed. */
  get lastPayment(): Payment | undefined {
    return this.#seen.lastPayment
  }

  /** The statuses it went through, oldest first. */
  get history(): readonly string[] {
    return this.#seen.history
  }

  override get name() {
    return 'WaitError'
  }
}

/** Why a webhook was refused. */
export type WebhookRefusal =
  | 'missing-signature'
  | 'malformed-signature'
  | 'no-match'
  | 'body-not-raw'
  | 'too-large'
  | 'too-old'
  | 'too-new'

/** A webhook that must not be trusted. */
export class WebhookVerificationError extends PaymentsError {
  readonly code = 'ERR_WEBHOOK_VERIFICATION'

  constructor(
    readonly reason: WebhookRefusal,
    message: string,
  ) {
    super(message)
  }

  override get name() {
    return 'WebhookVerificationError'
  }
}

/** A webhook that is properly signed, but is not JSON, or is a known event that breaks its schema. */
export class WebhookPayloadError extends PaymentsError {
  readonly code = 'ERR_WEBHOOK_PAYLOAD'
  readonly #payload: unknown

  constructor(
    message: string,
    payload: unknown,
    /** Where the event breaks its schema; empty when it is not JSON. */
    readonly issues: readonly Issue[] = [],
  ) {
    super(issues.length > 0 ? `${message} (${describeIssues(issues)})` : message)
    this.#payload = payload
  }

  /** The parsed JSON, or the body's text where it is not JSON. Not printed. */
  get payload(): unknown {
    return this.#payload
  }

  override get name() {
    return 'WebhookPayloadError'
  }
}

/**
 * The claim on a webhook delivery expired and another process took it, so the function may run twice. The service
 * delivers the webhook again.
 */
export class ClaimLostError extends PaymentsError {
  readonly code = 'ERR_CLAIM_LOST'

  constructor(
    /** The delivery key: `context.key`. */
    readonly key: string,
  ) {
    super('the claim on the delivery was lost: another process may handle the same delivery. Increase claimTtl')
  }

  override get name() {
    return 'ClaimLostError'
  }
}
