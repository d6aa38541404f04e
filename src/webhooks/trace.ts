import { publisherOf, type WebhookTrace } from '../internal/channels.js'

let channel: ReturnType<typeof publisherOf> | undefined

/** Runs the work on one delivery, and publishes it if the channel has subscribers. */
export function traceWebhook<T>(work: (trace: WebhookTrace) => Promise<T>): Promise<T> {
  channel ??= publisherOf('webhook')
  const trace: WebhookTrace = {}
  return channel.hasSubscribers ? channel.tracePromise(() => work(trace), trace) : work(trace)
}
