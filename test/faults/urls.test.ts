import type { ApiError, PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { describeWithEachAdapter, failureOf, payment, rejectionOf, serve } from '../support/clients.js'
import { manualLimits } from '../support/clock.js'
import { hang, read, respondWith, responseBytes, write } from '../support/scripted-server.js'

describeWithEachAdapter('a client', (clientOf) => {
  const redirect = (status: number, location: string) => [
    read(),
    write(responseBytes('', { status, headers: { location } })),
    read(),
    write(responseBytes(payment)),
  ]

  it.each([301, 302, 303, 307, 308])('does not follow a %i redirect to another origin', async (status) => {
    const elsewhere = await serve(respondWith(payment))
    const server = await serve(redirect(status, `${elsewhere.url}/payments/pay_1?secret=in-the-location`))
    const client = clientOf(server, { maxRetries: 2 })

    const error = (await failureOf(client.payments.capture('pay_1'))) as ApiError

    expect(error).toMatchObject({ name: 'ApiError', httpStatus: status, outcome: 'unknown' })
    expect(error.message).toContain(String(status))
    expect(error.message).not.toContain('in-the-location')
    expect(error.headers.get('location')).toContain(elsewhere.url)
    expect(elsewhere.connections).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['the same origin', (url: string) => `${url}/payments/pay_2`],
    ['a relative URL on the same origin', () => '/payments/pay_2'],
    ['its own URL', (url: string) => `${url}/payments/pay_1`],
    ['plain http', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ['a URL without a host', () => 'http://'],
  ])('does not follow a redirect to %s', async (_, locate) => {
    let location = '/'
    const server = await serve([read(), write(() => responseBytes('', { status: 302, headers: { location } })), read()])
    location = locate(server.url)

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.get('pay_1'))

    expect(error).toMatchObject({ name: 'ApiError', httpStatus: 302, outcome: 'rejected' })
    expect(server.requests).toHaveLength(1)
  })

  it('reports a redirected GET as "rejected" even if the redirect’s body never ends', async () => {
    const bytes = responseBytes('body', { status: 302, headers: { location: '/' } }).slice(0, -1)
    const server = await serve([read(), write(bytes), hang()], [read(), write(bytes), hang()])
    const { option, expire } = manualLimits()
    const hooks = { onResponse: () => void setImmediate(expire) }
    const client = clientOf(server, { maxRetries: 2, hooks, ...option })

    const retrieval = await failureOf(client.payments.get('pay_1'))
    const change = await failureOf(client.payments.capture('pay_1'))

    expect(retrieval).toMatchObject({ outcome: 'rejected', attempts: [{ status: 302 }] })
    expect(change).toMatchObject({ outcome: 'unknown', attempts: [{ status: 302 }] })
  })
})

describe('a string with an unpaired surrogate', () => {
  const half = 'a\ud800'

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['a filter', (client) => client.payments.list({ orderId: half })],
    ['a token', (client) => client.clientSessions.get(half)],
    ['a query value of client.request', (client) => client.request({ method: 'GET', path: '/a', query: { b: half } })],
    ['a query name of client.request', (client) => client.request({ method: 'GET', path: '/a', query: { [half]: 1 } })],
  ])('rejects a string with an unpaired surrogate in %s before sending a request', async (_, send) => {
    expect((await rejectionOf(send)).message).toContain('must be well-formed Unicode')
  })
})
