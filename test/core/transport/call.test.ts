import { describe, expect, it } from 'vitest'
import { aClient } from '../../support/clients.js'
import { authorizedPayment } from '../../support/responses/payments.js'

describe('withResponse', () => {
  it('returns a call’s data, status, headers, attempts and idempotency key', async () => {
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

  it('omits the properties idempotencyKey and recovered for a read', async () => {
    const { client } = aClient([authorizedPayment])

    const { response } = await client.payments.get('pay_1').withResponse()

    expect(response).not.toHaveProperty('idempotencyKey')
    expect(response).not.toHaveProperty('recovered')
  })
})
