import type { SetRequired } from 'type-fest'

/**
 * Whether a failed call took effect:
 *
 * - `not_sent`: the service cannot have acted.
 * - `rejected`: the service responded that it did not act.
 * - `unknown`: the service may or may not have acted; the message explains how to find out.
 * - `accepted`: the service responded 2xx, but the response could not be read.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown' | 'accepted'

/**
 * The safe next step after a failed call:
 *
 * - `same-key`: retry later with the same idempotency key and the same body. The call may have taken effect, or it
 *   failed for a reason other than its content. An operation without a key can be called again unchanged.
 * - `new-key`: the service rejected the content of the request. Change the request, and send it with a new key. This is
 *   safe only if no earlier call with the old key had a different result.
 * - `check-first`: the operation cannot be retried safely, and may have taken effect. Check the current state first.
 * - `no`: the arguments or the configuration are invalid. No request was sent, and a retry fails again.
 */
export type Retry = 'same-key' | 'new-key' | 'check-first' | 'no'

/** The step at which a call timed out. */
export type TimeoutPhase = 'queue' | 'connect' | 'headers' | 'body' | 'backoff'

/** The reason that a 2xx response could not be read. */
export type UnreadableReason =
  | 'truncated'
  | 'empty'
  | 'too-large'
  | 'too-deep'
  | 'not-json'
  | 'not-utf-8'
  | 'unknown-encoding'

/** The parts of an error response that determine the outcome of the request. */
export interface ErrorFacts {
  readonly status: number
  /** Whether the body has the service's error format. If not, a proxy or a firewall may have sent the response. */
  readonly hasEnvelope: boolean
  readonly hasErrorId: boolean
  /** The error ID. Absent if it must not be printed, because it contains a secret of the request. */
  readonly errorId?: string | undefined
}

/** The parts of a request that determine the outcome. */
export interface RequestFacts {
  readonly method: string
  /** Whether the request had an idempotency key. */
  readonly hasKey: boolean
}

/** The reason that an attempt has no result. */
export type Ending =
  /** The client rejected the configuration. */
  | { readonly kind: 'configuration' }
  /** No connection was established (`isUnsent`), or it broke. */
  | { readonly kind: 'connection'; readonly isUnsent: boolean; readonly isTlsFailure: boolean }
  /** A time limit passed, or the caller aborted the call, before a response arrived. */
  | { readonly kind: 'timeout'; readonly phase: TimeoutPhase }
  /** The body of a 2xx response is unusable. */
  | { readonly kind: 'unusable'; readonly reason: UnreadableReason | 'violation' }
  /** Any other response. `isCut` means that part of its body is missing. */
  | ({ readonly kind: 'response'; readonly isCut?: boolean } & SetRequired<Partial<ErrorFacts>, 'status'>)

export interface Decision {
  readonly outcome: Outcome
  /** Whether another attempt may succeed. The retry class of the operation determines whether it is safe. */
  readonly isRetryable: boolean
  /** The cause of a rejection: the request's content, or an idempotency key that was already used. */
  readonly about?: 'content' | 'key' | undefined
}

type Row = readonly [
  description: string,
  matches: (ending: Ending, request: RequestFacts) => boolean,
  outcome: Outcome,
  isRetryable: boolean,
  about?: Decision['about'],
]

type Facts = Partial<ErrorFacts>

/** Matches a response with one of these statuses, or with a status from `min` to `max`. */
const response =
  (
    statuses: readonly number[] | { min: number; max: number },
    more: (error: Facts, request: RequestFacts) => boolean = () => true,
  ) =>
  (ending: Ending, request: RequestFacts): boolean => {
    if (ending.kind !== 'response') return false
    const { status } = ending
    const isStatus = 'min' in statuses ? status >= statuses.min && status <= statuses.max : statuses.includes(status)
    return isStatus && more(ending, request)
  }

const timeout =
  (...phases: TimeoutPhase[]) =>
  (ending: Ending) =>
    ending.kind === 'timeout' && phases.includes(ending.phase)

const connection = (isUnsent: boolean, isTlsFailure: boolean) => (ending: Ending) =>
  ending.kind === 'connection' && ending.isUnsent === isUnsent && ending.isTlsFailure === isTlsFailure

const unusable =
  (...reasons: (UnreadableReason | 'violation')[]) =>
  (ending: Ending) =>
    ending.kind === 'unusable' && (reasons.length === 0 || reasons.includes(ending.reason))

