// Component tests: the tested code creates its own client, and msw passes its requests to the sandbox.
import { setupServer } from 'msw/node'
import { PaymentsClient } from 'payments-client'
import { handlers } from 'payments-client/msw'
import { createSandbox } from 'payments-client/sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { pay } from './shop.js'

const baseUrl = 'https://payments.example/v1'
const sandbox = createSandbox()
const server = setupServer(...handlers(sandbox, { baseUrl }))

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(async () => {
  await sandbox.webhooks.flush() // otherwise, a delivery could reach the next test
  sandbox.reset()
})
afterAll(() => server.close())

describe('pay', () => {
  it('returns "paid" for a payment at the production base URL', async () => {
    const client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl })

    const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card })

    expect(verdict).toBe('paid')
  })

  it('reports the scope that the API key lacks', async () => {
    const apiKey = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const client = new PaymentsClient({ apiKey, baseUrl })
    const { id } = await new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl }).payments.create({
      paymentMethodToken: sandbox.tokens.card,
      orderId: 'order-1',
      currencyCode: 'EUR',
      amount: 5000,
    })

    const capture = client.payments.capture(id)

    await expect(capture).rejects.toMatchObject({ httpStatus: 403, requiredScope: 'transactions:capture' })
  })
})
