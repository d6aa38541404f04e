import { once } from 'node:events'
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createHandler, type NodeRequest, toNodeListener, type WebhookHandler } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, foreignSecret, hmac, signed } from './fixtures.js'

const body = JSON.stringify(aStatusEvent({ orderId: 'Übergröße' }))
const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

/** A server of node:http; a framework may come in between. */
async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks?from=service`
}

function aListener(options: { maxBytes?: number } = {}) {
  const [onStatus, onError] = [vi.fn(), vi.fn()]
  const handler = createHandler({ secret: currentSecret, on: { 'PAYMENT.STATUS': onStatus }, onError, ...options })
  return { listener: toNodeListener(handler), onStatus, onError }
}

const deliver = (url: string, sent: string | Uint8Array<ArrayBuffer> = body, headers: HeadersInit = signed(sent)) =>
  fetch(url, { method: 'POST', headers, body: sent })

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('webhooks.toNodeListener, node:http', () => {
  it('receives a webhook', async () => {
    const { listener, onStatus } = aListener()
    const url = await serve(listener)

    const response = await deliver(url)

    expect(response.status).toBe(200)
    expect(onStatus.mock.calls).toEqual([[JSON.parse(body)]])
  })

  it('answers what the handler answers: status, headers and text', async () => {
    const { listener, onError } = aListener()
    const url = await serve(listener)

    const response = await deliver(url, body, signed(body, foreignSecret))

    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toMatch(/^No signature agrees/)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'no-match' }), undefined)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('answers 405 to %s', async (method) => {
    const { listener } = aListener()
    const url = await serve(listener)

    const response = await fetch(url, { method, body: method === 'PUT' ? body : undefined })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('W04 refuses a signature that came twice, which Node joins', async () => {
    const { listener, onError } = aListener()
    const url = await serve(listener)
    const signature = hmac(body)
    const sending = httpRequest(url, { method: 'POST', headers: { 'X-Signature-Primary': [signature, signature] } })

    sending.end(body)
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    response.resume()

    expect(response.statusCode).toBe(400)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'malformed-signature' }), undefined)
  })

  it('W15 stops at the limit while the body still comes, and goes on to serve', async () => {
    const { listener, onError } = aListener({ maxBytes: 10_000 })
    const url = await serve(listener)
    const large = new Uint8Array(3_000_000)

    const refused = await deliver(url, large)
    const next = await deliver(url)

    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/more than 10000 bytes/)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'too-large' }), undefined)
    expect(next.status).toBe(200)
  })

  it('W15 leaves the connection usable after a body that was too large', async () => {
    const { listener } = aListener({ maxBytes: 10_000 })
    const url = await serve(listener)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = async (sent: string | Buffer) => {
      const sending = httpRequest(url, { method: 'POST', headers: signed(sent), agent })
      sending.end(sent)
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      await once(response.resume(), 'close')
      return { status: response.statusCode, reused: sending.reusedSocket }
    }

    const answers = [await send(body), await send(Buffer.alloc(3_000_000)), await send(body)]
    agent.destroy()

    expect(answers).toEqual([
      { status: 200, reused: false },
      { status: 400, reused: true },
      { status: 200, reused: true },
    ])
  })

  it('W15 lets the sender of a body without end hear the answer', async () => {
    const { listener } = aListener({ maxBytes: 10_000 })
    const url = await serve(listener)
    const sending = httpRequest(url, { method: 'POST', headers: signed(body) })
    sending.write(Buffer.alloc(20_000))

    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    response.resume()
    sending.destroy()

    expect(response.statusCode).toBe(400)
  })

  it('tells of a sender that breaks off, and does not crash', async () => {
    const { listener, onError } = aListener()
    const url = await serve(listener)
    const sending = httpRequest(url, { method: 'POST', headers: { ...signed(body), 'content-length': '1000' } })
    sending.on('error', () => {})
    sending.write('{"half')
    await once(servers[0] as Server, 'request')

    sending.destroy()
    await vi.waitUntil(() => onError.mock.calls.length > 0)

    expect(onError.mock.calls).toEqual([[expect.any(Error), undefined]])
    expect((await deliver(url)).status).toBe(200)
  })

  it('reads a stream that was told to decode', async () => {
    const { listener } = aListener()
    const url = await serve((request, response) => listener(request.setEncoding('utf8'), response))

    const response = await deliver(url)

    expect(response.status).toBe(200)
  })

  it('hands over path, method, all headers and the body, to whatever handler', async () => {
    const seen: unknown[] = []
    const handler: WebhookHandler = async (request) => {
      seen.push(request.url, request.method, request.headers.get('x-several'), await request.text())
      return new Response('created', { status: 201, headers: { 'x-answer': '42' } })
    }
    const url = await serve(toNodeListener(handler))

    const response = await deliver(url, body, { 'x-several': 'a' })

    expect(seen).toEqual(['http://localhost/webhooks?from=service', 'POST', 'a', body])
    expect([response.status, response.headers.get('x-answer'), await response.text()]).toEqual([201, '42', 'created'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('canary')
      },
    ],
    ['rejects', () => Promise.reject(new Error('canary'))],
    [
      'answers with a body that breaks',
      async () => new Response(new ReadableStream({ pull: (c) => c.error(new Error('canary')) })),
    ],
  ])('answers 500 when a handler %s', async (_, handler) => {
    const url = await serve(toNodeListener(handler))

    const response = await deliver(url)

    expect(response.status).toBe(500)
    expect(await response.text()).toBe('')
  })

  it('sets no header when a handler fails', async () => {
    const response = { statusCode: 0, setHeader: vi.fn(), end: vi.fn() }

    await toNodeListener(() => Promise.reject(new Error()))({ headers: {}, rawBody: body } as NodeRequest, response)

    expect(response.statusCode).toBe(500)
    expect(response.setHeader).not.toHaveBeenCalled()
  })
})

describe('webhooks.toNodeListener, request', () => {
  /** What the handler is given for a request made by hand. */
  async function requestFor(given: Partial<NodeRequest>): Promise<Request> {
    let seen: Request | undefined
    const listener = toNodeListener(async (request) => {
      seen = request
      return new Response()
    })
    const response = { statusCode: 0, setHeader: vi.fn(), end: vi.fn() }
    await listener({ headers: {}, rawBody: '{}', ...given } as NodeRequest, response)
    return seen as Request
  }

  it('leaves out what HTTP/2 lists among the headers, and what is undefined', async () => {
    const headers = { ':method': 'POST', ':path': '/webhooks', host: 'a', via: undefined, 'x-several': ['a', 'b'] }

    const request = await requestFor({ headers })

    expect(Object.fromEntries(request.headers)).toMatchObject({ host: 'a', 'x-several': 'a, b' })
    expect([...request.headers.keys()]).not.toContain('via')
  })

  it.each([
    [undefined, 'http://localhost/'],
    ['*', 'http://localhost/'],
    ['http://evil.example/webhooks', 'http://localhost/'],
    ['//evil.example/webhooks', 'http://localhost//evil.example/webhooks'],
    ['/webhooks?a=1', 'http://localhost/webhooks?a=1'],
  ])('takes the path of %s and nothing else', async (url, expected) => {
    const request = await requestFor({ url })

    expect(request.url).toBe(expected)
  })

  it('is a POST unless it says otherwise', async () => {
    const methods = [(await requestFor({})).method, (await requestFor({ method: 'PUT' })).method]

    expect(methods).toEqual(['POST', 'PUT'])
  })

  it.each(['GET', 'HEAD'])('has no body with %s', async (method) => {
    const request = await requestFor({ method })

    expect([request.method, request.body]).toEqual([method, null])
  })

  it('drops the rest of a body that is too large, of whatever stream', async () => {
    const { listener } = aListener({ maxBytes: 1 })
    const next = async () => ({ value: Buffer.from(body) })
    const stream = { readableDidRead: false, iterator: () => ({ next }), resume: vi.fn() }
    const response = { statusCode: 0, setHeader: vi.fn(), end: vi.fn() }

    await listener({ headers: signed(body), ...stream }, response)

    expect(response.statusCode).toBe(400)
    expect(stream.resume).toHaveBeenCalledOnce()
  })
})

describe('webhooks.toNodeListener, Express', () => {
  /** As express.json(), express.raw() and their kind do: read the stream, leave a body. */
  async function serveBehind(parse: (raw: Buffer) => { body?: unknown; rawBody?: unknown }) {
    const { listener, onStatus, onError } = aListener()
    const url = await serve(async (request, response) => {
      Object.assign(request, parse(await bytesOf(request)))
      await listener(request, response)
    })
    return { url, onStatus, onError }
  }

  it.each([
    ['express.raw()', (raw: Buffer) => ({ body: raw })],
    ['express.text()', (raw: Buffer) => ({ body: raw.toString() })],
    [
      'express.json({ verify }) that keeps the bytes',
      (raw: Buffer) => ({ body: JSON.parse(raw.toString()), rawBody: raw }),
    ],
    ['a platform that keeps the text', (raw: Buffer) => ({ body: {}, rawBody: raw.toString() })],
    ['a platform that keeps a view', (raw: Buffer) => ({ rawBody: new Uint8Array(raw) })],
    ['a platform whose body is something else', (raw: Buffer) => ({ rawBody: raw, body: 'something else' })],
  ])('reads the bytes behind %s', async (_, parse) => {
    const { url, onStatus } = await serveBehind(parse)

    const response = await deliver(url)

    expect(response.status).toBe(200)
    expect(onStatus.mock.calls).toEqual([[JSON.parse(body)]])
  })

  it.each([
    ['express.json()', (raw: Buffer) => ({ body: JSON.parse(raw.toString()) })],
    ['a parser that leaves nothing', () => ({})],
    ['a parser that leaves null', () => ({ body: null, rawBody: null })],
  ])('W09 says that the body is not raw behind %s, instead of hanging', async (_, parse) => {
    const { url, onStatus, onError } = await serveBehind(parse)

    const response = await deliver(url)

    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/^The body was read before.*rawBody/)
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ reason: 'body-not-raw' }), undefined]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('reads the stream itself when a parser left an empty object and did not touch it', async () => {
    const { listener } = aListener()
    const url = await serve((request, response) => listener(Object.assign(request, { body: {} }), response))

    const response = await deliver(url)

    expect(response.status).toBe(200)
  })
})

describe('webhooks.toNodeListener, Fastify', () => {
  /** As Fastify calls a route handler: with its own request and reply over those of Node. */
  async function serveFastify(parse: (raw: IncomingMessage) => Promise<object>) {
    const { listener, onStatus, onError } = aListener()
    const hijacked = vi.fn()
    const url = await serve(async (raw, rawReply) => {
      const { method, url, headers } = raw
      const request = { raw, method, url, headers, ...(await parse(raw)) }
      const reply = { raw: rawReply, statusCode: 200, hijack: hijacked }
      expect(await listener(request, reply)).toBeUndefined()
    })
    return { url, hijacked, onStatus, onError }
  }

  it.each([
    ['parses into a buffer', async (raw: IncomingMessage) => ({ body: await bytesOf(raw) })],
    ['keeps the raw body', async (raw: IncomingMessage) => ({ body: {}, rawBody: await bytesOf(raw) })],
    ['does not parse', async () => ({ body: undefined })],
  ])('receives a webhook when it %s', async (_, parse) => {
    const { url, hijacked, onStatus } = await serveFastify(parse)

    const response = await deliver(url)

    expect(response.status).toBe(200)
    expect(hijacked).toHaveBeenCalledTimes(1)
    expect(onStatus.mock.calls).toEqual([[JSON.parse(body)]])
  })

  it('W09 says that the body is not raw when it parses JSON', async () => {
    const { url, onError } = await serveFastify(async (raw) => ({ body: JSON.parse(String(await bytesOf(raw))) }))

    const response = await deliver(url)

    expect(response.status).toBe(400)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'body-not-raw' }), undefined)
  })
})
