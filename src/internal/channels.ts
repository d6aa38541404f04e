import type { ChannelListener, TracingChannel as NodeTracingChannel } from 'node:diagnostics_channel'
import { builtinModule } from './builtin.js'

interface Publisher {
  readonly hasSubscribers: boolean
  tracePromise<T>(work: () => Promise<T>, context: object): Promise<T>
}

/** Returns the tracing channel `payments-client:<name>`, or undefined in a runtime without `node:diagnostics_channel`. */
export function tracingChannel(name: 'call' | 'attempt' | 'webhook'): NodeTracingChannel | undefined {
  const diagnostics = builtinModule<typeof import('node:diagnostics_channel')>('node:diagnostics_channel')
  return diagnostics?.tracingChannel?.(`payments-client:${name}`)
}

/** The context object of the channel `payments-client:webhook`. */
export interface WebhookTrace {
  /** Type of the event. Set after the signature is verified. */
  eventType?: string
  /** The delivery key. */
  key?: string
  /** The result of the delivery. Set before the response is sent. */
  delivery?: 'handled' | 'duplicate' | 'busy' | 'rejected' | 'failed'
  /** Whether a newer event for the same payment was already handled. Set before your function runs. */
  stale?: boolean
  /** The error that `onError` received. */
  error?: unknown
}

const withoutSubscribers: Publisher = { hasSubscribers: false, tracePromise: (work) => work() }

/** Returns a channel to publish to. Without `node:diagnostics_channel`, the channel never has subscribers. */
export function publisherOf(name: 'call' | 'attempt' | 'webhook'): Publisher {
  return (tracingChannel(name) as Publisher | undefined) ?? withoutSubscribers
}

export interface Subscriber<Context> {
  start?(context: Context): void
  end(context: Context): void
}

export function subscribe<Context>(
  channel: NodeTracingChannel | undefined,
  subscriber: Subscriber<Context>,
): () => void {
  const onStart: ChannelListener = (context) => subscriber.start?.(context as Context)
  const onEnd: ChannelListener = (context) => subscriber.end(context as Context)
  channel?.start.subscribe(onStart)
  channel?.asyncEnd.subscribe(onEnd)
  return () => {
    channel?.start.unsubscribe(onStart)
    channel?.asyncEnd.unsubscribe(onEnd)
  }
}
