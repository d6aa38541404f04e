import { publisherOf } from '../internal/channels.js'

/** The context object of the channel `payments-client:webhook`. */
export interface WebhookTrace {
  /** Set once the signature is verified. */
  eventType?: string
  /** The delivery key. */
  key?: string
  /** Set when the response is known. */
  delivery?: 'handled' | 'duplicate' | 'busy' | 'rejected' | 'failed'
  /** Set when the function runs. */
  stale?: boolean
  /** The error that `onError` received. */
  error?: unknown
}

let channel: ReturnType<typeof publisherOf> | undefined

/** Runs the work on one delivery, and publishes it if the channel has subscribers. */
export function traceWebhook<T>(work: (trace: WebhookTrace) => Promise<T>): Promise<T> {
  channel ??= publisherOf('webhook')
  const trace: WebhookTrace = {}
  return channel.hasSubscribers ? channel.tracePromise(() => work(trace), trace) : work(trace)
}
