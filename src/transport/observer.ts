import { type AnyOperation, namesOf } from '../contract/operation.js'
import { describeIssues, type Issue } from '../internal/issues.js'
import type { CallEvent, Hooks, Logger } from '../options.js'
import type { Settings } from '../settings.js'

/** Most different issues that are remembered, so that a stream of odd answers cannot fill the memory. */
const rememberedIssues = 1_000

/** Tells hooks and logger what happens. Neither can change the call, and neither is told a secret. */
export class Observer {
  readonly #seenIssues = new Set<string>()

  requestSent(settings: Settings, event: CallEvent): void {
    log(settings, 'debug', () => `${line(event)}: sending`)
    tell(settings, 'onRequest', event)
  }

  responseReceived(settings: Settings, event: CallEvent, status: number, durationMs: number): void {
    log(settings, 'debug', () => `${line(event)}: ${status} after ${Math.round(durationMs)} ms`)
    tell(settings, 'onResponse', { ...event, status, durationMs })
  }

  retrying(settings: Settings, event: CallEvent, delayMs: number, reason: string): void {
    log(settings, 'warn', () => `${line(event)}: ${reason}, trying again in ${Math.round(delayMs)} ms`)
    tell(settings, 'onRetry', { ...event, delayMs, reason })
  }

  /** Each kind of issue is reported once per client. */
  offContract(settings: Settings, event: CallEvent, issues: readonly Issue[]): void {
    for (const issue of issues) {
      const kind = `${event.operation} ${issue.path.map((key) => (typeof key === 'number' ? '[]' : key)).join('.')} ${issue.message}`
      if (this.#seenIssues.has(kind) || this.#seenIssues.size >= rememberedIssues) continue
      this.#seenIssues.add(kind)
      log(settings, 'warn', () => `${line(event)}: the answer does not fit the contract: ${describeIssues([issue])}`)
      tell(settings, 'onResponseIssue', { ...event, issue })
    }
  }
}

/** What an event says of its call. */
export function callEvent(operation: AnyOperation, attempt: number, idempotencyKey: string | undefined): CallEvent {
  const event = { ...namesOf(operation), attempt }
  return idempotencyKey === undefined ? event : { ...event, idempotencyKey }
}

function line({ operation, method, path, attempt }: CallEvent): string {
  return `${operation} (${method} ${path}), attempt ${attempt}`
}

/** A logger that fails has nobody left to tell. */
function log({ logger }: Settings, level: keyof Logger, message: () => string): void {
  if (logger === undefined) return
  try {
    const result: unknown = logger[level](message())
    if (result instanceof Promise) result.catch(() => {})
  } catch {}
}

function tell<Name extends keyof Hooks>(
  settings: Settings,
  name: Name,
  event: Parameters<NonNullable<Hooks[Name]>>[0],
): void {
  const failed = () => log(settings, 'error', () => `The hook ${name} failed`)
  try {
    const hook = settings.hooks[name] as ((event: unknown) => unknown) | undefined
    const result = hook?.(event)
    if (result instanceof Promise) result.catch(failed)
  } catch {
    failed()
  }
}
