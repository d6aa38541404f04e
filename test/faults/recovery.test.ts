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

  it.each(earlier)('returns the payment if the conflict occurs %s', async (_, responses) => {
    retryAtOnce()
    const captured = { ...payment, processor: { amountCaptured: 700 } }
    const { client, requests } = aClient([...responses, conflict, captured], { maxRetries: 2 })

    const { data, response } = await client.payments.capture('pay_1', { amount: 700 }).withResponse()

    expect(data).toEqual(captured)
    expect(response).toMatchObject({ recovered: true, idempotencyKey: requests[0]?.headers['x-idempotency-key'] })
    expect(requests.at(-1)?.line).toBe('GET /payments/pay_1')
  })

  it.each(earlier)(
    'reports an unknown outcome if the conflict occurs %s and no payment is found',
    async (_, responses) => {
      retryAtOnce()
      const { client } = aClient([...responses, conflict, () => new Response('', { status: 404 })], { maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1', { amount: 700 }))

      expect(error).toMatchObject({ name: 'ConflictError', httpStatus: 409, outcome: 'unknown' })
      expect(error.message).toContain('Outcome unknown')
    },
  )

  it('returns the payment even if the errorId quotes the request', async () => {
    const { client } = aClient([conflict, { ...payment, orderId: 'idempotency' }])

    const call = client.payments.create({ paymentMethodToken: 'tok_1', orderId: 'idempotency' })

    expect((await call.withResponse()).response.recovered).toBe(true)
  })

  it('reports an unknown outcome if the response contains another payment’s ID', async () => {
    const { client, requests } = aClient([errorResponse(409, { ...keyWasUsed, paymentId: 'pay_9' })])

    const error = await failureOf(client.payments.capture('pay_1', { amount: 700 }))

    expect(error).toMatchObject({ name: 'ConflictError', paymentId: 'pay_9', outcome: 'unknown' })
    expect(requests).toHaveLength(1)
  })

  it('reports an unknown outcome if the body of the conflict response never arrives', async () => {
    const { client } = aClient([() => new Response(new ReadableStream(), { status: 409 })], { timeout: 100 })

    const error = await failureOf(client.payments.capture('pay_1', { amount: 700 }))

    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' })
  })
})

describe('a client that receives a 408 response', () => {
  it.each(operations)(
    'retries only safe operations, and reports an unknown outcome for a write: $name',
    async (operation) => {
      retryAtOnce()
      const { client, requests } = aClient(() => new Response('', { status: 408 }), { maxRetries: 2 })

      const error = await failureOf(operation.call(client))

      expect(error).toMatchObject({ httpStatus: 408, outcome: operation.class === 'safe' ? 'rejected' : 'unknown' })
      expect(requests).toHaveLength(operation.class === 'once' ? 1 : 3)
    },
  )

  it('reports an unknown outcome for a write even if the service rejects the retry', async () => {
    retryAtOnce()
    const { client } = aClient([new Response('', { status: 408 }), errorResponse(422)], { maxRetries: 1 })

    const error = await failureOf(client.payments.refund('pay_1', { amount: 5 }))

    expect(error).toMatchObject({ name: 'UnprocessableError', outcome: 'unknown' })
  })
})

