import { describe, expect, it } from 'vitest'
import { latestRefund } from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { aPayment, refusal, startSandbox } from '../support/start-sandbox.js'

type Started = ReturnType<typeof startSandbox>

const loyalty = { connectionId: 'connection-1', customerId: 'customer-1', orderId: 'order-17', value: 1 }

describe('an id', () => {
  it.each<[prefix: string, make: (started: Started) => unknown]>([
    ['key', ({ sandbox }) => sandbox.apiKey],
    ['key', ({ sandbox }) => sandbox.createApiKey({ scopes: [] })],
    ['sig', ({ sandbox }) => sandbox.webhooks.secret],
    ['sig', ({ sandbox }) => sandbox.webhooks.rotateSecret()],
    ['tok', ({ sandbox }) => sandbox.tokenize()],
    ['client', async ({ client }) => (await client.clientSessions.create()).clientToken],
    ['pay', async ({ client }) => (await client.payments.create(aPayment())).id],
    ['txn', async ({ client }) => (await client.payments.create(aPayment())).transactions?.[0]?.processorTransactionId],
    [
      'txn',
      async ({ client }) => {
        const { id } = await client.payments.create(aPayment())
        await client.payments.capture(id)
        return latestRefund(await client.payments.refund(id))?.processorTransactionId
      },
    ],
    [
      'client',
      async ({ client, sandbox }) => {
        const body = aPayment({ paymentMethodToken: sandbox.tokens.requires3ds })
        return (await client.payments.create(body)).requiredAction?.clientToken
      },
    ],
    [
      'resume',
      async ({ client, sandbox }) => {
        const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))
        return sandbox.completeAction(id)
      },
    ],
    ['dispute', async ({ client, sandbox }) => sandbox.disputes.open((await client.payments.create(aPayment())).id)],
    [
      'vaulted',
      async ({ client, sandbox }) =>
        (await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-1' })).token,
    ],
    ['loyalty', async ({ client }) => (await client.loyalty.transactions.create({ ...loyalty, type: 'REFUND' })).id],
    [
      'provider',
      async ({ client }) =>
        (await client.loyalty.transactions.create({ ...loyalty, type: 'REFUND' })).connectionTransactionId,
    ],
    ['diag', async ({ client }) => (await refusal(client.payments.get('pay_unknown'))).diagnosticsId],
  ])('says what it names: %s', async (prefix, make) => {
    const id = await make(startSandbox())

    expect(id).toMatch(new RegExp(`^${prefix}_[A-Za-z0-9]{20}$`))
  })

  it.each([
    [7, 'key_uyLHWLsqrLMFuvwNGV3a', 'sig_VVQI7McGtbKxjTY8y7pC'],
    ['seven', 'key_RzNFo1shYBxVpEfhTy8f', 'sig_iX3NKKYwMBpZN6s1dvOI'],
  ])('is the same in every run with the seed %j', (seed, apiKey, secret) => {
    const sandbox = createSandbox({ seed })

    expect([sandbox.apiKey, sandbox.webhooks.secret]).toEqual([apiKey, secret])
  })
})