const isInProgress = ({ errorId }: Facts) => errorId !== undefined && /InProgress$/i.test(errorId)
const isKeyUsed = ({ errorId }: Facts) =>
  errorId !== undefined && /IdempotencyKey(AlreadyExists|Reused)$/i.test(errorId)
const isGet = (_: Facts, { method }: RequestFacts) => method === 'GET'
const redirect = { min: 300, max: 399 }

/**
 * The outcome of an attempt, and whether another attempt may succeed. The first matching row applies. A 4xx or 5xx
 * whose body is cut off is always retryable.
 */
export const retryRules = [
  ['the configuration is invalid', ({ kind }) => kind === 'configuration', 'not_sent', false],
  ['no connection became free in time', timeout('queue'), 'not_sent', false],
  ['no connection was established in time', timeout('connect'), 'not_sent', true],
  ['no response arrived in time', timeout('headers', 'body', 'backoff'), 'unknown', true],
  ['the TLS handshake failed', connection(true, true), 'not_sent', false],
  ['no connection', connection(true, false), 'not_sent', true],
  ['a custom fetch rejected the certificate', connection(false, true), 'unknown', false],
  ['the connection broke', connection(false, false), 'unknown', true],
  ['2xx with an incomplete body', unusable('truncated', 'empty', 'not-json'), 'accepted', true],
  ['2xx with an invalid body', unusable(), 'accepted', false],
  ['2xx with an error', response({ min: -Infinity, max: 299 }), 'unknown', false],
  ['redirect of a GET', response(redirect, isGet), 'rejected', false],
  ['other redirect', response(redirect), 'unknown', false],
  ['408 of a GET', response([408], isGet), 'rejected', true],
  // Some servers continue to process such a request.
  ['other 408', response([408]), 'unknown', true],
  ['429', response([429]), 'rejected', true],
  // Without an error ID, the response may mean that the key was already used. Older services report this with 400.
  [
    '400 or 409 without an error ID',
    response([400, 409], ({ hasErrorId }, { hasKey }) => hasKey && !hasErrorId),
    'unknown',
    true,
  ],
  ['the key was already used', response([400, 409], isKeyUsed), 'rejected', false, 'key'],
  // An earlier request with this key may still take effect.
  [
    'a request with this key is in progress',
    response([409], (error, { hasKey }) => hasKey && isInProgress(error)),
    'unknown',
    true,
  ],
  ['a request without a key is in progress', response([409], isInProgress), 'rejected', false],
  [
    'invalid content',
    response([400, 404, 409, 422], ({ hasEnvelope }) => hasEnvelope === true),
    'rejected',
    false,
    'content',
  ],
  ['other 4xx', response({ min: 400, max: 499 }), 'rejected', false],
  ['5xx', response({ min: 500, max: Infinity }), 'unknown', true],
] as const satisfies readonly Row[]

export type RetryRule = (typeof retryRules)[number][0]

/** Returns the outcome of an attempt that ended without a result, and whether another attempt may succeed. */
export function retryDecision(request: RequestFacts, ending: Ending): Decision {
  const rules: readonly Row[] = retryRules
  const [, , outcome, isRetryable, about] = rules.find(([, matches]) => matches(ending, request)) as Row
  const isCut = ending.kind === 'response' && ending.isCut === true && ending.status >= 400
  return { outcome, isRetryable: isRetryable || isCut, about }
}

/** Returns the cause of a rejection: the request's content, or an idempotency key that was already used. */
export function subjectOf(error: SetRequired<Partial<ErrorFacts>, 'status'>): Decision['about'] {
  return retryDecision({ method: 'POST', hasKey: false }, { kind: 'response', ...error }).about
}

/**
 * Returns the safe next step after a failed call.
 *
 * @param call.isRepeatable Whether a second request is safe, because the operation only reads, has an idempotency key,
 * or is idempotent.
 * @param call.response The error response that ended the call.
 * @param call.isInvalid Whether the client rejected the arguments or the configuration.
 */
export function retryOf({
  outcome,
  isRepeatable,
  response,
  isInvalid,
}: {
  outcome: Outcome
  isRepeatable: boolean
  response?: ErrorFacts | undefined
  isInvalid: boolean
}): Retry {
  if (outcome === 'not_sent') return isInvalid ? 'no' : 'same-key'
  if (outcome === 'rejected')
    return response !== undefined && subjectOf(response) === 'content' ? 'new-key' : 'same-key'
  return isRepeatable ? 'same-key' : 'check-first'
}
