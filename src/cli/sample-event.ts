import { PaymentsClient } from '../client.js'
import { createSandbox } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/types.js'

type Story = (sandbox: Sandbox, paymentId: string, client: PaymentsClient) => Promise<void> | void

/** How each event comes about, once there is an authorized payment. */
const stories = {
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
} satisfies Record<string, Story>

/** The events that there is a sample of. */
export const sampleTypes = Object.keys(stories)

/** The body of a webhook, as the sandbox sends it when such a thing happens. */
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
  await stories[eventType as keyof typeof stories](sandbox, id, client)
  await sandbox.webhooks.flush()
  const delivery = sandbox.webhooks.deliveries.find((delivery) => delivery.eventType === eventType)
  return delivery!.body
}
