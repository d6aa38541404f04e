import { describe, expect, it } from 'vitest'
import { PaymentsError } from '../../../src/index.js'
import { aClient, errorResponse, failureOf, payment, retryAtOnce } from '../../support/clients.js'

const cutOff = (status: number) => () =>
  new Response(new ReadableStream({ start: (controller) => controller.error(new Error('reset')) }), { status })
const empty = (status: number) => () => new Response('', { status })
const html = (status: number) => () => new Response('<html>Conflict</html>', { status })
const withoutId = (status: number) => () => errorResponse(status, { description: 'Conflict' })

const options = { idempotencyKey: 'refund-return-381' }

describe('a 409 or 400 without an error id', () => {
  it.each(
    [409, 400].flatMap((status) => [cutOff, empty, html, withoutId].map((body) => [status, body.name, body] as const)),
  )('retries with the same key, and reports "unknown" if all attempts fail: %i, %s', async (status, _, body) => {
    retryAtOnce()
    const { client, requests } = aClient(body(status), { maxRetries: 2 })

    const error = await failureOf(client.payments.refund('pay_1', { amount: 5 }, options))

    expect(error).toMatchObject({ outcome: 'unknown', retry: 'same-key', httpStatus: status })
    expect(requests.map(({ headers }) => headers['x-idempotency-key'])).toEqual(Array(3).fill('refund-return-381'))
  })

  it('retries, and returns the payment if the retry reports that the key was used', async () => {
    retryAtOnce()
    const conflict = () => errorResponse(409, { errorId: 'IdempotencyKeyAlreadyExists', paymentId: 'pay_1' })
    const captured = { ...payment, processor: { amountCaptured: 700 } }
    const { client } = aClient([cutOff(409), conflict, captured], { maxRetries: 1 })

    const { data, response } = await client.payments.capture('pay_1', { amount: 700 }, options).withResponse()

    expect([data, response.recovered]).toEqual([captured, true])
  })

  it('reports the outcome "rejected" without a retry if the request had no key', async () => {
    const { client, requests } = aClient(html(409), { maxRetries: 2, idempotency: 'off' })

    expect(await failureOf(client.payments.refund('pay_1'))).toMatchObject({ outcome: 'rejected', retry: 'same-key' })
    expect(requests).toHaveLength(1)
  })
})

describe('a truncated response', () => {
  it.each([
    [401, 'AuthenticationError'],
    [404, 'NotFoundError'],
    [422, 'UnprocessableError'],
  ])('retries a truncated response even if its status is %i (%s)', async (status, name) => {
    retryAtOnce()
    const { client, requests } = aClient(cutOff(status), { maxRetries: 1 })

    const error = await failureOf(client.payments.refund('pay_1', {}, options))
    expect(error).toMatchObject({ name, outcome: 'rejected', retry: 'same-key', httpStatus: status, body: undefined })
    expect(requests).toHaveLength(2)
  })
})

describe('error.retry', () => {
  it('sets retry to "same-key" if the service rejects a retry of an unknown outcome', async () => {
    retryAtOnce()
    const { client } = aClient([empty(503), () => errorResponse(422, { errorId: 'RefundTooLarge' })], { maxRetries: 1 })

    expect(await failureOf(client.payments.refund('pay_1', {}, options))).toMatchObject({ retry: 'same-key' })
  })

  it('sets retry to "check-first" or "no" for an operation that must not be retried', async () => {
    const { client } = aClient(empty(500))

    const resumed = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))
    const invalid = await failureOf(client.payments.get(''))

    expect([resumed.retry, invalid.retry]).toEqual(['check-first', 'no'])
  })
})

describe('an error of the SDK', () => {
  it('sets statusCode 500 and expose: false, but no property status', async () => {
    const error = await failureOf(aClient(empty(404)).client.payments.get('pay_1'))

    expect(error).toBeInstanceOf(PaymentsError)
    expect([error.statusCode, error.expose, 'status' in error]).toEqual([500, false, false])
    expect(Object.keys(error)).not.toContain('statusCode')
  })
})
