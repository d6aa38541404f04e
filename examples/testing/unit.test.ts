// Unit tests: the sandbox is a function in the same process. No network, no ports, milliseconds per test.
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { pay } from './shop.js'

function startSandbox() {
  const sandbox = createSandbox()
  return { sandbox, client: new PaymentsClient(sandbox.clientOptions()) }
}

describe('paying', () => {
  it('tells the customer that the order is paid', async () => {
    const { sandbox, client } = startSandbox()

    const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card })

    expect(verdict).toBe('paid')
    expect(sandbox.ledger).toMatchObject([{ operation: 'payments.create', amount: 5000 }])
  })

  it('tells the customer that the card was declined', async () => {
    const { sandbox, client } = startSandbox()

    const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.declined })

    expect(verdict).toBe('declined')
  })

  it.each(['requires3ds', 'pending'] as const)(
    'asks for no other card while the payment is on its way (%s)',
    async (token) => {
      const { sandbox, client } = startSandbox()

      const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens[token] })

      expect(verdict).toBe('unclear')
    },
  )

  it('lets the customer try another card', async () => {
    const { sandbox, client } = startSandbox()
    await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.declined })

    const verdict = await pay(client, {
      id: 'order-1',
      amount: 5000,
      paymentMethodToken: sandbox.tokens.card,
      tries: 1,
    })

    expect(verdict).toBe('paid')
  })

  it('charges once, however often the customer presses the button', async () => {
    const { sandbox, client } = startSandbox()
    const order = { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card }

    await Promise.all([pay(client, order), pay(client, order), pay(client, order)])

    expect(sandbox.ledger).toHaveLength(1)
  })
})
