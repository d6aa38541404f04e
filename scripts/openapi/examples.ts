import type { KnownVersion } from '../../src/core/contract/version.js'
import { eventTypes } from '../../src/core/schemas/known-values.js'
import { PaymentsClient } from '../../src/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { tour } from '../../test/support/tour.js'

export interface Examples {
  /** The example of each operation, by the operation's name. */
  readonly operations: ReadonlyMap<string, { readonly body?: unknown; readonly response: unknown }>
  /** The example of each event, by the event's type. */
  readonly events: ReadonlyMap<string, unknown>
}

/**
 * Calls each operation in the sandbox and records its request and response. The same seed and clock lead to the same
 * examples.
 */
export async function recordExamples(version: KnownVersion): Promise<Examples> {
  const sandbox = createSandbox({ seed: 'openapi', now: new Date('2026-03-02T09:00:00Z') })
  const operations = new Map<string, { body?: unknown; response: unknown }>()
  let operation = ''
  const client = new PaymentsClient({
    apiKey: sandbox.apiKey,
    baseUrl: sandbox.baseUrl,
    apiVersion: version,
    fetch: async (url, init) => {
      const response = await sandbox.fetch(url, init)
      const body = init?.body ? { body: JSON.parse(init.body as string) } : {}
      operations.set(operation, { ...body, response: await response.clone().json() })
      return response
    },
    hooks: {
      onRequest(event) {
        operation = event.operation
      },
    },
  })
  sandbox.loyalty.setBalance('connection-1', 'member-1', 500)
  const events = new Map<string, unknown>()
  sandbox.webhooks.subscribe(async (request) => {
    const event = await request.json()
    events.set(event.eventType, event)
    return new Response()
  })
  await tour(client as PaymentsClient, version, {
    token: (scenario) => sandbox.tokenize({ scenario }),
    resumeToken: (paymentId) => sandbox.completeAction(paymentId),
  })
  const refund = sandbox.ledger.find((effect) => effect.operation === 'payments.refund')
  if (refund === undefined) throw new Error('The tour refunds no payment')
  sandbox.processor.finishRefund(refund.resourceId, 'SETTLED')
  sandbox.disputes.open(refund.resourceId)
  await sandbox.webhooks.flush()
  const missing = eventTypes.filter((type) => !events.has(type))
  if (missing.length > 0) throw new Error(`Send an example of each event type: ${missing.join(', ')}`)
  return { operations, events }
}
