// Chaos drills: whatever breaks, nobody is charged twice, and the shop never says more than it knows.
import { PaymentsClient } from 'payments-client'
import { createSandbox, type Fault } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { pay } from './shop.js'

const badMoments: Record<string, Fault> = {
  'the service is overloaded': { at: 'before', status: 503 },
  'the service asks for patience': { at: 'before', status: 429, headers: { 'retry-after': '1' } },
  'the answer is lost': { at: 'after', reset: true },
  'the answer breaks off': { at: 40 },
  'the answer is an error page': { at: 'after', status: 502, body: '<html>Bad gateway</html>' },
  'the answer never comes': { at: 'after', hang: true },
}

function startSandbox(idempotency: 'replay' | 'conflict') {
  const sandbox = createSandbox({ idempotency })
  // A short timeout, for the drill in which no answer comes.
  const client = new PaymentsClient(sandbox.clientOptions({ timeout: 300 }))
  return { sandbox, client, order: { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card } }
}

describe.each(['replay', 'conflict'] as const)('with a service that answers a used key with a %s', (idempotency) => {
  it.each(Object.entries(badMoments))('one payment is made although %s', async (_, fault) => {
    const { sandbox, client, order } = startSandbox(idempotency)
    sandbox.faults.add({ operation: 'payments.create', ...fault })

    const verdict = await pay(client, order)

    expect(verdict).toBe('paid')
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('the shop admits that it does not know, and finds out by asking again', async () => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const hasty = client.withOptions({ maxRetries: 0 })
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })

    const verdicts = [await pay(hasty, order), await pay(hasty, order)]

    expect(verdicts).toEqual(['unclear', 'paid'])
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('the shop neither takes a status that it does not know for paid nor for declined', async () => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const body = (answer: unknown) => ({ ...Object(answer), status: 'ON_HOLD' })
    sandbox.faults.add({ operation: 'payments.create', at: 'after', body })

    const verdict = await pay(client, order)

    expect(verdict).toBe('unclear')
  })

  it.each(['slowSettlement', 'card'] as const)(
    'an order that was captured (%s) stays paid when asked again',
    async (token) => {
      const { sandbox, client, order } = startSandbox(idempotency)
      const captured = { ...order, paymentMethodToken: sandbox.tokens[token] }
      await pay(client, captured)
      await client.payments.capture(sandbox.ledger[0]!.resourceId)

      const verdict = await pay(client, captured)

      expect(verdict).toBe('paid')
      expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.capture'])
    },
  )

  it('the shop finds out by looking for the order', async () => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const since = new Date()
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    await pay(client.withOptions({ maxRetries: 0 }), order)

    const found = await client.payments.reconcile({ orderId: order.id, since, until: new Date() })

    expect(found).toMatchObject({ status: 'found', payments: [{ status: 'AUTHORIZED' }] })
    expect(sandbox.ledger).toHaveLength(1)
  })
})

describe('with a service that answers a used key with a conflict', () => {
  it('an order whose payment was voided is not paid', async () => {
    const { sandbox, client, order } = startSandbox('conflict')
    await pay(client, order)
    await client.payments.cancel(sandbox.ledger[0]!.resourceId)

    const verdict = await pay(client, order)

    expect(verdict).toBe('declined')
  })

  it('an order whose payment cannot be read is unclear', async () => {
    const { sandbox, client, order } = startSandbox('conflict')
    await pay(client, order)
    sandbox.faults.add({ operation: 'payments.get', status: 403 })

    const verdict = await pay(client, order)

    expect(verdict).toBe('unclear')
  })

  it('an order whose payment the conflict does not name is unclear', async () => {
    const { sandbox, client, order } = startSandbox('conflict')
    await pay(client, order)
    const unnamed = { error: { errorId: 'IdempotencyKeyAlreadyExists', description: 'The key was used.' } }
    sandbox.faults.add({ operation: 'payments.create', status: 409, body: unnamed })

    const verdict = await pay(client, order)

    expect(verdict).toBe('unclear')
  })
})
