import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type FailedAnswer,
  type FailedCall,
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
import { isTlsFailure, systemCode, Unconnected } from './http/connection-error.js'

/**
 * How one attempt failed.
 *
 * `outcome` is what may be concluded from this attempt alone. `repeat` says when another attempt may help: `never`,
 * `if-repeatable` (it may have taken effect), or `freely` (it certainly did not).
 */
export interface Failure {
  readonly outcome: Outcome
  readonly repeat: 'never' | 'if-repeatable' | 'freely'
  readonly status?: number | undefined
  /** Short name for attempt lists, hooks and logs. */
  readonly code: string
  readonly answer?: FailedAnswer
  /** The public error, once it is known what the whole call amounts to. */
  toError(call: FailedCall): PaymentsError
}

/** Whether the service says that this request was made before, under this idempotency key. */
export function keyWasUsed(failure: Failure): boolean {
  return isConflict(failure, /IdempotencyKeyAlreadyExists$/i)
}

/** Whether the service says that an idempotency key stands for an earlier call: this one, or one with another body. */
export function keyIsTaken(failure: Failure): boolean {
  return isConflict(failure, /IdempotencyKey(AlreadyExists|Reused)$/i)
}

function isConflict({ answer }: Failure, errorId: RegExp): boolean {
  return (answer?.status === 409 || answer?.status === 400) && errorId.test(answer.errorId ?? '')
}

/** The service answered, but not with success. */
export function refusedBy(answer: FailedAnswer, method: string, requiredScope: string | undefined): Failure {
  return {
    outcome: outcomeOf(answer.status, method),
    repeat: repeatAfter(answer.status),
    status: answer.status,
    code: codeOf(answer),
    answer,
    toError: (call) => toApiError(call, answer, requiredScope),
  }
}

/** The service's name for the error, if it is one; it might also be data. */
function codeOf({ errorId = '', status }: FailedAnswer): string {
  return /^[A-Z][\w.-]{0,99}$/i.test(errorId) && !/\d{6}/.test(errorId) ? errorId : String(status)
}

function outcomeOf(status: number, method: string): Outcome {
  if (status >= 400 && status < 500) return 'rejected'
  return status >= 300 && status < 400 && method === 'GET' ? 'rejected' : 'unknown'
}

function repeatAfter(status: number): Failure['repeat'] {
  if (status === 429) return 'freely'
  return status === 408 || status >= 500 ? 'if-repeatable' : 'never'
}

function toApiError(call: FailedCall, answer: FailedAnswer, requiredScope: string | undefined): ApiError {
  if (answer.status >= 500) return new ServerError(call, answer)
  switch (answer.status) {
    case 400:
      return new BadRequestError(call, answer)
    case 401:
      return new AuthenticationError(call, answer)
    case 403:
      return new PermissionError(call, answer, requiredScope)
    case 404:
      return new NotFoundError(call, answer)
    case 409:
      return new ConflictError(call, answer)
    case 422:
      return new UnprocessableError(call, answer)
    case 429:
      return new RateLimitError(call, answer)
    default:
      return new ApiError(call, answer)
  }
}

function timedOut(phase: TimeoutPhase, timeoutMs: number, status?: number): Failure {
  return {
    outcome: outcomeOfCut(phase, status),
    repeat: status === undefined ? repeatAfterTimeout(phase) : repeatAfterSilence(status),
    status,
    code: 'ERR_TIMEOUT',
    toError: (call) => new TimeoutError(call, phase, timeoutMs),
  }
}

function repeatAfterTimeout(phase: TimeoutPhase): Failure['repeat'] {
  if (phase === 'queue') return 'never'
  return phase === 'connect' ? 'freely' : 'if-repeatable'
}

/** A refusal needs no body to be one. */
function repeatAfterSilence(status: number): Failure['repeat'] {
  return status >= 400 ? repeatAfter(status) : 'if-repeatable'
}

/** The caller ended the call. */
export function aborted(phase: TimeoutPhase, reason: unknown, status?: number): Failure {
  return {
    outcome: outcomeOfCut(phase, status),
    repeat: 'never',
    status,
    code: 'ERR_ABORTED',
    toError: (call) => new AbortedError(call, reason),
  }
}

/** What may be concluded when an attempt is cut short in this phase, after this status. */
function outcomeOfCut(phase: TimeoutPhase, status?: number): Outcome {
  if (beforeSending(phase)) return 'not_sent'
  return status === undefined ? 'unknown' : outcomeOfCutAnswer(status)
}

/** Whether no byte of the request can have left yet. */
function beforeSending(phase: TimeoutPhase): boolean {
  return phase === 'queue' || phase === 'connect'
}

/** Time or the caller cut the call short, in this phase and after this status. */
export function interrupted({ interruption }: Interrupted, phase: TimeoutPhase, status?: number): Failure {
  return interruption.kind === 'timeout'
    ? timedOut(phase, interruption.timeoutMs, status)
    : aborted(phase, interruption.reason, status)
}

function outcomeOfCutAnswer(status: number): Outcome {
  if (status >= 200 && status < 300) return 'accepted'
  return status >= 400 && status < 500 ? 'rejected' : 'unknown'
}

/** Ways in which an answer is unreadable because the connection cut it. Fetched again, it may be whole. */
const mayBeCut: ReadonlySet<UnreadableReason> = new Set(['truncated', 'empty', 'not-json'])

/** The headers came, but what follows cannot be read. */
export function unreadable(status: number, reason: UnreadableReason): Failure {
  return {
    outcome: outcomeOfCutAnswer(status),
    repeat: mayBeCut.has(reason) ? 'if-repeatable' : 'never',
    status,
    code: 'ERR_UNREADABLE_RESPONSE',
    toError: (call) => new UnreadableResponseError(call, status, reason),
  }
}

/** 2xx and JSON, but not what the contract says. */
export function offContract(status: number, issues: readonly Issue[], data: unknown): Failure {
  return {
    outcome: 'accepted',
    repeat: 'never',
    status,
    code: 'ERR_RESPONSE_VALIDATION',
    toError: (call) => new ResponseValidationError(call, issues, data),
  }
}

/** The API key could not be had, so nothing was sent. */
export function withoutKey(message: string): Failure {
  return {
    outcome: 'not_sent',
    repeat: 'never',
    code: 'ERR_CONFIGURATION',
    toError: (call) => new ConfigurationError(message, call),
  }
}

/** The connection failed before an answer arrived. */
export function disconnected(error: unknown, phase: TimeoutPhase): Failure {
  const code = systemCode(error)
  const unsent = beforeSending(phase) || error instanceof Unconnected
  return {
    outcome: unsent ? 'not_sent' : 'unknown',
    repeat: unsent ? (isTlsFailure(code) ? 'never' : 'freely') : 'if-repeatable',
    code,
    toError: (call) => new ConnectionError(call, code),
  }
}