describe('a payment fetched after a conflict over its idempotency key', () => {
  type Send = (client: PaymentsClient) => PromiseLike<unknown>
  const create: Send = ({ payments }) =>
    payments.create({ paymentMethodToken: 'tok_1', orderId: 'order-1', currencyCode: 'EUR', amount: 700 })
  const authorize: Send = ({ payments }) => payments.authorize('pay_1', { processor: { processorMerchantId: 'm' } })
  const cancel: Send = ({ payments }) => payments.cancel('pay_1')
  const capture =
    (amount?: number): Send =>
    ({ payments }) =>
      payments.capture('pay_1', amount === undefined ? undefined : { amount })
  const refund =
    (amount?: number): Send =>
    ({ payments }) =>
      payments.refund('pay_1', amount === undefined ? undefined : { amount })

  const captured = (amountCaptured: number) => ({ ...payment, status: 'SETTLED', processor: { amountCaptured } })
  const failedRefund = (amount: number) => ({ transactionType: 'REFUND', amount, processorStatus: 'FAILED' })
  /** A settled payment of 700, with one refund for each amount. */
  const refunded = (...amounts: number[]) => ({
    ...captured(700),
    transactions: [
      { transactionType: 'SALE', amount: 700 },
      ...amounts.map((amount) => ({ transactionType: 'REFUND', amount, processorStatus: 'PENDING' })),
    ],
  })

  /** Creates a client for a call whose response is lost, and whose retry gets the error "key already used". */
  const clientFinding = (found: object) => {
    retryAtOnce()
    return aClient([unavailable, conflict, found], { maxRetries: 1 }).client
  }

  it.each<[string, Send, object]>([
    ['a new payment', create, payment],
    ['an authorized payment', authorize, payment],
    ['a payment declined by the authorization', authorize, { ...payment, status: 'DECLINED' }],
    ['a cancelled payment', cancel, { ...payment, status: 'CANCELLED' }],
    ['a refund of the requested amount', refund(300), refunded(100, 300)],
    ['a failed refund of the requested amount', refund(300), { ...captured(700), transactions: [failedRefund(300)] }],
    ['a refund of the full amount', refund(), refunded(700)],
    ['a refund of the rest', refund(), refunded(100, 600)],
    [
      'a failed refund of the rest',
      refund(),
      { ...refunded(100), transactions: [failedRefund(600), ...refunded(100).transactions] },
    ],
    ['a refund of the full amount, without the captured amount', refund(), { ...refunded(700), processor: {} }],
    ['a refund of the captured part', refund(), { ...refunded(200), processor: { amountCaptured: 200 } }],
    ['a capture of the requested amount', capture(300), captured(300)],
    ['several captures of a larger amount', capture(300), captured(400)],
    ['a capture of the full amount', capture(), captured(700)],
    ['a full capture, settled, without the captured amount', capture(700), { ...payment, status: 'SETTLED' }],
    ['a full capture, settling, without the captured amount', capture(700), { ...payment, status: 'SETTLING' }],
    ['a full capture, whose amount is not reported yet', capture(), { ...captured(0), status: 'SETTLING' }],
    ['a payment that failed because of the capture', capture(300), { ...captured(0), status: 'FAILED' }],
  ])('returns the fetched payment if it matches the request: %s', async (_, send, found) => {
    await expect(send(clientFinding(found))).resolves.toEqual(found)
  })

  it.each<[string, Send, object]>([
    ['a new payment with another orderId', create, { ...payment, orderId: 'order-2' }],
    ['a new payment with another currency', create, { ...payment, currencyCode: 'USD' }],
    ['a new payment with another amount', create, { ...payment, amount: 701 }],
    ['a payment that is still pending', authorize, { ...payment, status: 'PENDING' }],
    ['a payment that is still authorized', cancel, payment],
    ['a payment that is settled instead of cancelled', cancel, { ...payment, status: 'SETTLED' }],
    ['a refund of another amount, because the key was used before', refund(300), refunded(100)],
    ['several refunds with the requested sum', refund(300), refunded(100, 200)],
    ['a refund of a part instead of the rest', refund(), refunded(100)],
    ['a refund of an authorized amount that was not captured', refund(), { ...refunded(100), processor: {} }],
    ['a sale of the requested amount, but no refund', refund(700), refunded()],
    [
      'a refunded amount, but no refund transaction',
      refund(),
      { ...payment, processor: { amountCaptured: 700, amountRefunded: 700 } },
    ],
    ['a captured amount that is too small', capture(300), captured(100)],
    ['a captured amount that is not the full amount', capture(), captured(300)],
    ['the status SETTLED, but no captured amount', capture(300), { ...payment, status: 'SETTLED' }],
    ['the status SETTLED, but a captured amount of 0', capture(300), captured(0)],
    ['a payment that is authorized, but not captured', capture(), payment],
    ['the status CANCELLED after a capture', capture(), { ...captured(0), status: 'CANCELLED' }],
    ['the status SETTLED, but no amounts', capture(), { id: 'pay_1', status: 'SETTLED' }],
  ])('does not return a fetched payment that contradicts the request: %s', async (_, send, found) => {
    const error = await failureOf(send(clientFinding(found)))

    expect(error).toMatchObject({ name: 'ConflictError', errorId: keyWasUsed.errorId, outcome: 'unknown' })
    expect(error.idempotencyKey).toEqual(expect.any(String))
  })
})
