import { type AnyOperation, namesOf } from '../contract/operation.js'
import type { PaymentsError } from '../errors.js'
import { isEndOfIteration } from '../internal/deadline.js'
import { headersProblem, toHeaders } from '../internal/headers.js'
import { describeIssues, type Issue, unknownKey } from '../internal/issues.js'
import { counted } from '../internal/plural.js'
import type { CallEvent, Hooks, LogFields, Logger, ResultEvent } from '../options.js'
import type { Settings } from '../settings.js'
import type { AttemptContext, CallIdentity, CallRecord } from './call-record.js'
import type { PreparedRequest } from './request.js'

// These functions report events to the hooks, the logger and the diagnostics channels. Events contain no secrets.

/** Reports the result of a call. Reports nothing if the call ended because the caller left a loop over a list. */
export function callEnded(identity: CallIdentity, error?: PaymentsError): void {
  const { operation, settings, success } = identity
  // Returns early for most calls: they succeed, and no hook, logger or subscriber receives their result.
  const isReported = error !== undefined || identity.isTraced || settings.hooks.onResult !== undefined
  if (!isReported || isEndOfIteration(error)) return
  const attempts = (error ?? success?.response)?.attempts ?? []
  const status: number | undefined = Object(error).httpStatus ?? success?.response.status ?? attempts.at(-1)?.status
  const event: ResultEvent = {
    callId: identity.callId,
    operation: operation.name,
    outcome: error === undefined ? 'succeeded' : (error.outcome ?? 'unknown'),
    ...(status === undefined ? undefined : { status }),
    attempts,
    durationMs: identity.durationMs,
    ...(error === undefined ? undefined : { error }),
    ...(identity.journalError === undefined ? undefined : { journalError: identity.journalError }),
  }
  if (error !== undefined) {
    const fields = {
      outcome: event.outcome,
      ...(status === undefined ? undefined : { status }),
      attempts,
    }
    log(identity, operation, levelOf(event, operation), fields, () => {
      const facts = [error.code, status, counted(attempts.length, 'attempt'), `${Math.round(event.durationMs)} ms`]
      return `failed, outcome ${event.outcome} (${facts.filter((fact) => fact !== undefined).join(', ')})`
    })
  }
  identity.result = event
  callHook(settings, 'onResult', event)
}

/** Reports that the result of a call could not be stored in the journal, or that `onSettled` failed. */
export function recordingFailed(identity: CallIdentity, error: unknown, message: string): void {
  identity.journalError = error
  log(identity, identity.operation, 'error', {}, () => message)
}

/** Warns that `onSettled` ran no statement, because it may have forgotten to await one. */
export function hookWasIdle(identity: CallIdentity, message: string): void {
  log(identity, identity.operation, 'warn', {}, () => message)
}

/** Returns the log level of a result. An abort is logged as an error only if a write may have taken effect. */
function levelOf({ outcome, error }: ResultEvent, operation: AnyOperation): keyof Logger {
  if (outcome === 'rejected') return 'warn'
  const isHarmless = outcome === 'not_sent' || operation.class === 'safe'
  return error?.code === 'ERR_ABORTED' && isHarmless ? 'info' : 'error'
}

/**
 * Reports the start of a request. Returns the caller's headers, including changes by the hook and by channel
 * subscribers.
 */
