// Fault tests: check that no fault causes a second charge or a wrong result of `pay`.
import { PaymentsClient } from 'payments-client'
import { createSandbox, type Fault } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { pay } from './shop.js'

const faults: Record<string, Fault> = {
  'an overloaded service': { at: 'before', status: 503 },
  'a rate limit': { at: 'before', status: 429, headers: { 'retry-after': '0' } },
  'a lost response': { at: 'after', reset: true },
  'a truncated response': { at: 40 },
  'an HTML error page': { at: 'after', status: 502, body: '<html>Bad gateway</html>' },
  'no response': { at: 'after', hang: true },
}

function startSandbox(idempotency: 'replay' | 'conflict') {
  const sandbox = createSandbox({ idempotency })
  // With the fault `no response`, an attempt lasts until its timeout.
  const client = new PaymentsClient(sandbox.clientOptions({ timeout: 300 }))
  return { sandbox, client, order: { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card } }
}

describe.each(['replay', 'conflict'] as const)('pay with idempotency mode %s', (idempotency) => {
  it.each(Object.entries(faults))('creates one payment despite %s', async (_, fault) => {
    const { sandbox, client, order } = startSandbox(idempotency)
    sandbox.faults.add({ operation: 'payments.create', ...fault })

    const verdict = await pay(client, order)

    expect(verdict).toBe('paid')
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('returns "unclear" after a lost response, then "paid" on a retry', async () => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const hasty = client.withOptions({ maxRetries: 0 })
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })

    const verdicts = [await pay(hasty, order), await pay(hasty, order)]

    expect(verdicts).toEqual(['unclear', 'paid'])
    expect(sandbox.ledger).toHaveLength(1)
  })

  it.each([401, 403, 429])(
    'returns "unclear" after a lost response and a %i, then "paid" on a retry',
    async (status) => {
      const { sandbox, client, order } = startSandbox(idempotency)
      const hasty = client.withOptions({ maxRetries: 0 })
      sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
      const verdicts = [await pay(hasty, order)]
      sandbox.faults.add({ operation: 'payments.create', status })

      verdicts.push(await pay(hasty, order), await pay(hasty, order))

      expect(verdicts).toEqual(['unclear', 'unclear', 'paid'])
      expect(sandbox.ledger).toHaveLength(1)
    },
  )

  it('returns "unclear" for an unknown payment status', async () => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const body = (real: unknown) => ({ ...Object(real), status: 'ON_HOLD' })
    sandbox.faults.add({ operation: 'payments.create', at: 'after', body })

    const verdict = await pay(client, order)

    expect(verdict).toBe('unclear')
  })

  it.each(['slowSettlement', 'card'] as const)('returns "paid" for a captured order (%s) on a retry', async (token) => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const captured = { ...order, paymentMethodToken: sandbox.tokens[token] }
    await pay(client, captured)
    await client.payments.capture(sandbox.ledger[0]!.resourceId)

    const verdict = await pay(client, captured)

    expect(verdict).toBe('paid')
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.capture'])
  })

  it('finds the payment for an order after a lost response', async () => {
    const { sandbox, client, order } = startSandbox(idempotency)
    const since = new Date()
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    await pay(client.withOptions({ maxRetries: 0 }), order)

    const until = new Date(Date.now() + 90_000) // a request may take effect up to 90 s after it was sent
    const found = await client.payments.reconcile({ orderId: order.id, since, until })

    expect(found).toMatchObject({ status: 'found', payments: [{ status: 'AUTHORIZED' }] })
    expect(sandbox.ledger).toHaveLength(1)
  })
})

describe('pay with idempotency mode conflict', () => {
  it('returns "declined" for a cancelled payment', async () => {
    const { sandbox, client, order } = startSandbox('conflict')
    await pay(client, order)
    await client.payments.cancel(sandbox.ledger[0]!.resourceId)

    const verdict = await pay(client, order)

    expect(verdict).toBe('declined')
  })

  it('returns "unclear" if the payment cannot be fetched', async () => {
    const { sandbox, client, order } = startSandbox('conflict')
    await pay(client, order)
    sandbox.faults.add({ operation: 'payments.get', status: 403 })

    const verdict = await pay(client, order)

    expect(verdict).toBe('unclear')
  })

  it('returns "unclear" if the conflict response does not contain the payment id', async () => {
    const { sandbox, client, order } = startSandbox('conflict')
    await pay(client, order)
    const unnamed = { error: { errorId: 'IdempotencyKeyAlreadyExists', description: 'The key was used.' } }
    sandbox.faults.add({ operation: 'payments.create', status: 409, body: unnamed })

    const verdict = await pay(client, order)

    expect(verdict).toBe('unclear')
  })
})
