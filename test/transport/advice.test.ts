import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { failureOf, refused } from '../support/failures.js'
import { aClient } from '../support/recording-fetch.js'
import { authorizedPayment } from '../support/responses/payments.js'

const capturedPayment = { ...authorizedPayment, status: 'SETTLED' }

// Further attempts are made at once.
beforeEach(() => {
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => dice.mockRestore()
})

describe('the advice of an error in doubt', () => {
  const unavailable = () => new Response('', { status: 503 })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, string]>([
    [
      'to repeat under the same key, or look for a payment that was to be made',
      (client) => client.payments.create({ paymentMethodToken: 'tok_1' }),
      'Do not retry it with a new idempotency key. Retry it with the same key (error.idempotencyKey), or look for it ' +
        'with payments.reconcile (a new payment may be missing from the list for up to a minute)',
    ],
    [
      'to repeat under the same key, or read the payment',
      (client) => client.payments.refund('pay_1'),
      'Do not retry it with a new idempotency key. Retry it with the same key (error.idempotencyKey), or retrieve the ' +
        'payment and check its transactions',
    ],
    [
      'only to read the payment where no key was sent',
      (client) => client.withOptions({ idempotency: 'off' }).payments.refund('pay_1'),
      'Do not retry it. Instead retrieve the payment and check its transactions',
    ],
    [
      'to repeat what has the same effect twice',
      (client) => client.paymentInstruments.setDefault('tok_1'),
      'A retry is safe',
    ],
    [
      'to read first where repeating is not safe',
      (client) => client.payments.resume('pay_1', { resumeToken: 'resume_1' }),
      'Check what exists before you retry it',
    ],
  ])('is %s', async (_what, call, step) => {
    const { client } = aClient([unavailable])

    const error = await failureOf(call(client))

    expect(error.outcome).toBe('unknown')
    expect(error.message.endsWith(`. Outcome unknown: the operation may have taken effect. ${step}`)).toBe(true)
  })

  it('is to look at the list when what was to be deleted is gone', async () => {
    const { client } = aClient([unavailable, refused(404)], { maxRetries: 1 })

    const error = await failureOf(client.paymentInstruments.delete('tok_1'))

    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'unknown' })
    expect(error.message).toMatch(/An earlier attempt of this call may have deleted it already: check what exists$/)
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, string]>([
    [
      'gone, of what was not to be deleted',
      (client) => client.paymentInstruments.setDefault('tok_1'),
      'Outcome unknown: the operation may have taken effect. A retry is safe',
    ],
    [
      'gone, of what was to be done under a key',
      (client) => client.payments.refund('pay_1'),
      'or retrieve the payment and check its transactions',
    ],
    [
      'gone, of what may be sent again because the caller says so',
      (client) => client.clientSessions.update('token', { orderId: 'order-17' }, { resend: true }),
      'Check what exists before you retry it',
    ],
  ])('says nothing of deleting when something is %s', async (_what, call, advice) => {
    const { client } = aClient([unavailable, refused(404)], { maxRetries: 1 })

    const error = await failureOf(call(client))

    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'unknown' })
    expect(error.message.endsWith(advice)).toBe(true)
    expect(error.message).not.toContain('deleted')
  })

  it('says nothing of deleting when the service only failed to delete', async () => {
    const { client } = aClient([unavailable])

    const { message } = await failureOf(client.paymentInstruments.delete('tok_1'))

    expect(message).toMatch(/may have taken effect\. A retry is safe$/)
  })

  it('is to read first where saving a card also verifies it', async () => {
    const { client } = aClient([unavailable])

    const { message } = await failureOf(client.paymentInstruments.vault('tok_1', { customerId: 'c-1', verify: true }))

    expect(message).toMatch(/Check what exists before you retry it$/)
  })

  it('begins with the fact that it took effect where the service accepted it', async () => {
    const { client } = aClient([new Response('<html>')])

    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect(error.outcome).toBe('accepted')
    expect(error.message).toMatch(
      /\. The service accepted the operation, so it took effect\. Check what exists before you retry it$/,
    )
  })

  it.each([
    ['refused', () => refused(422, { errorId: 'NotCapturable' }), 'the service responded 422 NotCapturable'],
    ['not sent', () => refused(429, { errorId: 'TooManyRequests' }), 'the service responded 429 TooManyRequests'],
  ])('is none where the call was %s', async (_what, answer, ending) => {
    const { client } = aClient([answer])

    const { message } = await failureOf(client.payments.capture('pay_1'))

    expect(message).toBe(`payments.capture (POST /payments/:id/capture): ${ending}`)
  })

  it('is none where reading failed', async () => {
    const { client } = aClient([unavailable])

    const { message } = await failureOf(client.payments.get('pay_1'))

    expect(message).toBe('payments.get (GET /payments/:id): the service responded 503')
  })
})

