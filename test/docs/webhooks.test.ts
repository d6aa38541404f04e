import { sign, type WebhookHandler } from 'payments-client/webhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runSnippet, snippetsIn } from '../support/snippets.js'

type Statuses = ReadonlyMap<string, string>

const secret = 'a secret of at least 16 bytes'

/** Runs the first handler in docs/guides/webhooks.md, and returns the statuses that it stores. */
async function startGuide() {
  vi.stubEnv('PAYMENTS_WEBHOOK_SECRET', secret)
  onTestFinished(() => void vi.unstubAllEnvs())
  const snippet = snippetsIn('docs/guides/webhooks.md').find(({ code }) => code.includes('PAYMENT.REFUND'))!
  const { handler, statuses, refundStatuses } = await runSnippet(snippet)
  const deliver = async (event: { date?: string; eventType?: string; payment: object }) => {
    const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', ...event })
    const init = { method: 'POST', headers: { ...sign(body, secret) }, body }
    expect((await (handler as WebhookHandler)(new Request('https://shop.example', init))).status).toBe(200)
  }
  return { statuses: statuses as Statuses, refundStatuses: refundStatuses as Statuses, deliver }
}

/** An event without `payment.dateUpdated`, sent at the given second. */
const eventAt = (second: number, status: string) => ({
  date: `2026-03-02T09:00:0${second}Z`,
  payment: { id: 'pay_1', status },
})

it.each([
  ['an older event with a new date', [eventAt(3, 'CANCELLED'), eventAt(5, 'AUTHORIZED')], 'CANCELLED'],
  ['an older event with the same date', [eventAt(3, 'SETTLED'), eventAt(3, 'AUTHORIZED')], 'SETTLED'],
  ['an older event with its old date', [eventAt(3, 'AUTHORIZED'), eventAt(1, 'PENDING')], 'AUTHORIZED'],
  ['a newer event with an older date', [eventAt(5, 'AUTHORIZED'), eventAt(3, 'SETTLED')], 'SETTLED'],
])('the handler in docs/guides/webhooks.md keeps the newest status after %s', async (_, events, expected) => {
  const { statuses, deliver } = await startGuide()

  for (const event of events) await deliver(event)

  expect([...statuses]).toEqual([['pay_1', expected]])
})

it('the handler in docs/guides/webhooks.md keeps the final status of a refund', async () => {
  const { refundStatuses, deliver } = await startGuide()
  const refundEvent = (second: number, processorStatus: string) => {
    const { date, payment } = eventAt(second, 'SETTLED')
    const transactions = [{ transactionType: 'REFUND', processorTransactionId: 'refund_1', processorStatus }]
    return { eventType: 'PAYMENT.REFUND', date, payment: { ...payment, transactions } }
  }

  await deliver(refundEvent(5, 'SETTLED'))
  await deliver(refundEvent(3, 'PENDING'))

  expect([...refundStatuses]).toEqual([['refund_1', 'SETTLED']])
})
