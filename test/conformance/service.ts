import type { KnownEvent } from '../../src/core/schemas/event.js'
import { type PaymentsClient, webhooks } from '../../src/index.js'
import type { SandboxOptions } from '../../src/testing/index.js'
import { adapters, type Connected, describeOverEachAdapter } from '../support/adapters.js'

/** A sandbox with a stopped clock. Its clients use the HTTP adapter under test. */
export interface Service {
  readonly sandbox: Connected['sandbox']
  readonly client: PaymentsClient
  readonly client21: PaymentsClient<'2.1'>
  /** The requests that the clients sent, oldest first. */
  readonly requests: readonly Request[]
  /** Sends a request to the sandbox without the client. */
  readonly carry: (request: Request) => Promise<Response>
  /**
   * Sends a request that the client would reject. `fields` in the result are the fields that the response reports as
   * invalid.
   */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Asked>
  /** Verifies the signatures of the delivered events, and returns them oldest first. */
  events(): Promise<KnownEvent[]>
  /** Returns the payment status from each PAYMENT.STATUS event. */
  statuses(): Promise<(string | undefined)[]>
}

interface Asked {
  readonly status: number
  readonly json: Record<string, unknown>
  readonly fields: string[]
}

export type Start = (options?: SandboxOptions) => Promise<Service>

export const startTime = new Date('2026-01-31T12:00:00Z')

/**
 * Runs the tests for a section of the specification with the sandbox's `fetch`. If the environment variable ADAPTERS is
 * `all`, as in the nightly check, also runs them over the other HTTP adapters.
 * `titles.json` contains the title of each statement's test.
 */
export function describeService(section: string, tests: (start: Start) => void): void {
  const chosen = process.env['ADAPTERS'] === 'all' ? adapters : adapters.slice(0, 1)
  describeOverEachAdapter(
    `the service (${section})`,
    (connect) => {
      tests(async (options) => serviceOver(await connect({ now: startTime, ...options })))
    },
    chosen,
  )
}

function serviceOver({ adapter, sandbox, client, request }: Connected): Service {
  const carry: Service['carry'] = adapter === 'fetch' ? sandbox.fetch : (sent) => fetch(sent)
  const requests: Request[] = []
  const observed = client.withOptions({
    fetch: (url, init) => {
      const sent = new Request(url, init)
      requests.push(sent.clone())
      return carry(sent)
    },
  })
  sandbox.webhooks.subscribe(() => new Response())
  const events = async () => {
    await sandbox.webhooks.flush()
    const { deliveries, secret } = sandbox.webhooks
    return deliveries.map(({ body, headers }) => webhooks.verify(body, headers, secret)).filter(webhooks.isRecognized)
  }
  return {
    sandbox,
    client: observed,
    client21: observed.withOptions({ apiVersion: '2.1' }),
    requests,
    carry,
    events,
    async ask(method, path, body, headers = {}) {
      const response = await request(method, path, body, { headers })
      const json = (await response.json()) as Refused
      const problems = json.error?.validationErrors?.flatMap(({ errors }) => errors) ?? []
      return { status: response.status, json, fields: problems.map((problem) => problem.path) }
    },
    async statuses() {
      const sent = await events()
      return sent.flatMap((event) => (event.eventType === 'PAYMENT.STATUS' ? [event.payment.status] : []))
    },
  }
}

interface Refused extends Record<string, unknown> {
  error?: { validationErrors?: { errors: { path: string }[] }[] }
}
