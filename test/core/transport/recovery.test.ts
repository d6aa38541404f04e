import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../../src/index.js'
import { aClient, errorResponse, failureOf } from '../../support/clients.js'
import { authorizedPayment } from '../../support/responses/payments.js'

const capturedPayment = { ...authorizedPayment, status: 'SETTLED' }

// Makes every retry delay 0 ms.
beforeEach(() => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => random.mockRestore()
})

describe('the message of an error with an unknown outcome', () => {
  const unavailable = () => new Response('', { status: 503 })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, string]>([
    [
      'retry with the same key, or look for the new payment',
      (client) => client.payments.create({ paymentMethodToken: 'tok_1' }),
      'Do not retry it with a new idempotency key. Retry it with the same key (error.idempotencyKey), or look for it ' +
        'with payments.reconcile (a new payment may be missing from the list for up to a minute)',
    ],
    [
      'retry with the same key, or retrieve the payment',
      (client) => client.payments.refund('pay_1'),
      'Do not retry it with a new idempotency key. Retry it with the same key (error.idempotencyKey), or retrieve the ' +
        'payment and check its transactions',
    ],
    [
      'retrieve the payment if no key was sent',
      (client) => client.withOptions({ idempotency: 'off' }).payments.refund('pay_1'),
      'Do not retry it. Instead retrieve the payment and check its transactions',
    ],
    [
      'retry an operation that has the same effect when repeated',
      (client) => client.paymentInstruments.setDefault('tok_1'),
      'A retry is safe',
    ],
    [
      'check the current state before an unsafe retry',
      (client) => client.payments.resume('pay_1', { resumeToken: 'resume_1' }),
      'Check the current state before you retry it',
    ],
  ])('advises to %s', async (_, call, step) => {
    const { client } = aClient([unavailable])

    const error = await failureOf(call(client))

    expect(error.outcome).toBe('unknown')
    expect(error.message.endsWith(`. Outcome unknown: the operation may have taken effect. ${step}`)).toBe(true)
  })

  it('explains that a 404 after a retried deletion may mean that it succeeded', async () => {
    const { client } = aClient([unavailable, errorResponse(404)], { maxRetries: 1 })

    const error = await failureOf(client.paymentInstruments.delete('tok_1'))

    expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'unknown' })
    expect(error.message).toMatch(
      /An earlier attempt of this call may have deleted it already: check whether it still exists$/,
    )
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, status: number]>([
    ['an operation that deletes nothing', (client) => client.paymentInstruments.setDefault('tok_1'), 404],
    ['an operation with an idempotency key', (client) => client.payments.refund('pay_1'), 404],
    ['a deletion that conflicts', (client) => client.paymentInstruments.delete('tok_2'), 409],
  ])('does not mention a deletion if the failed call was %s', async (_, call, status) => {
    const { client } = aClient([unavailable, errorResponse(status)], { maxRetries: 1 })

    const error = await failureOf(call(client))

    expect(error).toMatchObject({ httpStatus: status, outcome: 'unknown' })
    expect(error.message).not.toContain('deleted')
  })

  it('advises to check the state before a retry of `vault` with `verify: true`', async () => {
    const { client } = aClient([unavailable])

    const { message } = await failureOf(client.paymentInstruments.vault('tok_1', { customerId: 'c-1', verify: true }))

    expect(message).toMatch(/Check the current state before you retry it$/)
  })

  it('states that the operation took effect if its 2xx response is unreadable', async () => {
    const { client } = aClient([new Response('<html>')])

    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect(error.outcome).toBe('accepted')
    expect(error.message).toMatch(
      /\. The service accepted the operation, so it took effect\. Check the current state before you retry it$/,
    )
  })

  it.each([
    [422, 'NotCapturable'],
    [429, 'TooManyRequests'],
  ])('gives no advice if the service responded %i %s', async (status, errorId) => {
    const { client } = aClient([errorResponse(status, { errorId })])

    const { message } = await failureOf(client.payments.capture('pay_1'))

    expect(message).toBe(`payments.capture (POST /payments/:id/capture): the service responded ${status} ${errorId}`)
  })

  it('gives no advice after a failed read', async () => {
    const { client } = aClient([unavailable])

    const { message } = await failureOf(client.payments.get('pay_1'))

    expect(message).toBe('payments.get (GET /payments/:id): the service responded 503')
  })
})

describe('a conflict over a used idempotency key', () => {
  const used = (status: number, facts: object = {}) =>
    errorResponse(status, { errorId: 'PaymentIdempotencyKeyAlreadyExists', ...facts })
  const advice =
    'An earlier call with this idempotency key took effect: retrieve that payment before you do anything else'

  it.each([409, 400])(
    'reports "rejected" for a caller’s used key, and advises to fetch the payment: %i',
    async (status) => {
      const { client, requests } = aClient([used(status)], { maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1', {}, { idempotencyKey: 'key-1' }))

      expect(error).toMatchObject({
        httpStatus: status,
        outcome: 'rejected',
        idempotencyKey: 'key-1',
        resourceId: 'pay_1',
      })
      expect(error.message).toMatch(/responded \d+ PaymentIdempotencyKeyAlreadyExists\. /)
      expect(error.message.endsWith(`. ${advice}`)).toBe(true)
      expect(requests).toHaveLength(1)
    },
  )

  it('advises to fetch the payment even if the key was used with another body', async () => {
    const { client } = aClient([errorResponse(409, { errorId: 'IdempotencyKeyReused' })])

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'rejected' })
    expect(error.message.endsWith(`IdempotencyKeyReused. ${advice}`)).toBe(true)
  })

  it('fetches the payment with the call’s headers, and counts requests as attempts', async () => {
    const unavailable = () => new Response('', { status: 503 })
    const { client, requests } = aClient([unavailable, used(409), unavailable, capturedPayment], { maxRetries: 1 })

    const call = client.payments.capture('pay_1', {}, { headers: { 'x-trace': 'trace-1' } })
    const { response } = await call.withResponse()

    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(Array(4).fill('trace-1'))
    const attempts = response.attempts.map(({ number, status }) => [number, status])
    expect(attempts).toEqual([503, 409, 503, 200].map((status, index) => [index + 1, status]))
  })

  it('reports an unknown outcome if the caller aborts while the payment is fetched', async () => {
    const controller = new AbortController()
    const abort = () => {
      controller.abort('shop closed')
      return new Promise<Response>(() => {})
    }
    const { client } = aClient([new Response('', { status: 503 }), used(409), abort], { maxRetries: 1 })

    const error = await failureOf(client.payments.capture('pay_1', {}, { signal: controller.signal }))

    expect(error).toMatchObject({ name: 'AbortedError', reason: 'shop closed', outcome: 'unknown' })
    expect(error).toMatchObject({
      operation: 'payments.capture',
      attempts: [{ status: 503 }, { status: 409 }, { code: 'ERR_ABORTED' }],
    })
  })

  it.each([
    ['no', {}],
    ['an invalid', { paymentId: '..' }],
  ])('reports an unknown outcome if the 409 response has %s payment ID', async (_, facts) => {
    const { client, requests } = aClient([new Response('', { status: 503 }), used(409, facts)], { maxRetries: 1 })

    const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok_1' }))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown' })
    expect(error.message).toContain('Outcome unknown')
    expect(requests).toHaveLength(2)
  })
})
