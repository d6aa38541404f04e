import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Agent, type ClientRequest, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { PaymentsClient } from '../../../src/index.js'
import { clientOf, payment, serve, until } from '../../support/clients.js'
import { othersFinish } from '../../support/clock.js'
import { authorizedPayment } from '../../support/responses/payments.js'
import { okHead, read, respondWith, responseBytes, wait, write } from '../../support/scripted-server.js'

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

describe('the node:http adapter', () => {
  it('connects to an IPv6 address', async ({ skip }) => {
    const server = createServer((_request, response) => response.end(JSON.stringify(authorizedPayment)))
    const listening = Promise.race([once(server.listen(0, '::1'), 'listening'), once(server, 'error')])
    const [failure] = await listening
    skip(failure !== undefined, 'IPv6 is unavailable')
    const { port } = server.address() as AddressInfo
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: `http://[::1]:${port}` })

    const payment = await client.payments.get('pay_1')

    server.closeAllConnections()
    server.close()
    expect(payment).toEqual(authorizedPayment)
  })

  it('shares connections between clients', async () => {
    const server = await serve(respondWith(payment))

    for (const client of [clientOf(server), clientOf(server)]) {
      await client.payments.get('pay_1')
      await othersFinish()
    }

    expect(server.connections).toBe(1)
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, string | undefined]>([
    ['a read', ({ payments }) => payments.get('pay_1'), undefined],
    ['a request without a body', ({ payments }) => payments.capture('pay_1'), '0'],
    ['a body with non-ASCII characters', ({ payments }) => payments.cancel('pay_1', { reason: 'é' }), '15'],
  ])('sends the correct Content-Length for %s', async (_, call, length) => {
    const server = await serve(respondWith(payment))

    await call(clientOf(server))

    expect(server.requests[0]?.headers['content-length']).toBe(length)
  })

  it('lets Node’s response objects be collected while the caller keeps the promises', async () => {
    const responses: WeakRef<object>[] = []
    const collect = (message: unknown) => void responses.push(new WeakRef((message as { response: object }).response))
    subscribe('http.client.response.finish', collect)
    onTestFinished(() => void unsubscribe('http.client.response.finish', collect))
    const client = clientOf(await serve(respondWith(payment)))
    const calls: unknown[] = []

    for (let count = 0; count < 20; count++) {
      const call = client.payments.get('pay_1')
      calls.push(call)
      await call
    }
    await othersFinish()
    collectGarbage()

    expect(responses).toHaveLength(calls.length)
    expect(responses.filter((response) => response.deref()).length).toBeLessThan(calls.length / 2)
  })

  it.each([
    ['5 s', undefined, 5_000],
    ['the time in the Keep-Alive header, minus a second', 'timeout=3', 2_000],
  ])('closes an idle connection after %s', async (_, hint, timeout) => {
    const sockets: Socket[] = []
    const collect = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', collect)
    onTestFinished(() => void unsubscribe('net.client.socket', collect))
    const server = await serve(respondWith(payment, { headers: hint ? { 'keep-alive': hint } : {} }))

    await clientOf(server).payments.get('pay_1')
    await othersFinish()

    expect(sockets).toMatchObject([{ timeout }])
    sockets[0]?.emit('timeout')
    await until(() => server.openConnections === 0)
  })

  it('does not reuse a connection that the server closes after a second', async () => {
    const server = await serve(respondWith(payment, { headers: { 'keep-alive': 'timeout=1' } }))

    for (let count = 1; count <= 2; count++) {
      await clientOf(server).payments.resume('pay_1', { resumeToken: 'resume_1' })
      await othersFinish()
    }

    expect(server.connections).toBe(2)
  })

  it('accepts compressed responses', async () => {
    const server = await serve(respondWith(payment))

    await clientOf(server).payments.get('pay_1')

    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  it('accepts compressed responses over an agent that sends headers immediately', async () => {
    class EagerAgent extends Agent {
      // Node calls this method, but its types do not contain it.
      addRequest(request: ClientRequest, ...rest: unknown[]) {
        Reflect.apply(Reflect.get(Agent.prototype, 'addRequest'), this, [request, ...rest])
        request.flushHeaders()
      }
    }
    const server = await serve(respondWith(payment))

    await clientOf(server, { agent: new EagerAgent() }).payments.get('pay_1')

    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  it('returns every response header', async () => {
    const body = JSON.stringify(payment)
    const lines = ['X-Request-Id: r-1', 'set-cookie: a=1', 'set-cookie: b=2', `content-length: ${body.length}`]
    const server = await serve([read(), write(okHead(...lines) + body)])

    const { response } = await clientOf(server).payments.get('pay_1').withResponse()

    expect(response.headers).toBe(response.headers)
    expect([...response.headers]).toEqual([
      ['content-length', String(body.length)],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-request-id', 'r-1'],
    ])
  })
})

describe('the first connection that a process opens', () => {
  it('closes the connection if the server responds before the client’s request', async () => {
    vi.resetModules()
    const fresh = await import('../../../src/index.js')
    const server = await serve([read(), write(responseBytes(payment)), wait(20), write(responseBytes(payment))])
    const client = new fresh.PaymentsClient({ apiKey: 'key-1', baseUrl: server.url })

    await client.payments.get('pay_1')

    await until(() => server.openConnections === 0)
  })
})
