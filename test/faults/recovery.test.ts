import type { PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aClient, errorResponse, failureOf, payment, retryAtOnce } from '../support/clients.js'
import { operations } from '../support/operations.js'

const keyWasUsed = {
  errorId: 'PaymentIdempotencyKeyAlreadyExists',
  description: 'This key was used',
  paymentId: 'pay_1',
}
const conflict = () => errorResponse(409, keyWasUsed)
const unavailable = () => new Response('', { status: 503 })

describe('a conflict over a generated idempotency key', () => {
  const earlier: [string, (() => Response)[]][] = [
    ['on the first attempt, because a proxy retried the request', []],
    ['after a 408', [() => new Response('', { status: 408 })]],
    ['after a 429', [() => new Response('', { status: 429, headers: { 'retry-after': '0' } })]],
    ['after a 503', [unavailable]],
  ]

  it.each(earlier)('N04 makes the call return the payment if the conflict occurs %s', async (_, responses) => {
    retryAtOnce()
    const captured = { ...payment, processor: { amountCaptured: 700 } }
    const { client, requests } = aClient([...responses, conflict, captured], { maxRetries: 2 })

    const { data, response } = await client.payments.capture('pay_1', { amount: 700 }).withResponse()

    expect(data).toEqual(captured)
    expect(response).toMatchObject({ recovered: true, idempotencyKey: requests[0]?.headers['x-idempotency-key'] })
    expect(requests.at(-1)?.line).toBe('GET /payments/pay_1')
  })

  it.each(earlier)(
    'N04 has an unknown outcome if the payment cannot be retrieved and the conflict occurs %s',
    async (_, responses) => {
      retryAtOnce()
      const { client } = aClient([...responses, conflict, () => new Response('', { status: 404 })], { maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1', { amount: 700 }))

      expect(error).toMatchObject({ name: 'ConflictError', httpStatus: 409, outcome: 'unknown' })
      expect(error.message).toContain('Outcome unknown')
    },
  )

  it('N04 makes the call return the payment, even if the errorId contains a value from the request', async () => {
    const { client } = aClient([conflict, { ...payment, orderId: 'idempotency' }])

    const call = client.payments.create({ paymentMethodToken: 'tok_1', orderId: 'idempotency' })

    expect((await call.withResponse()).response.recovered).toBe(true)
  })

  it('N04 has an unknown outcome if the conflict response contains the id of a different payment', async () => {
    const { client, requests } = aClient([errorResponse(409, { ...keyWasUsed, paymentId: 'pay_9' })])

    const error = await failureOf(client.payments.capture('pay_1', { amount: 700 }))

    expect(error).toMatchObject({ name: 'ConflictError', paymentId: 'pay_9', outcome: 'unknown' })
    expect(requests).toHaveLength(1)
  })

  it('N04 has an unknown outcome if the response body never arrives', async () => {
    const { client } = aClient([() => new Response(new ReadableStream(), { status: 409 })], { timeout: 100 })

    const error = await failureOf(client.payments.capture('pay_1', { amount: 700 }))

    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' })
  })
})

describe('a client that receives a 408 response', () => {
  it.each(operations)(
    'N05 retries only safe operations, and reports an unknown outcome for a write: $name',
    async (operation) => {
      retryAtOnce()
      const { client, requests } = aClient(() => new Response('', { status: 408 }), { maxRetries: 2 })

      const error = await failureOf(operation.call(client))

      expect(error).toMatchObject({ httpStatus: 408, outcome: operation.class === 'safe' ? 'rejected' : 'unknown' })
      expect(requests).toHaveLength(operation.class === 'once' ? 1 : 3)
    },
  )

  it('N05 reports an unknown outcome for a write even if the service rejects the retry', async () => {
    retryAtOnce()
    const { client } = aClient([new Response('', { status: 408 }), errorResponse(422)], { maxRetries: 1 })

    const error = await failureOf(client.payments.refund('pay_1', { amount: 5 }))

    expect(error).toMatchObject({ name: 'UnprocessableError', outcome: 'unknown' })
  })
})

describe('a payment retrieved after a conflict over its idempotency key', () => {
  type Send = (client: PaymentsClient) => PromiseLike<unknown>
  const create: Send = ({ payments }) =>
    payments.create({ paymentMethodToken: 'tok_1', orderId: 'order-1', currencyCode: 'EUR', amount: 700 })
  const authorize: Send = ({ payments }) => payments.authorize('pay_1', { processor: { processorMerchantId: 'm' } })
  const capture: Send = ({ payments }) => payments.capture('pay_1', { amount: 700 })
  const cancel: Send = ({ payments }) => payments.cancel('pay_1')
  const refund: Send = ({ payments }) => payments.refund('pay_1')
  const refundTransaction = { transactionType: 'REFUND', amount: 700 }

  it.each<[string, Send, object]>([
    ['create', create, {}],
    ['authorize', authorize, { status: 'AUTHORIZED' }],
    ['authorize with the result DECLINED', authorize, { status: 'DECLINED' }],
    ['capture of the amount', capture, { processor: { amountCaptured: 700 } }],
    ['capture with a larger captured amount, from several captures', capture, { processor: { amountCaptured: 900 } }],
    ['capture with the result SETTLING', capture, { status: 'SETTLING' }],
    ['capture with the result SETTLED', capture, { status: 'SETTLED' }],
    ['cancel', cancel, { status: 'CANCELLED' }],
    ['refund with a refund transaction', refund, { status: 'SETTLED', transactions: [refundTransaction] }],
  ])('N06 is returned if it matches the request: %s', async (_, send, fields) => {
    retryAtOnce()
    const found = { ...payment, ...fields }
    const { client } = aClient([unavailable, conflict, found], { maxRetries: 2 })

    await expect(send(client)).resolves.toEqual(found)
  })

  it.each<[string, Send, object]>([
    ['create with another orderId', create, { orderId: 'order-2' }],
    ['create with another currency', create, { currencyCode: 'USD' }],
    ['create with another amount', create, { amount: 701 }],
    ['authorize, still pending', authorize, { status: 'PENDING' }],
    ['capture with a captured amount of 0', capture, { processor: { amountCaptured: 0 } }],
    ['capture of a smaller amount', capture, { processor: { amountCaptured: 300 } }],
    ['cancel, still authorized', cancel, { status: 'AUTHORIZED' }],
    ['cancel, settled instead', cancel, { status: 'SETTLED' }],
    [
      'refund without a refund transaction',
      refund,
      { status: 'SETTLED', transactions: [{ transactionType: 'SALE', amount: 700 }] },
    ],
    ['refund with a refunded amount of 0', refund, { status: 'SETTLED', processor: { amountRefunded: 0 } }],
  ])('N06 is not returned if it contradicts the request: %s', async (_, send, fields) => {
    retryAtOnce()
    const { client } = aClient([unavailable, conflict, { ...payment, ...fields }], { maxRetries: 2 })

    const error = await failureOf(send(client))

    expect(error).toMatchObject({ name: 'ConflictError', errorId: keyWasUsed.errorId, outcome: 'unknown' })
    expect(error.idempotencyKey).toEqual(expect.any(String))
  })
})
