import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  type CallFacts,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type ErrorResponse,
  NotFoundError,
  type PaymentsError,
  PermissionError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  type TimeoutPhase,
  UnprocessableError,
  type UnreadableReason,
  UnreadableResponseError,
} from '../errors.js'
import type { Interrupted } from '../internal/deadline.js'
import type { Issue } from '../internal/issues.js'
import { isKeyConflict, type Outcome, outcomeOfResponse } from '../internal/outcome.js'
import { hasOtherCause, isCertificateProblem, isTlsFailure, systemCode, Unconnected } from './http/connection-error.js'

export interface Failure {
  readonly outcome: Outcome
  /** Whether a retry may succeed. */
  readonly isRetryable: boolean
  readonly status?: number | undefined
  /** A short code for attempts, hooks and logs. */
  readonly code: string
  readonly response?: ErrorResponse
  toError(call: CallFacts): PaymentsError
}

/** Returns whether the service reported that it already received this request with this idempotency key. */
export function keyWasUsed({ response }: Failure): boolean {
  return response !== undefined && isKeyConflict(response) && /AlreadyExists/i.test(String(response.errorId))
}

/** The parts of a request that determine the outcome after an error response. */
export interface Sent {
  readonly method: string
  /** Whether the request had an idempotency key. */
  readonly hasKey: boolean
}

export function rejected(
  response: ErrorResponse,
  sent: Sent,
  requiredScope: string | undefined,
  isComplete: boolean,
): Failure {
  const outcome = outcomeOfResponse(response, sent)
  return {
    outcome,
    isRetryable: isTransient(response.status, outcome) || !isComplete,
    status: response.status,
    code: codeOf(response),
    response,
    toError: (call) => toApiError(call, response, requiredScope),
  }
}

/**
 * Returns the error id if it looks like a name. Otherwise returns the status, because any other error id may contain
 * customer data.
 */
function codeOf({ errorId, status }: ErrorResponse): string {
  const isName = errorId !== undefined && /^[A-Z][\w.-]{0,99}$/i.test(errorId) && !/\d{6}/.test(errorId)
  return isName ? errorId : String(status)
}

/** Returns whether a retry of an error response may succeed. Every 5xx has the outcome `unknown`. */
function isTransient(status: number, outcome: Outcome): boolean {
  return status === 408 || status === 429 || (status >= 400 && outcome === 'unknown')
}

const errorClasses: Readonly<Record<number, new (call: CallFacts, response: ErrorResponse) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
}

function toApiError(call: CallFacts, response: ErrorResponse, requiredScope: string | undefined): ApiError {
  const { status } = response
  if (status === 403) return new PermissionError(call, response, requiredScope)
  const ErrorClass = status >= 500 ? ServerError : (errorClasses[status] ?? ApiError)
  return new ErrorClass(call, response)
}

/**
 * Creates the failure for an attempt that a time limit or the caller's signal ended. `status` is present if a response
 * had started to arrive.
 */
export function interrupted({ interruption }: Interrupted, phase: TimeoutPhase, sent: Sent, status?: number): Failure {
  const outcome = outcomeOfCut(phase, sent, status)
  if (interruption.kind === 'abort') return aborted(outcome, interruption.reason, status)
  const { timeoutMs } = interruption
  return {
    outcome,
    isRetryable: status === undefined ? phase !== 'queue' : !isRedirect(status),
    status,
    code: 'ERR_TIMEOUT',
    toError: (call) => new TimeoutError(call, phase, timeoutMs),
  }
}

export function aborted(outcome: Outcome, reason: unknown, status?: number): Failure {
  return {
    outcome,
    isRetryable: false,
    status,
    code: 'ERR_ABORTED',
    toError: (call) => new AbortedError(call, reason),
  }
}

function outcomeOfCut(phase: TimeoutPhase, sent: Sent, status?: number): Outcome {
  if (isBeforeSending(phase)) return 'not_sent'
  return status === undefined ? 'unknown' : outcomeOfUnread(status, sent)
}

function isBeforeSending(phase: TimeoutPhase): boolean {
  return phase === 'queue' || phase === 'connect'
}

function outcomeOfUnread(status: number, sent: Sent): Outcome {
  return isSuccess(status) ? 'accepted' : outcomeOfResponse({ status, hasErrorId: false }, sent)
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Problems with a response body that a broken connection can cause. A retry may receive the whole body. */
const cutReasons: ReadonlySet<UnreadableReason> = new Set(['truncated', 'empty', 'not-json'])

export function unreadable(status: number, sent: Sent, reason: UnreadableReason): Failure {
  return {
    outcome: outcomeOfUnread(status, sent),
    isRetryable: cutReasons.has(reason),
    status,
    code: 'ERR_UNREADABLE_RESPONSE',
    toError: (call) => new UnreadableResponseError(call, status, reason),
  }
}

/** @param readBody Parses the body. Called only if the error's `data` is read. */
export function violation(status: number, issues: readonly Issue[], data: unknown): Failure {
  return {
    outcome: 'accepted',
    isRetryable: false,
    status,
    code: 'ERR_RESPONSE_VALIDATION',
    toError: (call) => new ResponseValidationError(call, status, issues, data),
  }
}

export function unsendable(message: string): Failure {
  return {
    outcome: 'not_sent',
    isRetryable: false,
    code: 'ERR_CONFIGURATION',
    toError: (call) => new ConfigurationError(message, call),
  }
}

export function disconnected(error: unknown, phase: TimeoutPhase): Failure {
  const original = error instanceof Unconnected ? error.cause : error
  const code = systemCode(original)
  const isUnsent = error instanceof Unconnected || (isBeforeSending(phase) && !hasOtherCause(error))
  return {
    outcome: isUnsent ? 'not_sent' : 'unknown',
    isRetryable: !(isUnsent ? isTlsFailure(code) : isCertificateProblem(code)),
    code,
    toError: (call) => new ConnectionError(call, code, original),
  }
}