export function requestStarted(context: AttemptContext): Readonly<Record<string, string>> {
  const { request, settings } = context.call
  if (settings.logger) logAttempt(context.call, context.number, 'debug', () => `sending${describeBody(request)}`)
  const { headers: own } = request.options
  const given = own === undefined ? settings.headers : { ...settings.headers, ...own }
  if (settings.hooks.onRequest === undefined && context.headers === undefined) return given
  const subscribed = context.headers && !rejects(context, 'the channel', context.headers) ? context.headers : given
  const headers = new Headers(subscribed)
  const isCalled = callHook(settings, 'onRequest', { ...eventOf(context.call, context.number), headers })
  return toHeaders(isCalled && !rejects(context, 'onRequest', headers) ? headers : subscribed)
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

/**
 * Checks headers that a hook or a subscriber may have changed. Logs the problem and returns true if the headers are
 * invalid.
 */
function rejects({ call, number }: AttemptContext, source: string, headers: Headers): boolean {
  const problem = headersProblem(headers)
  if (problem) logAttempt(call, number, 'error', () => `ignoring the headers from ${source}: ${problem.message}`)
  return problem !== undefined
}

export function responseReceived({ call, number, sentAt }: AttemptContext, status: number): void {
  const { hooks, logger, runtime } = call.settings
  if (logger === undefined && hooks.onResponse === undefined) return
  const durationMs = runtime.now() - sentAt
  logAttempt(call, number, 'debug', () => `${status} after ${Math.round(durationMs)} ms`, status)
  callHook(call.settings, 'onResponse', { ...eventOf(call, number), status, durationMs })
}

export function retryScheduled(call: CallRecord, delayMs: number, reason: string): void {
  const number = call.attempts.length
  const { status } = call.attempts[number - 1] ?? {}
  logAttempt(call, number, 'warn', () => `${reason}, retrying in ${Math.round(delayMs)} ms`, status)
  callHook(call.settings, 'onRetry', { ...eventOf(call, number), delayMs, reason })
}

export function slotDelayed(call: CallRecord): void {
  call.isSlotDelayed = true
  logAttempt(
    call,
    call.attempts.length + 1,
    'warn',
    () => 'waiting for a free connection for more than 1 s: see the option maxConnections',
  )
}

/** Reports each kind of contract violation only once per hook and logger. */
export function responseInvalid({ call, number }: AttemptContext, issues: readonly Issue[]): void {
  const { logger, hooks } = call.settings
  for (const issue of issues) {
    const path = issue.path.map((key) => (typeof key === 'number' ? 0 : key))
    const kind = `${call.request.operation.name} ${path} ${issue.message}`
    if (logger && isFirst(logger, kind)) {
      logAttempt(call, number, 'warn', () => `the response violates the contract: ${describeIssues([issue])}`)
    }
    if (hooks.onResponseIssue && isFirst(hooks.onResponseIssue, kind)) {
      callHook(call.settings, 'onResponseIssue', { ...eventOf(call, number), issue })
    }
  }
}

/** Warns about filter values that the specification does not contain, because they are probably misspelt. */
export function checkFilters(identity: CallIdentity, sent: ReadonlyMap<string, string>): void {
  const { settings, operation } = identity
  if (operation.query?.knownValues === undefined) return
  for (const [name, known] of Object.entries(operation.query.knownValues) as [string, string[]][]) {
    for (const value of sent.get(String(operation.query.names[name]))?.split(',') ?? []) {
      if (known.includes(value)) continue
      const { message } = unknownKey([value], known, `known ${name}`)
      if (settings.logger && isFirst(settings.logger, `${operation.name} ${name} ${message}`)) {
        log(identity, operation, 'warn', {}, () => `a value of the filter ${name} ${message}`)
      }
    }
  }
}

/** Maximum number of kinds of problems to remember per hook or logger. */
const maxRememberedKinds = 1_000

const reported = new WeakMap<object, Set<string>>()

function isFirst(listener: object, kind: string): boolean {
  const kinds = reported.get(listener) ?? new Set()
  if (kinds.has(kind) || kinds.size >= maxRememberedKinds) return false
  reported.set(listener, kinds.add(kind))
  return true
}

export function eventOf({ identity, request, idempotencyKey }: CallRecord, attempt: number): CallEvent {
  const event = { callId: identity.callId, ...namesOf(request.operation), attempt }
  return idempotencyKey === undefined ? event : { ...event, idempotencyKey }
}

/** Calls a hook without waiting for it. Returns false if the hook threw an error. */
function callHook<Event extends ResultEvent | CallEvent>(settings: Settings, name: keyof Hooks, event: Event): boolean {
  const hook = settings.hooks[name] as ((event: object) => unknown) | undefined
  if (hook === undefined) return true
  const { callId, operation } = event
  const failed = () => write(settings, 'error', { callId, operation }, () => `The hook ${name} failed`)
  try {
    const result = hook.call(settings.hooks, event)
    if (result instanceof Promise) result.catch(failed)
    return true
  } catch {
    failed()
    return false
  }
}

function logAttempt(
  call: CallRecord,
  attempt: number,
  level: keyof Logger,
  message: () => string,
  status?: number,
): void {
  const fields = status === undefined ? { attempt } : { attempt, status }
  log(call.identity, call.request.operation, level, fields, () => `attempt ${attempt}: ${message()}`)
}

function log(
  { callId, settings }: CallIdentity,
  operation: AnyOperation,
  level: keyof Logger,
  fields: Omit<LogFields, 'callId' | 'operation'>,
  message: () => string,
): void {
  const { name, method, path } = operation
  write(settings, level, { callId, operation: name, ...fields }, () => {
    return `${name}${path && ` (${method} ${path})`}, ${message()} [${callId}]`
  })
}

const severities = ['debug', 'info', 'warn', 'error', 'off']

/** Writes a log line. Ignores errors from the logger, because they cannot be logged. */
function write({ logger, logLevel }: Settings, level: keyof Logger, fields: LogFields, message: () => string): void {
  if (logger === undefined || severities.indexOf(level) < severities.indexOf(logLevel)) return
  try {
    const result: unknown = logger[level](message(), fields)
    if (result instanceof Promise) result.catch(() => {})
  } catch {}
}
