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
import { type Outcome, type RequestFacts, retryDecision, subjectOf } from '../internal/outcome.js'
import { hasOtherCause, isCertificateProblem, isTlsFailure, systemCode, Unconnected } from './http/connection-error.js'
import { isSecret, summarize } from './redact.js'

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
  return response !== undefined && subjectOf(response) === 'key' && /AlreadyExists/i.test(String(response.errorId))
}

/** @param isComplete Whether the whole body arrived. */
export function rejected(
  response: ErrorResponse,
  sent: RequestFacts,
  requiredScope: string | undefined,
  isComplete: boolean,
): Failure {
  return {
    ...retryDecision(sent, { kind: 'response', isCut: !isComplete, ...response }),
    status: response.status,
    code: codeOf(response),
    response,
    toError: (call) => toApiError(call, response, requiredScope),
  }
}

/**
 * Returns the error ID if it looks like a name. Otherwise returns the status, because any other error ID may contain
 * customer data.
 */
function codeOf({ errorId, status }: ErrorResponse): string {
  const isName = errorId !== undefined && /^[A-Z][\w.-]{0,99}$/i.test(errorId) && !/\d{6}/.test(errorId)
  return isName ? errorId : String(status)
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
 * Creates the failure for an attempt that a time limit or the caller's signal ended. `status` is set if a response had
 * started to arrive.
 */
export function interrupted(
  { interruption }: Interrupted,
  phase: TimeoutPhase,
  sent: RequestFacts,
  status?: number,
): Failure {
  const decision =
    status === undefined ? retryDecision(sent, { kind: 'timeout', phase }) : decisionOfCutBody(status, sent)
  if (interruption.kind === 'abort') return aborted(decision.outcome, interruption.reason, status)
  const { timeoutMs } = interruption
  return { ...decision, status, code: 'ERR_TIMEOUT', toError: (call) => new TimeoutError(call, phase, timeoutMs) }
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

function decisionOfCutBody(status: number, sent: RequestFacts) {
  return isSuccess(status)
    ? retryDecision(sent, { kind: 'unusable', reason: 'truncated' })
    : retryDecision(sent, { kind: 'response', status, isCut: true })
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

export function unreadable(status: number, sent: RequestFacts, reason: UnreadableReason): Failure {
  return {
    ...retryDecision(sent, { kind: 'unusable', reason }),
    status,
    code: 'ERR_UNREADABLE_RESPONSE',
    toError: (call) => new UnreadableResponseError(call, status, reason),
  }
}

export function violation(status: number, sent: RequestFacts, issues: readonly Issue[], data: unknown): Failure {
  return {
    ...retryDecision(sent, { kind: 'unusable', reason: 'violation' }),
    status,
    code: 'ERR_RESPONSE_VALIDATION',
    toError: (call) => new ResponseValidationError(call, status, issues, data),
  }
}

export function unsendable(message: string, sent: RequestFacts): Failure {
  return {
    ...retryDecision(sent, { kind: 'configuration' }),
    code: 'ERR_CONFIGURATION',
    toError: (call) => new ConfigurationError(message, call),
  }
}

/** @param secrets The secrets of the request, which the error may contain. */
export function disconnected(
  error: unknown,
  phase: TimeoutPhase,
  sent: RequestFacts,
  secrets: readonly string[],
): Failure {
  const { cause: original, proxy } = error instanceof Unconnected ? error : { cause: error }
  const found = systemCode(original)
  const code = isSecret(found, secrets) ? 'ERR_NETWORK' : found
  const isBeforeSending = phase === 'queue' || phase === 'connect'
  const isUnsent = error instanceof Unconnected || (isBeforeSending && !hasOtherCause(error))
  const hasTlsFailed = isUnsent ? isTlsFailure(code) : isCertificateProblem(code)
  return {
    ...retryDecision(sent, { kind: 'connection', isUnsent, isTlsFailure: hasTlsFailed }),
    code,
    toError: (call) => {
      const facts = proxy ? { ...call, host: `the proxy ${proxy}` } : call
      return new ConnectionError(facts, code, summarize(original, code, secrets), original)
    },
  }
}
