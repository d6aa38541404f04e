import { namesOf } from '../contract/operation.js'
import { describeIssues, type Issue } from '../internal/issues.js'
import type { CallEvent, Hooks, Logger } from '../options.js'
import type { Settings } from '../settings.js'
import type { AttemptContext, CallRecord } from './call-record.js'

/** Reports events to the hooks and the logger. Neither can change the call, and neither receives a secret. */

export function requestStarted({ call, number }: AttemptContext): void {
  report(call, number, 'onRequest', 'debug', {}, () => 'sending')
}

export function responseReceived({ call, number }: AttemptContext, status: number, durationMs: number): void {
  const event = { status, durationMs }
  report(call, number, 'onResponse', 'debug', event, () => `${status} after ${Math.round(durationMs)} ms`)
}

export function retryScheduled(call: CallRecord, delayMs: number, reason: string): void {
  const event = { delayMs, reason }
  report(call, call.attempts.length, 'onRetry', 'warn', event, () => `${reason}, retrying in ${Math.round(delayMs)} ms`)
}

/** Reports each kind of issue once per hook. */
export function responseInvalid({ call, number }: AttemptContext, issues: readonly Issue[]): void {
  const { logger, hooks } = call.settings
  const listener = hooks.onResponseIssue ?? logger
  if (listener === undefined) return
  for (const issue of issues) {
    const path = issue.path.map((key) => (typeof key === 'number' ? '[]' : key)).join('.')
    if (!isFirst(listener, `${call.request.operation.name} ${path} ${issue.message}`)) continue
    const message = () => `the response violates the contract: ${describeIssues([issue])}`
    report(call, number, 'onResponseIssue', 'warn', { issue }, message)
  }
}

/** The most issues that are remembered per hook, so that varying responses cannot fill the memory. */
const maxRememberedIssues = 1_000

/** What each hook or logger was told. */
const reported = new WeakMap<object, Set<string>>()

function isFirst(listener: object, kind: string): boolean {
  const kinds = reported.get(listener) ?? new Set()
  if (kinds.has(kind) || kinds.size >= maxRememberedIssues) return false
  reported.set(listener, kinds.add(kind))
  return true
}

/** Passes one event to the logger and to a hook. */
function report(
  { request, settings, idempotencyKey }: CallRecord,
  attempt: number,
  name: keyof Hooks,
  level: keyof Logger,
  details: object,
  message: () => string,
): void {
  const { logger, hooks } = settings
  const hook = hooks[name] as ((event: object) => unknown) | undefined
  if (logger === undefined && hook === undefined) return
  const names = namesOf(request.operation)
  log(settings, level, () => `${names.operation} (${names.method} ${names.path}), attempt ${attempt}: ${message()}`)
  if (hook === undefined) return
  const event: CallEvent = { ...names, attempt, ...(idempotencyKey === undefined ? undefined : { idempotencyKey }) }
  const failed = () => log(settings, 'error', () => `The hook ${name} failed`)
  try {
    const result = hook({ ...event, ...details })
    if (result instanceof Promise) result.catch(failed)
  } catch {
    failed()
  }
}

/** The error of a logger has nowhere to go. */
function log({ logger }: Settings, level: keyof Logger, message: () => string): void {
  if (logger === undefined) return
  try {
    const result: unknown = logger[level](message())
    if (result instanceof Promise) result.catch(() => {})
  } catch {}
}
