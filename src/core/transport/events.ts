import type { Except } from 'type-fest'
import { type AnyOperation, namesOf } from '../contract/operation.js'
import type { Outcome, PaymentsError } from '../errors.js'
import { isEndOfIteration } from '../internal/deadline.js'
import { describeIssues, type Issue, unknownKey } from '../internal/issues.js'
import { counted } from '../internal/plural.js'
import type { CallEvent, Hooks, LogFields, Logger, ResultEvent } from '../options.js'
import type { AttemptContext, CallIdentity, CallRecord } from './call-record.js'
import type { PreparedRequest } from './request.js'

/** An event of a call, which contains no secrets. The logger receives the line, and the hook receives the data. */
interface Event {
  readonly call: CallIdentity
  /** The operation of the request. It differs from the call's operation while a payment is re-fetched. */
  readonly operation?: AnyOperation
  /** The known facts for the second argument of the logger. */
  readonly fields?: Except<LogFields, 'callId' | 'operation'>
  readonly log?: {
    readonly level: keyof Logger
    readonly line: () => string
  }
  readonly hook?: keyof Hooks
  readonly data?: object
  /** If set, each logger and each hook receives only the first event of this kind. */
  readonly kind?: string
}

/** Reports an event to the logger and the hook. Returns false if the hook threw an error. */
function emit(event: Event): boolean {
  log(event)
  return callHook(event)
}

/** Reports the result of a call. Reports nothing if the call ended because the caller left a loop over a list. */
export function callEnded(call: CallIdentity, error?: PaymentsError): void {
  if (isEndOfIteration(error)) return
  const { operation, success, callId, durationMs, journalError } = call
  const attempts = (error ?? success?.response)?.attempts ?? []
  const status: number | undefined = Object(error).httpStatus ?? success?.response.status ?? attempts.at(-1)?.status
  const outcome: ResultEvent['outcome'] = error === undefined ? 'succeeded' : (error.outcome ?? 'unknown')
  const known = status === undefined ? {} : { status }
  const data: ResultEvent = {
    callId,
    operation: operation.name,
    outcome,
    ...known,
    attempts,
    durationMs,
    ...(error && { error }),
  }
  // Not enumerable, because a database error may contain the merchant's data.
  if (journalError !== undefined) Object.defineProperty(data, 'journalError', { get: () => journalError })
  call.result = data
  const line = () => {
    const facts = [error?.code, status, counted(attempts.length, 'attempt'), `${Math.round(durationMs)} ms`]
    return `failed, outcome ${outcome} (${facts.filter((fact) => fact !== undefined).join(', ')})`
  }
  const failure = error && { log: { level: levelOf(data, operation), line } }
  emit({ call, fields: { outcome, ...known, attempts }, ...failure, hook: 'onResult', data })
}

/** Warns that `onSettled` ran no statement, probably because it did not await its query. */
export function hookWasIdle(call: CallIdentity, message: string): void {
  emit({ call, log: { level: 'warn', line: () => message } })
}

/** Returns the log level of a result. An abort is logged as an error only if a write may have taken effect. */
function levelOf({ outcome, error }: ResultEvent, operation: AnyOperation): keyof Logger {
  if (outcome === 'rejected') return 'warn'
  const isHarmless = outcome === 'not_sent' || operation.class === 'safe'
  return error?.code === 'ERR_ABORTED' && isHarmless ? 'info' : 'error'
}

/** Reports that the result of a call could not be stored in the journal, or that `onSettled` failed. */
export function recordingFailed(call: CallIdentity, error: unknown, message: string): void {
  call.journalError = error
  emit({ call, log: { level: 'error', line: () => message } })
}

/** Reports the start of a request. The hook may change the headers. Returns false if the hook threw an error. */
export function requestStarted({ call, number }: AttemptContext, headers: Headers | undefined): boolean {
  const line = () => `sending${describeBody(call.request)}`
  return emitAttempt(call, number, { level: 'debug', line }, 'onRequest', { headers })
}

/**
 * Describes a body without its values. Omits the field names of `client.request`, because the caller chooses them and
 * they may contain customer data.
 */
function describeBody({ operation, body, bodyValue }: PreparedRequest): string {
  if (body === undefined) return ''
  const fields = operation.name === 'request' ? '' : ` with the fields ${Object.keys(Object(bodyValue)).join(', ')}`
  return ` ${body.length} characters of JSON${fields}`
}

/** Reports that the headers from a hook or a channel subscriber are invalid. */
export function headersIgnored({ call, number }: AttemptContext, problem: string): void {
  emitAttempt(call, number, { level: 'error', line: () => `ignoring the headers from ${problem}` })
}

export function responseReceived({ call, number, sentAt }: AttemptContext, status: number): void {
  const durationMs = call.settings.runtime.now() - sentAt
  const line = () => `${status} after ${Math.round(durationMs)} ms`
  emitAttempt(call, number, { level: 'debug', line, status }, 'onResponse', { status, durationMs })
}

