import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { type CreatePaymentBody, type PaymentsClient, RequestValidationError } from '../../../src/index.js'
import { aClient, failureOf } from '../../support/clients.js'
import { stopClock } from '../../support/clock.js'
import { authorizedPayment } from '../../support/responses/payments.js'

describe('an idempotency store', () => {
  /** Creates a store that works like a database table whose primary key is the idempotency key. */
  function aStore() {
    const claimed = new Map<string, string>()
    const claim = async (key: string, fingerprint: string) => {
      if (!claimed.has(key)) claimed.set(key, fingerprint)
      return claimed.get(key) as string
    }
    return { claim, claimed }
  }
  const refund = (amount: number) => [{ amount }, { idempotencyKey: 'refund-17' }] as const

  it('receives every key before the request is sent', async () => {
    const idempotencyStore = aStore()
    const keysAtArrival: string[][] = []
    const respond = () => {
      keysAtArrival.push([...idempotencyStore.claimed.keys()])
      return Response.json(authorizedPayment)
    }
    const { client, requests } = aClient([respond, respond], { idempotencyStore })

    await client.payments.refund('pay_1', ...refund(5))
    await client.payments.capture('pay_1')

    const made = requests[1]?.headers['x-idempotency-key'] as string
    expect(keysAtArrival).toEqual([['refund-17'], ['refund-17', made]])
  })

  it('lets a restarted client retry the same request with its key', async () => {
    const idempotencyStore = aStore()
    const before = aClient([new Response('', { status: 503 })], { idempotencyStore })
    const after = aClient([authorizedPayment], { idempotencyStore })

    await expect(before.client.payments.refund('pay_1', ...refund(5))).rejects.toMatchObject({ httpStatus: 503 })
    await after.client.payments.refund('pay_1', ...refund(5))

    expect(after.requests).toEqual(before.requests)
    expect([...idempotencyStore.claimed.values()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  })

  it('receives a fingerprint that stays the same in all package versions', async () => {
    const idempotencyStore = aStore()
    const { client } = aClient([authorizedPayment, {}], { idempotencyStore })
    const hash = (request: string) => createHash('sha256').update(request).digest('hex')

    await client.payments.refund('pay_1', { orderId: 'order-17', amount: 5 }, { idempotencyKey: 'refund-17' })
    await client.request({ method: 'POST', path: '/payouts' }, { idempotencyKey: 'payout-17' })

    expect([...idempotencyStore.claimed.values()]).toEqual([
      hash('POST /api/payments/pay_1/refund\n{"amount":5,"orderId":"order-17"}'),
      hash('POST /api/payouts\n'),
    ])
  })

  it('receives the same fingerprint for bodies with their fields in another order', async () => {
    const idempotencyStore = aStore()
    const { client, requests } = aClient([authorizedPayment, authorizedPayment], { idempotencyStore })
    const send = (body: object) =>
      client.payments.create(body as CreatePaymentBody, { idempotencyKey: 'pay-order-17-1' })
    const order = { lineItems: [{ name: 'Pen', amount: 700 }], shipping: { amount: 5 } }
    const reordered = { shipping: { amount: 5 }, lineItems: [{ amount: 700, name: 'Pen', description: undefined }] }

    await send({ paymentMethodToken: 'tok_1', amount: 705, order })
    await send({ order: reordered, customerId: undefined, amount: 705, paymentMethodToken: 'tok_1' })

    expect(requests).toHaveLength(2)
    expect(idempotencyStore.claimed.size).toBe(1)
  })

  it.each([
    ['the order of an array', { metadata: {}, order: { lineItems: [{ amount: 2 }, { amount: 1 }] } }],
    ['a field in another object', { order: { lineItems: [{ amount: 1 }, { amount: 2 }] }, metadata: { a: 1 } }],
  ])('receives another fingerprint for a body that differs in %s', async (_, changes) => {
    const { client } = aClient([authorizedPayment], { idempotencyStore: aStore() })
    const body = { paymentMethodToken: 'tok_1', metadata: {}, order: { lineItems: [{ amount: 1 }, { amount: 2 }] } }
    const options = { idempotencyKey: 'pay-order-17-1' }
    await client.payments.create(body, options)

    const error = await failureOf(client.payments.create({ ...body, ...changes }, options))

    expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(error.message).not.toContain('new key')
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['another amount', (client) => client.payments.refund('pay_1', ...refund(6))],
    ['another payment', (client) => client.payments.refund('pay_2', ...refund(5))],
    ['another operation', (client) => client.payments.capture('pay_1', ...refund(5))],
  ])('makes the client reject a key that was used for %s', async (_, call) => {
    const { client, requests } = aClient([authorizedPayment], { idempotencyStore: aStore() })
    await client.payments.refund('pay_1', ...refund(5))

    const result = Promise.resolve(call(client))

    await expect(result).rejects.toThrow(RequestValidationError)
    await expect(result).rejects.toThrow('options.idempotencyKey was used for another request')
    expect(requests).toHaveLength(1)
  })

  it('makes the call reject at its deadline if the store does not respond', async () => {
    const { passUntil } = stopClock()
    const idempotencyStore = { claim: () => new Promise<string>(() => {}) }
    const { client, requests } = aClient([authorizedPayment], { idempotencyStore, totalTimeout: 1000 })

    const failing = client.payments.capture('pay_1').then(undefined, (error) => error)

    expect(await passUntil(failing)).toBe(1000)
    expect(await failing).toMatchObject({ code: 'ERR_TIMEOUT', phase: 'queue', outcome: 'not_sent', attempts: [] })
    expect(requests).toEqual([])
  })

  it('is not called for a request without an idempotency key', async () => {
    const claim = vi.fn()
    const options = { idempotencyStore: { claim }, idempotency: 'off' as const }
    const { client, requests } = aClient([authorizedPayment, authorizedPayment], options)

    await client.payments.create({ paymentMethodToken: 'tok_1' })
    await client.payments.resume('pay_1', { resumeToken: 'resume_1' })

    expect(claim).not.toHaveBeenCalled()
    expect(requests).toHaveLength(2)
  })
})
