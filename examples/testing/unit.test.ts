// Unit tests: the sandbox runs in the same process, so a test takes only milliseconds.
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { pay } from './shop.js'

function startSandbox() {
  const sandbox = createSandbox()
  return { sandbox, client: new PaymentsClient(sandbox.clientOptions()) }
}

describe('pay', () => {
  it('returns "paid" for an authorized payment', async () => {
    const { sandbox, client } = startSandbox()

    const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card })

    expect(verdict).toBe('paid')
    expect(sandbox.ledger).toMatchObject([{ operation: 'payments.create', amount: 5000 }])
  })

  it('returns "declined" for a declined card', async () => {
    const { sandbox, client } = startSandbox()

    const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.declined })

    expect(verdict).toBe('declined')
  })

  it.each(['requires3ds', 'pending'] as const)('returns "unclear" while the payment is pending (%s)', async (token) => {
    const { sandbox, client } = startSandbox()

    const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens[token] })

    expect(verdict).toBe('unclear')
  })

  it('charges another card on the next attempt', async () => {
    const { sandbox, client } = startSandbox()
    await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.declined })

    const verdict = await pay(client, {
      id: 'order-1',
      amount: 5000,
      paymentMethodToken: sandbox.tokens.card,
      attempt: 2,
    })

    expect(verdict).toBe('paid')
  })

  it('charges the order only once for concurrent calls', async () => {
    const { sandbox, client } = startSandbox()
    const order = { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card }

    await Promise.all([pay(client, order), pay(client, order), pay(client, order)])

    expect(sandbox.ledger).toHaveLength(1)
  })
})