export function retryScheduled(call: CallRecord, delayMs: number, reason: string): void {
  const { number = 0, status } = call.attempts.at(-1) ?? {}
  const { outcome } = call
  const line = () => `${reason}, retrying in ${Math.round(delayMs)} ms`
  emitAttempt(call, number, { level: 'warn', line, status, outcome }, 'onRetry', { delayMs, reason })
}

export function slotDelayed(call: CallRecord): void {
  call.isSlotDelayed = true
  const line = () => 'waiting for a free connection for more than 1 s: see the option maxConnections'
  emitAttempt(call, call.attempts.length + 1, { level: 'warn', line })
}

/** Reports each kind of contract violation only once per hook and logger. */
export function responseInvalid({ call, number }: AttemptContext, issues: readonly Issue[]): void {
  for (const issue of issues) {
    const path = issue.path.map((key) => (typeof key === 'number' ? 0 : key))
    const kind = `${call.request.operation.name} ${path} ${issue.message}`
    const line = () => `the response violates the contract: ${describeIssues([issue])}`
    emitAttempt(call, number, { level: 'warn', line }, 'onResponseIssue', { issue }, kind)
  }
}

/** Warns about filter values that are not in the specification, because they are probably misspelled. */
export function checkFilters(call: CallIdentity, sent: ReadonlyMap<string, string>): void {
  const { name: method, query } = call.operation
  for (const [name, known] of Object.entries(query?.knownValues ?? {}) as [string, string[]][]) {
    for (const value of sent.get(String(query?.names[name]))?.split(',') ?? []) {
      if (known.includes(value)) continue
      const { message } = unknownKey([value], known, `known ${name}`)
      const line = () => `a value of the filter ${name} ${message}`
      emit({ call, log: { level: 'warn', line }, kind: `${method} ${name} ${message}` })
    }
  }
}

interface AttemptLine {
  readonly level: keyof Logger
  readonly line: () => string
  readonly status?: number | undefined
  readonly outcome?: Outcome
}

function emitAttempt(
  call: CallRecord,
  attempt: number,
  { level, line, status, outcome }: AttemptLine,
  hook?: keyof Hooks,
  data?: object,
  kind?: string,
): boolean {
  return emit({
    call: call.identity,
    operation: call.request.operation,
    fields: {
      attempt,
      ...(status !== undefined && { status }),
      ...(outcome !== undefined && { outcome }),
      attempts: [...call.attempts],
    },
    log: { level, line: () => `attempt ${attempt}: ${line()}` },
    ...(hook && { hook, data: { ...eventOf(call, attempt), ...data } }),
    ...(kind !== undefined && { kind }),
  })
}

export function eventOf({ identity, request, idempotencyKey }: CallRecord, attempt: number): CallEvent {
  const event = { callId: identity.callId, ...namesOf(request.operation), attempt }
  return idempotencyKey === undefined ? event : { ...event, idempotencyKey }
}

/** Maximum number of kinds of problems to remember per hook or logger. */
const maxRememberedKinds = 1_000

const reported = new WeakMap<object, Set<string>>()

/** Returns whether a hook or logger has already received an event of this kind. */
function isRepeated(listener: object, kind: string | undefined): boolean {
  if (kind === undefined) return false
  const kinds = reported.get(listener) ?? new Set()
  if (kinds.has(kind) || kinds.size >= maxRememberedKinds) return true
  reported.set(listener, kinds.add(kind))
  return false
}

/** Calls a hook without waiting for it. Returns false if the hook threw an error. */
function callHook({ call, operation = call.operation, fields, hook: name, data, kind }: Event): boolean {
  const { callId, settings } = call
  const hook = name && (settings.hooks[name] as ((data: unknown) => unknown) | undefined)
  if (name === undefined || hook === undefined || isRepeated(hook, kind)) return true
  const failed = () =>
    write(call, 'error', { callId, operation: operation.name, ...fields }, () => `The hook ${name} failed`)
  try {
    const result = hook.call(settings.hooks, data)
    if (result instanceof Promise) result.catch(failed)
    return true
  } catch {
    failed()
    return false
  }
}

function log({ call, operation = call.operation, fields, log, kind }: Event): void {
  const { logger } = call.settings
  if (log === undefined || logger === undefined || isRepeated(logger, kind)) return
  const { name, method, path } = operation
  write(call, log.level, { callId: call.callId, operation: name, ...fields }, () => {
    return `${name}${path && ` (${method} ${path})`}, ${log.line()} [${call.callId}]`
  })
}

const severities = ['debug', 'info', 'warn', 'error', 'off']

/** Writes a log line. Ignores errors from the logger, because they cannot be logged. */
function write({ settings }: CallIdentity, level: keyof Logger, fields: LogFields, line: () => string): void {
  const { logger, logLevel } = settings
  if (logger === undefined || severities.indexOf(level) < severities.indexOf(logLevel)) return
  try {
    const result: unknown = logger[level](line(), fields)
    if (result instanceof Promise) result.catch(() => {})
  } catch {}
}
