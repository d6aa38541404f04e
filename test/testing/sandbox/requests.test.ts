import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../../support/start-sandbox.js'

describe('sandbox.requests', () => {
  it('lists every request to the service with its response, oldest first', async () => {
    const { client, sandbox } = startSandbox()
    const { requests } = sandbox

    const payment = await client.payments.create(aPayment())
    await sandbox.clock.advance('1h')
    await refusal(client.payments.get('pay_unknown'))

    expect(requests).toEqual([
      {
        id: expect.stringMatching(/^request_[A-Za-z0-9]{20}$/),
        at: '2026-01-31T12:00:00.000Z',
        operation: 'payments.create',
        method: 'POST',
        path: '/payments',
        requestHeaders: expect.objectContaining({ 'x-api-key': '[…]', 'x-api-version': '2021-09-27' }),
        requestBody: JSON.stringify(aPayment()),
        status: 200,
        responseBody: expect.any(String),
        durationMs: expect.any(Number),
        userAgent: expect.stringMatching(/^payments-client\//),
      },
      expect.objectContaining({
        at: '2026-01-31T13:00:00.000Z',
        operation: 'payments.get',
        path: '/payments/pay_unknown',
        requestBody: '',
        status: 404,
        responseBody: expect.stringContaining('PaymentNotFound'),
      }),
    ])
    expect(JSON.parse(requests[0]!.responseBody)).toEqual(payment)
  })

  it('omits `operation` of an unknown endpoint and a missing `userAgent`', async () => {
    const { sandbox } = startSandbox()

    await send(sandbox, 'GET', '/nowhere?x=1')

    const [request] = sandbox.requests
    expect(request).toMatchObject({ method: 'GET', path: '/nowhere?x=1', status: 404 })
    expect(Object.keys(request!)).not.toContain('operation')
    expect(Object.keys(request!)).not.toContain('userAgent')
  })

  it('contains only the response bytes that were sent despite a fault', async () => {
    const { sandbox } = startSandbox()
    sandbox.faults.add({ at: 'after', reset: true })
    sandbox.faults.add({ at: 7 })
    sandbox.faults.add({ at: 'after', status: 503, delay: 1 })

    await expect(send(sandbox, 'POST', '/payments', { body: aPayment() })).rejects.toThrow('fetch failed')
    await expect(send(sandbox, 'GET', '/payments')).rejects.toThrow('terminated')
    await send(sandbox, 'GET', '/payments')

    const results = sandbox.requests.map(({ status, responseBody }) => [status, responseBody])
    expect(results).toEqual([
      [undefined, ''],
      [200, '{"data"'],
      [503, expect.stringContaining('SimulatedFault')],
    ])
    expect(sandbox.requests[2]!.durationMs).toBeGreaterThanOrEqual(1)
  })

  it('masks an API key in paths, bodies and headers', async () => {
    const { sandbox } = startSandbox()
    const { apiKey: secret } = sandbox
    const masked = '"key_[…]"'

    await send(sandbox, 'POST', `/payments?note="${secret}"`, {
      body: aPayment({ metadata: { note: secret } }),
      headers: { 'user-agent': `"${secret}"`, 'x-note': `"${secret}"`, authorization: 'Bearer t', cookie: 'session=1' },
    })

    const [request] = sandbox.requests
    expect(JSON.stringify(sandbox.requests)).not.toContain(secret)
    expect(request!.requestBody).toContain(`"metadata":{"note":${masked}}`)
    expect(request!.requestHeaders).toMatchObject({ 'x-note': masked, authorization: '[…]', cookie: '[…]' })
    expect(request!.userAgent).toBe(masked)
  })

  it('truncates bodies after 64 KiB of UTF-8', async () => {
    const { sandbox } = startSandbox()
    const maxBytes = 64 * 1024

    await send(sandbox, 'POST', '/payments', { body: aPayment({ metadata: { text: '€'.repeat(30_000) } }) })
    await send(sandbox, 'POST', '/payments', { body: aPayment({ metadata: { text: 'x'.repeat(60_000) } }) })

    const [long, short] = sandbox.requests.map(({ requestBody, responseBody }) =>
      [requestBody, responseBody].map((body) => new TextEncoder().encode(body).length),
    )
    expect(Math.abs(long![0]! - maxBytes)).toBeLessThan(4)
    expect(Math.abs(long![1]! - maxBytes)).toBeLessThan(4)
    expect(short![0]).toBe(JSON.stringify(aPayment({ metadata: { text: '' } })).length + 60_000)
  })

  it('keeps the last 10,000 requests', async () => {
    const { sandbox } = startSandbox()

    for (let n = 0; n <= 10_000; n++) await sandbox.fetch(`${sandbox.baseUrl}/nowhere/${n}`)

    expect(sandbox.requests).toHaveLength(10_000)
    expect([sandbox.requests[0]?.path, sandbox.requests.at(-1)?.path]).toEqual(['/nowhere/1', '/nowhere/10000'])
  })

  it('keeps fewer requests if their bodies are large', async () => {
    const { sandbox } = startSandbox()
    const body = 'x'.repeat(60_000)
    for (let count = 0; count < 900; count++) await send(sandbox, 'POST', '/unknown', { body })

    const { requests } = sandbox
    const total = requests.reduce(
      (sum, { requestBody, responseBody }) => sum + requestBody.length + responseBody.length,
      0,
    )

    expect(total).toBeGreaterThan(49_000_000)
    expect(total).toBeLessThanOrEqual(50_000_000)
  })
})

describe('sandbox.history', () => {
  it('lists the statuses of a payment with their times, oldest first', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: 'tok_pending' }))
    await sandbox.clock.advance('1h')
    sandbox.processor.authorize(id)
    await client.payments.capture(id)
    await client.payments.refund(id, { amount: 100 })

    expect(sandbox.history(id)).toEqual([
      { status: 'PENDING', at: '2026-01-31T12:00:00.000Z' },
      { status: 'AUTHORIZED', at: '2026-01-31T13:00:00.000Z' },
      { status: 'SETTLED', at: '2026-01-31T13:00:00.000Z' },
    ])
  })
})
