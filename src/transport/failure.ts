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
  type Outcome,
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
import { hasOtherCause, isCertificateProblem, isTlsFailure, systemCode, Unconnected } from './http/connection-error.js'

export interface Failure {
  readonly outcome: Outcome
  /** Whether a retry may succeed. */
  readonly isRetryable: boolean
  readonly status?: number | undefined
  /** A short code for attempts, hooks and logs. */
  readonly code: string
  readonly response?: ErrorResponse
  /** Whether the body of `response` arrived completely. */
  readonly isComplete?: boolean | undefined
  toError(call: CallFacts): PaymentsError
}

/** Returns whether the service reported that it already received this request with this idempotency key. */
export function keyWasUsed(failure: Failure): boolean {
  return isConflict(failure, /IdempotencyKeyAlreadyExists$/i)
}

/** Returns whether the service reported that the idempotency key was already used, for this or another request. */
export function keyIsTaken(failure: Failure): boolean {
  return isConflict(failure, /IdempotencyKey(AlreadyExists|Reused)$/i)
}

/** Returns whether the response was cut off and may have reported that the idempotency key was already used. */
export function mayHideConflict({ status, isComplete = false }: Failure): boolean {
  return (status === 409 || status === 400) && !isComplete
}

function isConflict({ response }: Failure, errorId: RegExp): boolean {
  if (response?.status !== 409 && response?.status !== 400) return false
  return response.errorId !== undefined && errorId.test(response.errorId)
}

export function rejected(
  response: ErrorResponse,
  method: string,
  requiredScope: string | undefined,
  isComplete: boolean | undefined,
): Failure {
  return {
    outcome: outcomeOfStatus(response.status, method),
    isRetryable: isTransient(response.status),
    status: response.status,
    code: codeOf(response),
    response,
    isComplete,
    toError: (call) => toApiError(call, response, requiredScope),
  }
}

/**
 * Returns the error id if it looks like a name. Any other error id may contain customer data, so the status replaces
 * it.
 */
function codeOf({ errorId, status }: ErrorResponse): string {
  const isName = errorId !== undefined && /^[A-Z][\w.-]{0,99}$/i.test(errorId) && !/\d{6}/.test(errorId)
  return isName ? errorId : String(status)
}

/**
 * Returns the outcome for an error status. The outcome of a write is `unknown` after a 408 or a redirect, because some
 * servers continue to process the request.
 */
function outcomeOfStatus(status: number, method: string): Outcome {
  if (status === 408 || (status >= 300 && status < 400)) return method === 'GET' ? 'rejected' : 'unknown'
  return status >= 400 && status < 500 ? 'rejected' : 'unknown'
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
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
 * Creates the failure for an attempt that a time limit or the caller's signal ended. Takes the `status` if a response
 * had started to arrive.
 */
export function interrupted(
  { interruption }: Interrupted,
  phase: TimeoutPhase,
  method: string,
  status?: number,
): Failure {
  const outcome = outcomeOfCut(phase, method, status)
  if (interruption.kind === 'abort') return aborted(outcome, interruption.reason, status)
  const { timeoutMs } = interruption
  return {
    outcome,
    isRetryable: status === undefined ? phase !== 'queue' : isSuccess(status) || isTransient(status),
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

function outcomeOfCut(phase: TimeoutPhase, method: string, status?: number): Outcome {
  if (isBeforeSending(phase)) return 'not_sent'
  return status === undefined ? 'unknown' : outcomeOfUnread(status, method)
}

function isBeforeSending(phase: TimeoutPhase): boolean {
  return phase === 'queue' || phase === 'connect'
}

function outcomeOfUnread(status: number, method: string): Outcome {
  return isSuccess(status) ? 'accepted' : outcomeOfStatus(status, method)
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Problems with a response body that a broken connection can cause. A retry may receive the complete body. */
const cutReasons: ReadonlySet<UnreadableReason> = new Set(['truncated', 'empty', 'not-json'])

export function unreadable(status: number, method: string, reason: UnreadableReason): Failure {
  return {
    outcome: outcomeOfUnread(status, method),
    isRetryable: cutReasons.has(reason),
    status,
    code: 'ERR_UNREADABLE_RESPONSE',
    toError: (call) => new UnreadableResponseError(call, status, reason),
  }
}

export function violation(status: number, issues: readonly Issue[], data: unknown): Failure {
  return {
    outcome: 'accepted',
    isRetryable: false,
    status,
    code: 'ERR_RESPONSE_VALIDATION',
    toError: (call) => new ResponseValidationError(call, issues, data),
  }
}

export function withoutApiKey(message: string): Failure {
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
