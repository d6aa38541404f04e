import { describe, expect, it, vi } from 'vitest'
import { aClient } from '../support/recording-fetch.js'
import { authorizedPayment } from '../support/responses/payments.js'

describe('withResponse', () => {
  it('tells status, headers, attempts and key beside the data', async () => {
    const headers = { 'x-request-id': 'request-1' }
    const { client, requests } = aClient([Response.json(authorizedPayment, { status: 201, headers })])

    const { data, response } = await client.payments.create({ paymentMethodToken: 'tok_1' }).withResponse()

    expect(data).toEqual(authorizedPayment)
    expect(response.status).toBe(201)
    expect(response.headers.get('x-request-id')).toBe('request-1')
    expect(response.attempts).toEqual([{ number: 1, waitedMs: 0, durationMs: expect.any(Number), status: 201 }])
    expect(response.idempotencyKey).toBe(requests[0]?.headers['x-idempotency-key'])
    expect(response.recovered).toBeUndefined()
  })

  it('has no key where none was sent, and is not called recovered', async () => {
    const { client } = aClient([authorizedPayment])

    const { response } = await client.payments.get('pay_1').withResponse()

    expect(response).not.toHaveProperty('idempotencyKey')
    expect(response).not.toHaveProperty('recovered')
  })

  it('sends one request, however often the call is awaited', async () => {
    const { client, requests } = aClient([authorizedPayment])

    const call = client.payments.get('pay_1')
    const results = [await call, await call, (await call.withResponse()).data]

    expect(results).toEqual([authorizedPayment, authorizedPayment, authorizedPayment])
    expect(requests).toHaveLength(1)
  })

  it('stands on a promise like any other', async () => {
    const { client } = aClient([authorizedPayment, authorizedPayment, new Response('', { status: 404 })])
    const finished = vi.fn()

    const ids = await Promise.all([
      client.payments.get('pay_1').then(({ id }) => id),
      client.payments.get('pay_1').finally(finished),
      client.payments.get('pay_1').catch((error) => error.status),
    ])

    expect(ids).toEqual(['pay_1', authorizedPayment, 404])
    expect(finished).toHaveBeenCalledOnce()
  })

  it('rejects as the call itself does', async () => {
    const { client } = aClient([new Response('', { status: 404 })])

    const call = client.payments.get('pay_1')

    await expect(call.withResponse()).rejects.toMatchObject({ status: 404 })
    await expect(call).rejects.toMatchObject({ status: 404 })
  })
})
