import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../../support/start-sandbox.js'

const idempotencyKey = 'order-17-attempt-1'

describe('an idempotency key in the sandbox', () => {
  it('returns the first response for a used key even if the payment has changed', async () => {
    const { client } = startSandbox()
    const first = await client.payments.create(aPayment(), { idempotencyKey })
    await client.payments.capture(first.id)

    expect(await client.payments.create(aPayment(), { idempotencyKey })).toEqual(first)
  })

  it('applies a key only to the operation and payment of its first use', async () => {
    const { client, sandbox } = startSandbox()
    const one = await client.payments.create(aPayment(), { idempotencyKey })
    const other = await client.payments.create(aPayment())

    await client.payments.capture(one.id, {}, { idempotencyKey })
    await client.payments.capture(other.id, {}, { idempotencyKey })
    await client.payments.refund(one.id, {}, { idempotencyKey })

    expect(sandbox.ledger).toHaveLength(5)
  })

  it('accepts a key again after a rejected request', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    await refusal(client.payments.capture(id, { amount: 5001 }, { idempotencyKey }))

    const payment = await client.payments.capture(id, { amount: 5000 }, { idempotencyKey })

    expect(payment.status).toBe('SETTLED')
  })

  it('ignores the key of an operation that accepts no key', async () => {
    const { sandbox } = startSandbox()
    const headers = { 'x-idempotency-key': idempotencyKey }

    const one = await send(sandbox, 'POST', '/client-session', { body: {}, headers })
    const other = await send(sandbox, 'POST', '/client-session', { body: {}, headers })

    expect(other.json.clientToken).not.toBe(one.json.clientToken)
    expect(sandbox.ledger.some((effect) => 'idempotencyKey' in effect)).toBe(false)
  })

  it('ignores an empty idempotency key', async () => {
    const { sandbox } = startSandbox()
    const headers = { 'x-idempotency-key': '' }

    await send(sandbox, 'POST', '/payments', { body: aPayment(), headers })
    await send(sandbox, 'POST', '/payments', { body: aPayment(), headers })

    expect(sandbox.ledger).toHaveLength(2)
    expect(sandbox.ledger[0]).not.toHaveProperty('idempotencyKey')
  })
})
