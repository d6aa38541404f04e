import { PaymentsClient } from 'payments-client'
import { createSandbox, type Sandbox } from 'payments-client/sandbox'
import { describe, expect, it, vi } from 'vitest'
import { runSnippet, snippetsIn } from '../support/snippets.js'

const snippets = snippetsIn('docs/guides/retries-and-idempotency.md')

/** Runs the code block that contains the given string. */
const runBlock = (part: string, replaced: Record<string, unknown>) =>
  runSnippet(snippets.find(({ code }) => code.includes(part))!, replaced)

const startPast = () => createSandbox({ now: new Date(Date.now() - 600_000) })
const clientOf = (sandbox: Sandbox) => new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
const orderFor = (orderId: string, { tokens }: Sandbox) => ({
  paymentMethodToken: tokens.card,
  orderId,
  currencyCode: 'EUR',
  amount: 5000,
})

describe('the code before a call in docs/guides/retries-and-idempotency.md', () => {
  const pay = async (lastSentAt: Date) => {
    const sandbox = createSandbox()
    const body = orderFor('order-17', sandbox)
    const shop = {
      startPayment: async () => ({ idempotencyKey: 'pay-order-17-1', body, lastSentAt }),
      finishPayment: vi.fn(),
    }
    const run = runBlock('startPayment', { client: clientOf(sandbox), sandbox, shop })
    return { sandbox, shop, run }
  }

  it('sends the stored body with the stored key', async () => {
    const { sandbox, shop, run } = await pay(new Date())

    await run

    expect(sandbox.ledger).toMatchObject([{ operation: 'payments.create', idempotencyKey: 'pay-order-17-1' }])
    expect(shop.finishPayment).toHaveBeenCalledWith('order-17', [expect.objectContaining({ amount: 5000 })])
  })

  it('sends nothing if the process was paused for more than a minute', async () => {
    const { sandbox, run } = await pay(new Date(Date.now() - 61_000))

    await expect(run).rejects.toThrow('paused')

    expect(sandbox.requests).toEqual([])
  })
})

describe('the idempotency function in docs/guides/retries-and-idempotency.md', () => {
  it('throws, so that the call sends nothing, if it cannot derive a key', async () => {
    const sandbox = createSandbox()
    const clients: PaymentsClient[] = []
    const client = { withOptions: (options: object) => clients.push(clientOf(sandbox).withOptions(options)) }
    await runBlock('idempotency: (operation', { client, sandbox }).catch(() => {})
    const [keyed] = clients as [PaymentsClient]

    await expect(keyed.payments.create(orderFor('order-17', sandbox))).rejects.toMatchObject({ outcome: 'not_sent' })
    await expect(keyed.payments.capture('pay_1')).rejects.toMatchObject({ outcome: 'not_sent' })
    await expect(keyed.payments.refund('pay_1', { amount: 500 })).rejects.toMatchObject({ outcome: 'not_sent' })

    expect(sandbox.requests).toEqual([])
  })
})

describe('the cleanup job in docs/guides/retries-and-idempotency.md', () => {
  const attemptAt = (time: Date, orderId: string) => ({ orderId, firstSentAt: time, lastSentAt: time })

  async function runJob(client: PaymentsClient, attempts: object[]) {
    const shop = { unfinishedPayments: async () => attempts, finishPayment: vi.fn(), giveUp: vi.fn() }
    await runBlock('giveUp', { client, shop })
    return shop
  }

  it('finds the payments of customers who left, and sends no payment twice', async () => {
    const sandbox = startPast()
    const client = clientOf(sandbox)
    const sentAt = sandbox.clock.now()
    for (const at of ['after', 'before'] as const) {
      sandbox.faults.add({ operation: 'payments.create', at, reset: true })
      await expect(client.payments.create(orderFor(`lost-${at}`, sandbox))).rejects.toMatchObject({
        outcome: 'unknown',
      })
    }
    const attempts = ['lost-after', 'lost-before'].map((orderId) => attemptAt(sentAt, orderId))
    await sandbox.clock.advance('6m')

    const shop = await runJob(client, attempts)

    expect(shop.finishPayment.mock.calls).toEqual([['lost-after', [expect.objectContaining({ status: 'AUTHORIZED' })]]])
    expect(shop.giveUp.mock.calls).toEqual([['lost-before']])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create'])
  })

  it('does not give up a payment while a late request may still create it', async () => {
    const sandbox = startPast()
    const client = clientOf(sandbox)
    const attempts = [attemptAt(sandbox.clock.now(), 'order-17')]
    sandbox.setOptions({ listDelay: '60s' })
    await sandbox.clock.advance(60_000 + 120_000 + 89_000)
    await client.payments.create(orderFor('order-17', sandbox)) // the last request takes effect after 89 s
    const shops = [await runJob(client, attempts)]

    await sandbox.clock.advance('61s')
    shops.push(await runJob(client, attempts))

    expect(shops.map(({ giveUp }) => giveUp.mock.calls)).toEqual([[], []])
    expect(shops.map(({ finishPayment }) => finishPayment.mock.calls.length)).toEqual([0, 1])
  })
})

describe('payments.resume', () => {
  it('can be called again with the same resume token after an unknown outcome', async () => {
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
