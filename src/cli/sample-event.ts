import { PaymentsClient } from '../client.js'
import { createSandbox } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/sandbox.js'

type Trigger = (sandbox: Sandbox, paymentId: string, client: PaymentsClient) => Promise<void> | void

/** The steps that cause each event, after a payment was authorized. */
const triggers = {
  'PAYMENT.STATUS': () => {},
  'PAYMENT.REFUND': async (sandbox, paymentId, client) => {
    await client.payments.capture(paymentId)
    await client.payments.refund(paymentId)
    sandbox.processor.finishRefund(paymentId, 'SETTLED')
  },
  'DISPUTE.STATUS': async (sandbox, paymentId, client) => {
    await client.payments.capture(paymentId)
    sandbox.disputes.open(paymentId)
  },
} satisfies Record<string, Trigger>

/** The types of events that have a sample. */
export const sampleTypes = Object.keys(triggers)

/** Returns the body of a webhook that a sandbox sent for an event of the given type. */
export async function sampleEvent(eventType: string): Promise<string> {
  const sandbox = createSandbox()
  const client = new PaymentsClient(sandbox.clientOptions())
  sandbox.webhooks.subscribe(() => new Response())
  const { id } = await client.payments.create({
    paymentMethodToken: sandbox.tokens.card,
    orderId: 'order-1',
    currencyCode: 'EUR',
    amount: 700,
  })
  await triggers[eventType as keyof typeof triggers](sandbox, id, client)
  await sandbox.webhooks.flush()
  const delivery = sandbox.webhooks.deliveries.find((delivery) => delivery.eventType === eventType)
  return delivery!.body
}
