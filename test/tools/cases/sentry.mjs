import * as Sentry from '@sentry/node'
import { wireCases } from '../support.mjs'

/** @param transport `http` for requests over node:http, `fetch` for requests over fetch. */
export default function start(transport) {
  Sentry.init({
    dsn: 'http://public@127.0.0.1:9/1',
    tracesSampleRate: 1,
    // Sends no data over the network.
    transport: () => ({ send: async () => ({}), flush: async () => true }),
  })
  const client = transport === 'fetch' ? { fetch: (url, init) => fetch(url, init) } : {}
  return wireCases({
    within: (work) => Sentry.startSpan({ name: 'checkout' }, work),
    trace: ['sentry-trace', 'baggage'],
    added: ['traceparent'],
    client,
  })
}
