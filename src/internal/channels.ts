import type { TracingChannel as NodeTracingChannel } from 'node:diagnostics_channel'

/** A tracing channel whose messages are `Trace` objects. */
export type TracingChannel<Trace extends object> = NodeTracingChannel<unknown, Trace>

/** The context object of `payments-client:call`. The last fields are set before `asyncEnd`. */
export interface CallTrace {
  readonly callId: string
  readonly operation: string
  readonly method: string
  /** Path template. */
  readonly path: string
  readonly serverAddress: string
  readonly serverPort: number
  idempotencyKey?: string
  outcome?: string
  /** Status of the last response. */
  status?: number
  /** Number of attempts. */
  attempts?: number
  durationMs?: number
  result?: unknown
  error?: unknown
}

/** The context object of `payments-client:attempt`. */
export interface AttemptTrace {
  readonly call: CallTrace
  readonly callId: string
  readonly operation: string
  readonly method: string
  readonly path: string
  /** 1 for the first. */
  readonly attempt: number
  /** The caller's own headers of this attempt. A subscriber to `start` may add headers. */
  readonly headers: Headers
  status?: number
  durationMs?: number
  /** Short name of the failure, for example `ECONNRESET`. */
  errorCode?: string
  result?: unknown
  error?: unknown
}

/** The context object of `payments-client:webhook`. */
export interface WebhookTrace {
  /** Set once the signature is verified. */
  eventType?: string
  /** The delivery key. */
  key?: string
  /** `handled`, `duplicate`, `busy`, `rejected` or `failed`. */
  delivery?: 'handled' | 'duplicate' | 'busy' | 'rejected' | 'failed'
  stale?: boolean
  result?: unknown
  error?: unknown
}

type DiagnosticsChannel = typeof import('node:diagnostics_channel')

const channels = new Map<string, TracingChannel<object>>()

/** Returns a channel, or undefined in a runtime without `node:diagnostics_channel`. */
function channel<Trace extends object>(name: string): TracingChannel<Trace> | undefined {
  if (!channels.has(name)) {
    const load = globalThis.process?.getBuiltinModule
    const created = (load?.('node:diagnostics_channel') as DiagnosticsChannel | undefined)?.tracingChannel?.(name)
    if (created) channels.set(name, created as never)
  }
  return channels.get(name) as TracingChannel<Trace> | undefined
}

export const callChannel = () => channel<CallTrace>('payments-client:call')
export const attemptChannel = () => channel<AttemptTrace>('payments-client:attempt')
export const webhookChannel = () => channel<WebhookTrace>('payments-client:webhook')

/** Runs the work on one delivery, and publishes it if the channel has subscribers. */
export function traceWebhook<T>(work: (trace: WebhookTrace) => Promise<T>): Promise<T> {
  const trace: WebhookTrace = {}
  const webhooks = webhookChannel()
  return webhooks?.hasSubscribers ? webhooks.tracePromise(() => work(trace), trace) : work(trace)
}
