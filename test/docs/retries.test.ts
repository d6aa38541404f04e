import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { describe, expect, it, vi } from 'vitest'
import { evaluate, snippetsIn } from '../support/snippets.js'

describe('the cleanup job in docs/guides/retries-and-idempotency.md', () => {
  it('N35 finds the payments of customers who left, and sends no payment twice', async () => {
    const sandbox = createSandbox({ now: new Date(Date.now() - 600_000) })
    const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
    const sentAt = sandbox.clock.now()
    for (const at of ['after', 'before'] as const) {
      sandbox.faults.add({ operation: 'payments.create', at, reset: true })
      const order = {
        paymentMethodToken: sandbox.tokens.card,
        orderId: `lost-${at}`,
        currencyCode: 'EUR',
        amount: 5000,
      }
      await expect(client.payments.create(order)).rejects.toMatchObject({ outcome: 'unknown' })
    }
    const unfinished = ['lost-after', 'lost-before'].map((orderId) => ({
      orderId,
      firstSentAt: sentAt,
      lastSentAt: sentAt,
    }))
    const shop = { unfinishedPayments: async () => unfinished, finishPayment: vi.fn(), giveUp: vi.fn() }
    const job = snippetsIn('docs/guides/retries-and-idempotency.md').find(({ code }) => code.includes('giveUp'))
    await sandbox.clock.advance('5m')

    await evaluate(job?.code ?? '', { client, shop })

    expect(shop.finishPayment.mock.calls).toEqual([['lost-after', [expect.objectContaining({ status: 'AUTHORIZED' })]]])
    expect(shop.giveUp.mock.calls).toEqual([['lost-before']])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create'])
  })
})

describe('payments.resume', () => {
  it('N60 can be called again with the same resume token after an unknown outcome', async () => {
    const sandbox = createSandbox()
    const client = new PaymentsClient(sandbox.clientOptions())
    const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
    const { id } = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.requires3ds })
    const resumeToken = sandbox.completeAction(id)
    sandbox.faults.add({ operation: 'payments.resume', at: 'before', reset: true })
    await expect(client.payments.resume(id, { resumeToken })).rejects.toMatchObject({ retry: 'check-first' })

    const resumed = await client.payments.resume(id, { resumeToken })
    const again = await client.payments.resume(id, { resumeToken }).catch((error) => error.retry)

    expect([resumed.status, again]).toEqual(['AUTHORIZED', 'new-key'])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.resume'])
  })
})
