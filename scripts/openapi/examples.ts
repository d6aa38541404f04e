import type { Shape } from '../../src/contract/version.js'
import { PaymentsClient } from '../../src/index.js'
import { createSandbox, type SampleEventType, sampleEvent } from '../../src/sandbox/index.js'
import { sampleEventTypes } from '../../src/sandbox/samples.js'
import { tour } from './tour.js'

export interface Examples {
  /** By the operation's name. */
  readonly operations: ReadonlyMap<string, { readonly body?: unknown; readonly response: unknown }>
  readonly events: ReadonlyMap<SampleEventType, unknown>
}

const now = new Date('2026-03-02T09:00:00Z')
const dayMs = 24 * 3_600_000

/** Records a request and a response of each operation in the sandbox. The same seed and clock give the same examples. */
export async function recordExamples(version: Shape): Promise<Examples> {
  const sandbox = createSandbox({ seed: 'openapi', now })
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
  await tour(client as PaymentsClient, version, {
    token: (scenario) => sandbox.tokenize({ scenario }),
    resumeToken: (paymentId) => sandbox.completeAction(paymentId),
  })
  const events = sampleEventTypes.map((type) => [type, atNow(sampleEvent(type, { version }))] as const)
  return { operations, events: new Map(events) }
}

/** Replaces the current time in an event by `now`, so that the documents do not change. Keeps whole days, as in a deadline. */
function atNow(event: object): unknown {
  const realNow = Date.now()
  const text = JSON.stringify(event).replace(/("signedAt":)"\d+"/, `$1"${now.getTime() / 1000}"`)
  const fixed = text.replace(/\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}/g, (date) => {
    const days = Math.round((Date.parse(`${date}Z`) - realNow) / dayMs)
    return new Date(now.getTime() + days * dayMs).toISOString().slice(0, -1)
  })
  return JSON.parse(fixed)
}
