import { publisherOf, type WebhookTrace } from '../internal/channels.js'

let channel: ReturnType<typeof publisherOf> | undefined

/** Handles one delivery by calling `work`. Publishes its start and end if the channel has subscribers. */
export function traceWebhook<T>(work: (trace: WebhookTrace) => Promise<T>): Promise<T> {
  channel ??= publisherOf('webhook')
  const trace: WebhookTrace = {}
  return channel.hasSubscribers ? channel.tracePromise(() => work(trace), trace) : work(trace)
}
