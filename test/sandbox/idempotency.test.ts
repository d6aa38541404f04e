import { describe, expect, it } from 'vitest'
import { ConflictError } from '../../src/index.js'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

const idempotencyKey = 'order-17-attempt-1'

describe('an idempotency key', () => {
  it('brings the first answer again', async () => {
    const { client, sandbox } = startSandbox()
    const first = await client.payments.create(aPayment(), { idempotencyKey })
    await client.payments.capture(first.id)

    const again = await client.payments.create(aPayment(), { idempotencyKey })

    expect(again).toEqual(first)
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.capture'])
    expect(sandbox.ledger[0]?.idempotencyKey).toBe(idempotencyKey)
  })

  it('brings a declined payment again, too', async () => {
    const { client, sandbox } = startSandbox()
    const body = aPayment({ paymentMethodToken: sandbox.tokens.declined })

    const first = await client.payments.create(body, { idempotencyKey })
    const again = await client.payments.create(body, { idempotencyKey })

    expect(again).toEqual(first)
  })

  it('is refused with another body', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment(), { idempotencyKey })

    const error = await refusal(client.payments.create(aPayment({ amount: 1 }), { idempotencyKey }))

    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ errorId: 'IdempotencyKeyReused', paymentId: id, outcome: 'rejected' })
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('belongs to one operation on one payment', async () => {
    const { client, sandbox } = startSandbox()
    const one = await client.payments.create(aPayment(), { idempotencyKey })
    const other = await client.payments.create(aPayment())

    await client.payments.capture(one.id, {}, { idempotencyKey })
    await client.payments.capture(other.id, {}, { idempotencyKey })
    await client.payments.refund(one.id, {}, { idempotencyKey })

    expect(sandbox.ledger).toHaveLength(5)
  })

  it('is not used up by a request that was refused', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    await refusal(client.payments.capture(id, { amount: 5001 }, { idempotencyKey }))

    const payment = await client.payments.capture(id, { amount: 5000 }, { idempotencyKey })

    expect(payment.status).toBe('SETTLED')
  })

  it('does nothing where it is not taken', async () => {
    const { sandbox } = startSandbox()
    const headers = { 'x-idempotency-key': idempotencyKey }

    const one = await send(sandbox, 'POST', '/client-session', { body: {}, headers })
    const other = await send(sandbox, 'POST', '/client-session', { body: {}, headers })

    expect(other.json.clientToken).not.toBe(one.json.clientToken)
    expect(sandbox.ledger.some((effect) => 'idempotencyKey' in effect)).toBe(false)
  })

  it('is none when it is empty', async () => {
    const { sandbox } = startSandbox()
    const headers = { 'x-idempotency-key': '' }

    await send(sandbox, 'POST', '/payments', { body: aPayment(), headers })
    await send(sandbox, 'POST', '/payments', { body: aPayment(), headers })

    expect(sandbox.ledger).toHaveLength(2)
    expect(sandbox.ledger[0]).not.toHaveProperty('idempotencyKey')
  })

  it.each([
    ['conflict', 409, 'IdempotencyKeyAlreadyExists'],
    ['conflict-400', 400, 'TransactionRequestIdempotencyKeyAlreadyExists'],
  ] as const)('brings a refusal that names the payment, with %s', async (idempotency, status, errorId) => {
    const { client, sandbox } = startSandbox({ idempotency })
    const { id } = await client.payments.create(aPayment(), { idempotencyKey })
    await client.payments.capture(id, { amount: 1 }, { idempotencyKey })

    const again = await refusal(client.payments.create(aPayment(), { idempotencyKey }))
    const withOtherBody = await refusal(client.payments.capture(id, { amount: 2 }, { idempotencyKey }))

    expect([again, withOtherBody]).toMatchObject(Array(2).fill({ status, errorId, paymentId: id }))
    expect(sandbox.ledger).toHaveLength(2)
  })

  it.each(['replay', 'conflict', 'conflict-400'] as const)(
    'lets a lost answer be recovered (%s)',
    async (idempotency) => {
      const { client, sandbox } = startSandbox({ idempotency })
      sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })

      const { data, response } = await client.payments.create(aPayment()).withResponse()

      expect(data).toMatchObject({ status: 'AUTHORIZED', orderId: 'order-17' })
      expect(response.recovered ?? false).toBe(idempotency !== 'replay')
      expect(sandbox.ledger).toHaveLength(1)
    },
  )
})