describe('an idempotency key that was used before', () => {
  const used = (status: number, facts: object = {}) =>
    refused(status, { errorId: 'PaymentIdempotencyKeyAlreadyExists', ...facts })
  const advice =
    'An earlier call with this idempotency key took effect: retrieve that payment before you do anything else'

  it.each([409, 400])(
    'is a refusal with %i at the first attempt, and says to read the payment first',
    async (status) => {
      const { client, requests } = aClient([used(status)], { maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1', {}, { idempotencyKey: 'key-1' }))

      expect(error).toMatchObject({ status, outcome: 'rejected', idempotencyKey: 'key-1', resourceId: 'pay_1' })
      expect(error.message).toMatch(/responded \d+ PaymentIdempotencyKeyAlreadyExists\. /)
      expect(error.message.endsWith(`. ${advice}`)).toBe(true)
      expect(requests).toHaveLength(1)
    },
  )

  it('says the same where it was used with another body', async () => {
    const { client } = aClient([refused(409, { errorId: 'IdempotencyKeyReused' })])

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'rejected' })
    expect(error.message.endsWith(`IdempotencyKeyReused. ${advice}`)).toBe(true)
  })

  it.each([
    ['another amount', { amount: 9900 }],
    ['another currency', { currencyCode: 'USD' }],
    ['another order', { orderId: 'order-18' }],
  ])('is unknown after an attempt in doubt, when it was used for %s', async (_what, change) => {
    const asked = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
    const made = { ...authorizedPayment, ...asked }
    const answers = () => [new Response('', { status: 503 }), used(409, { paymentId: 'pay_1' }), made]
    const { client } = aClient([...answers(), ...answers()], { maxRetries: 1 })

    const payment = await client.payments.create({ paymentMethodToken: 'tok_1', ...asked })
    const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', ...asked, ...change }))

    expect(payment).toMatchObject(asked)
    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown', paymentId: 'pay_1' })
  })

  it('brings a payment that does not say its amount', async () => {
    const { amount, ...unsaid } = authorizedPayment
    const answers = [new Response('', { status: 503 }), used(409, { paymentId: 'pay_1' }), unsaid]
    const { client } = aClient(answers, { maxRetries: 1 })

    const payment = await client.payments.create({ paymentMethodToken: 'tok_1', amount })

    expect(payment).toEqual(unsaid)
  })

  it('is read with the headers of the call', async () => {
    const answers = [new Response('', { status: 503 }), used(409), capturedPayment]
    const { client, requests } = aClient(answers, { maxRetries: 1 })

    await client.payments.capture('pay_1', {}, { headers: { 'x-trace': 'trace-1' } })

    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(Array(3).fill('trace-1'))
  })

  it('leaves the doubt, and the reason, when the caller leaves while the payment is read', async () => {
    const leaving = new AbortController()
    const leave = () => {
      leaving.abort('shop closed')
      return new Promise<Response>(() => {})
    }
    const { client } = aClient([new Response('', { status: 503 }), used(409), leave], { maxRetries: 1 })

    const error = await failureOf(client.payments.capture('pay_1', {}, { signal: leaving.signal }))

    expect(error).toMatchObject({ name: 'AbortedError', reason: 'shop closed', outcome: 'unknown' })
    expect(error).toMatchObject({
      operation: 'payments.capture',
      attempts: [{ status: 503 }, { status: 409 }, { code: 'ERR_ABORTED' }],
    })
  })

  it('is unknown after an attempt in doubt, when the payment it was used for cannot be read', async () => {
    const unreadable = new Response('', { status: 404 })
    const { client } = aClient([new Response('', { status: 503 }), used(409), unreadable], { maxRetries: 1 })

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown' })
    expect(error.message).toContain('Outcome unknown')
  })

  it('is unknown after an attempt in doubt, when the service names another payment', async () => {
    const other = used(409, { paymentId: 'pay_2' })
    const { client, requests } = aClient([new Response('', { status: 503 }), other], { maxRetries: 1 })

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown', paymentId: 'pay_2' })
    expect(requests.map(({ line }) => line)).toEqual(Array(2).fill('POST /payments/pay_1/capture'))
  })

  it('is unknown after an attempt in doubt, when the service does not name the new payment', async () => {
    const { client } = aClient([new Response('', { status: 503 }), used(409)], { maxRetries: 1 })

    const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok_1' }))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown' })
    expect(error.message).toContain('Outcome unknown')
  })

  it('does not follow a payment id that no path can hold', async () => {
    const answers = [new Response('', { status: 503 }), used(409, { paymentId: '..' })]
    const { client, requests } = aClient(answers, { maxRetries: 1 })

    const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok_1' }))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown' })
    expect(requests).toHaveLength(2)
  })

  it('brings the payment after an attempt in doubt, when it can be read', async () => {
    const { client } = aClient([new Response('', { status: 503 }), used(409), capturedPayment], { maxRetries: 1 })

    const { data, response } = await client.payments.capture('pay_1').withResponse()

    expect(data).toEqual(capturedPayment)
    expect(response).toMatchObject({ recovered: true, attempts: [{ status: 503 }, { status: 409 }, { status: 200 }] })
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['that it was meant for', (client) => client.payments.capture('pay_1')],
    ['that it made', (client) => client.payments.create({ paymentMethodToken: 'tok_1' })],
  ])('brings the payment %s, when the service names it', async (_what, call) => {
    const named = used(409, { paymentId: 'pay_1' })
    const { client, requests } = aClient([new Response('', { status: 503 }), named, capturedPayment], {
      maxRetries: 1,
    })

    const payment = await call(client)

    expect(payment).toEqual(capturedPayment)
    expect(requests.at(-1)?.line).toBe('GET /payments/pay_1')
  })

  it('counts the attempts to read the payment with the others', async () => {
    const unavailable = () => new Response('', { status: 503 })
    const answers = [unavailable, used(409), unavailable, capturedPayment]
    const { client } = aClient(answers, { maxRetries: 1 })

    const { response } = await client.payments.capture('pay_1').withResponse()

    expect(response.attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, 503],
      [2, 409],
      [3, 503],
      [4, 200],
    ])
  })

  it.each([
    ['another conflict', 409, 'PaymentAlreadyCaptured'],
    ['another matter of keys', 409, 'IdempotencyKeyReusedElsewhere'],
    ['another status', 422, 'PaymentIdempotencyKeyAlreadyExists'],
  ])('is not %s', async (_what, status, errorId) => {
    const { client } = aClient([refused(status, { errorId })])

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ status, outcome: 'rejected' })
    expect(error.message).not.toContain(advice)
  })
})
