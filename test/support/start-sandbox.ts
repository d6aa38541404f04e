import { PaymentsClient } from '../../src/client.js'
import type { ApiError } from '../../src/core/errors.js'
import type { KnownEvent } from '../../src/core/schemas/event.js'
import type { CreatePaymentBody } from '../../src/core/schemas/payment.js'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/testing/index.js'
import { failureOf } from './clients.js'

/** Starts a sandbox with a stopped clock. Also returns a client for each API version, and the sent events in order. */
export function startSandbox(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ now: new Date('2026-01-31T12:00:00Z'), ...options })
  const events: KnownEvent[] = []
  sandbox.webhooks.subscribe(async (request) => {
    events.push((await request.json()) as KnownEvent)
    return new Response()
  })
  return {
    sandbox,
    client: new PaymentsClient(sandbox.clientOptions()),
    client21: new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' })),
    /** Returns the statuses in all `PAYMENT.STATUS` events so far. */
    async sentStatuses() {
      await sandbox.webhooks.flush()
      return events.flatMap((event) => (event.eventType === 'PAYMENT.STATUS' ? [event.payment.status] : []))
    },
    async sentEvents() {
      await sandbox.webhooks.flush()
      return events
    },
  }
}

/** Returns a valid body for `payments.create`: €50.00, paid with `tok_card`. */
export function aPayment(changes: Partial<CreatePaymentBody> = {}): CreatePaymentBody {
  return { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 5000, ...changes }
}

/** Sends a request without the client. */
export async function send(
  sandbox: Sandbox,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const response = await sandbox.fetch(
    new Request(sandbox.baseUrl + path, {
      method,
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

/** Returns the error of a call that the service must reject. */
export const refusal = async (call: PromiseLike<unknown>) => (await failureOf(call)) as ApiError
