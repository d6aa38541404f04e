import { createSandbox } from '../../src/testing/index.js'
import { views } from '../../src/testing/sandbox/control/views.js'
import { leastExternalPayment } from './external-payment.js'

export interface ControlExample {
  /** The path relative to `/__sandbox/api/`, for example `payments/:id`. */
  readonly route: string
  readonly summary: string
  readonly response: Record<string, unknown>
}

/**
 * Returns one response of every route of the control API, except the stream of events. Each list has one row, if
 * possible. The responses are the same in every run.
 */
export async function controlExamples(): Promise<ControlExample[]> {
  const sandbox = createSandbox({ seed: 'docs', now: new Date('2026-03-02T09:00:00Z') })
  const server = await sandbox.listen()
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': sandbox.apiKey, 'x-idempotency-key': 'order-17-1', 'user-agent': 'shop/1.0' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await sandbox.fetch(sandbox.baseUrl + path, init)).json()
  }
  try {
    sandbox.webhooks.subscribe(() => new Response('ok'))
    await send('POST', '/client-session', { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 })
    await send('POST', '/payment-instruments/tok_card/vault', { customerId: 'customer-1' })
    await send('POST', '/observability/payments', leastExternalPayment)
    sandbox.loyalty.setBalance('connection-1', 'customer-1', 300)
    sandbox.faults.add({ operation: 'payments.capture', at: 'after', reset: true })
    const { id } = await send('POST', '/payments', {
      paymentMethodToken: sandbox.tokens.card,
      orderId: 'order-17',
      currencyCode: 'EUR',
      amount: 5000,
    })
    await sandbox.webhooks.flush()
    sandbox.disputes.open(id)
    await sandbox.webhooks.flush()
    const readable = Object.entries(views).filter(([path]) => path !== 'events')
    const examples = readable.map(async ([path, { summary }]): Promise<ControlExample> => {
      const query = path === 'requests' || path === 'deliveries' ? '?limit=1' : ''
      const ids: Record<string, string | undefined> = {
        'payments/:id': id,
        'requests/:id': sandbox.requests.at(-1)?.id,
        'deliveries/:id': sandbox.webhooks.deliveries.at(-1)?.id,
      }
      const response = await fetch(`${server.url}/__sandbox/api/${path.replace(':id', ids[path] ?? '')}${query}`)
      return { route: path, summary, response: withStableValues(await response.json()) }
    })
    return await Promise.all(examples)
  } finally {
    await server.close()
  }
}

/** Replaces the values that differ in every run. */
function withStableValues(response: object): Record<string, unknown> {
  const json = JSON.stringify(response, (name, value) => (name === 'durationMs' ? 1.5 : value))
  return JSON.parse(json.replace(/(request|delivery)_\w{20}/g, '$1_AcSuFzU7TB6cTRSsfxJ3'))
}
