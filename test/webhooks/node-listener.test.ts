import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createHandler,
  type HandlerOptions,
  type NodeListener,
  type NodeRequest,
  toNodeListener,
  type WebhookContext,
} from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, hmac, signed } from './fixtures.js'

const body = JSON.stringify(aStatusEvent({ orderId: 'Übergröße' }))
const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

/** Starts an HTTP server for the listener, and returns its URL for webhooks. */
async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks?from=service`
}

function aListener(options: Partial<HandlerOptions> = {}) {
  const [onStatus, onError] = [vi.fn(), vi.fn()]
  const handler = createHandler({ secret: currentSecret, on: { 'PAYMENT.STATUS': onStatus }, onError, ...options })
  return { listener: toNodeListener(handler), onStatus, onError }
}

const deliver = (url: string, sent: string | Uint8Array<ArrayBuffer> = body, headers: HeadersInit = signed(sent)) =>
  fetch(url, { method: 'POST', headers, body: sent })

/** Returns the response to a request of `node:http`. Ignores its body. */
async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response.resume()
}

/** Creates a request of another framework, and calls the listener with it. Returns the response. */
async function call(listener: NodeListener, request: object) {
  const response = { statusCode: 0, setHeader: vi.fn(), end: vi.fn() }
  await listener(request as NodeRequest, response)
  return response
}

/** A request stream that never ends. */
const anEndlessStream = () => {
  const next = async () => ({ value: Buffer.from(body) })
  return { readableDidRead: false, iterator: () => ({ next }), resume: vi.fn() }
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('toNodeListener with node:http', () => {
  it('receives a webhook over HTTP', async () => {
    const { listener, onStatus } = aListener()
    const url = await serve(listener)

    const response = await deliver(url)

    expect(response.status).toBe(200)
    expect(onStatus.mock.calls).toEqual([[JSON.parse(body), expect.anything()]])
  })

  it('responds 405 to TRACE, which a Fetch Request cannot represent', async () => {
    const { listener, onError } = aListener()
    const url = await serve(listener)

    const response = await responseTo(httpRequest(url, { method: 'TRACE' }).end())

    expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST'])
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ message: 'Webhooks are POST requests, but this one is TRACE' }),
      undefined,
    )
  })

  it('aborts the context’s signal when the client disconnects', async () => {
    const aborted = vi.fn()
    const onStatus = (_: unknown, { signal }: WebhookContext) => {
      sending.destroy()
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(aborted())))
    }
    const { listener } = aListener({ on: { 'PAYMENT.STATUS': onStatus } })
    const sending = httpRequest(await serve(listener), { method: 'POST', headers: signed(body) })
    sending.on('error', () => {})
    sending.end(body)

    await vi.waitUntil(() => aborted.mock.calls.length > 0)
  })

  it('does not abort the context’s signal after the response', async () => {
    const { listener, onStatus } = aListener()
    const closed = vi.fn()
    const url = await serve((request, response) => {
      response.on('close', closed)
      listener(request, response)
    })

    await deliver(url)
    await vi.waitUntil(() => closed.mock.calls.length > 0)

    expect(onStatus.mock.calls[0]?.[1].signal.aborted).toBe(false)
  })

  it('works without Fetch objects for a handler from createHandler', async () => {
    for (const name of ['Request', 'Response', 'Headers', 'ReadableStream']) vi.stubGlobal(name, undefined)
    const { listener, onStatus } = aListener()
    const request = Object.assign(Readable.from([Buffer.from(body)]), { headers: signed(body) })

    const response = await call(listener, request)
    vi.unstubAllGlobals()

    expect([response.statusCode, onStatus.mock.calls.length]).toEqual([200, 1])
  })

  it('sends nothing if the server already responded', async () => {
    const listening = vi.fn()
    const onStatus = async () => {
      await answered
      throw new Error('too late')
    }
    const { listener } = aListener({ on: { 'PAYMENT.STATUS': onStatus } })
    const url = await serve((request, response) => {
      listening(listener(request, response))
      response.writeHead(503).end()
    })
    const answered = deliver(url)

    expect((await answered).status).toBe(503)
    await expect(listening.mock.calls[0]?.[0]).resolves.toBeUndefined()
  })

  it('rejects a duplicate signature header, which Node joins with a comma', async () => {
    const { listener, onError } = aListener()
    const url = await serve(listener)
    const signature = hmac(body)
    const sending = httpRequest(url, { method: 'POST', headers: { 'X-Signature-Primary': [signature, signature] } })

    const response = await responseTo(sending.end(body))

    expect(response.statusCode).toBe(400)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'malformed-signature' }), undefined)
  })

  it('keeps the connection usable after a body larger than maxBytes', async () => {
    const { listener } = aListener({ maxBytes: 10_000 })
    const url = await serve(listener)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = async (sent: string | Buffer) => {
      const sending = httpRequest(url, { method: 'POST', headers: signed(sent), agent })
      const response = await responseTo(sending.end(sent))
      await once(response, 'close')
      return { status: response.statusCode, reused: sending.reusedSocket }
    }

    const responses = [await send(body), await send(Buffer.alloc(3_000_000)), await send(body)]
    agent.destroy()

    expect(responses).toEqual([
      { status: 200, reused: false },
      { status: 400, reused: true },
      { status: 200, reused: true },
    ])
  })

  it('calls onError if the client disconnects during the body', async () => {
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

  it('reads a request stream on which setEncoding was called', async () => {
    const { listener } = aListener()
    const url = await serve((request, response) => listener(request.setEncoding('utf8'), response))

    const response = await deliver(url)

    expect(response.status).toBe(200)
  })

  it('rejects a handler that is not from createHandler', () => {
    expect(() => toNodeListener(async () => new Response())).toThrow('must be the result of createHandler')
  })

  it('discards the rest of a body larger than maxBytes', async () => {
    const { listener } = aListener({ maxBytes: 1 })
    const stream = anEndlessStream()

    const response = await call(listener, { headers: signed(body), ...stream })

    expect(response.statusCode).toBe(400)
    expect(stream.resume).toHaveBeenCalledOnce()
  })
})

describe('toNodeListener with another copy of the package', () => {
  it.each([
    ['a valid webhook', { rawBody: body }, 200],
    ['a body that a parser consumed', { readableDidRead: true }, 400],
  ])('receives %s', async (_, given, status) => {
    vi.resetModules()
    const copy: typeof import('../../src/webhooks/index.js') = await import('../../src/webhooks/index.js')
    const handler = createHandler({ secret: currentSecret })

    const response = await call(copy.toNodeListener(handler), { headers: signed(body), ...given })

    expect(response.statusCode).toBe(status)
  })
})

describe('toNodeListener with the request and response of Koa', () => {
  it('throws an error that shows the correct arguments', async () => {
    const { listener } = aListener()
    const [request, response] = [{ headers: signed(body), rawBody: body, req: {} }, { res: {} }]

    await expect(listener(request as never, response as never)).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: expect.stringContaining('with Koa, pass context.req and context.res'),
    })
  })

  it('reports a request that is not from Node to onError', async () => {
    const { listener, onError } = aListener()

    const { statusCode } = await call(listener, { headers: signed(body), req: {} })

    expect(statusCode).toBe(500)
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'ERR_CONFIGURATION' })
  })
})

describe('toNodeListener behind a body parser', () => {
  type Parser = (raw: Buffer) => { body?: unknown; rawBody?: unknown }

  const express =
    (parse: Parser, listener: NodeListener) => async (request: IncomingMessage, response: ServerResponse) =>
      listener(Object.assign(request, parse(await bytesOf(request))), response)

  const fastify = (parse: Parser, listener: NodeListener) => async (raw: IncomingMessage, rawReply: ServerResponse) => {
    const { method, url, headers } = raw
    const request = { raw, method, url, headers, ...parse(await bytesOf(raw)) }
    const hijack = vi.fn()
    expect(await listener(request, Object.assign({ raw: rawReply, statusCode: 200, hijack }))).toBeUndefined()
    expect(hijack).toHaveBeenCalledTimes(1)
  }

  describe.each([
    { framework: 'Express', run: express },
    { framework: 'Fastify', run: fastify },
  ])('with $framework', ({ run }) => {
    it.each([
      ['bytes in body', (raw: Buffer) => ({ body: raw })],
      ['a string in body', (raw: Buffer) => ({ body: raw.toString() })],
      ['bytes in rawBody', (raw: Buffer) => ({ body: JSON.parse(raw.toString()), rawBody: raw })],
      ['a string in rawBody', (raw: Buffer) => ({ body: {}, rawBody: raw.toString() })],
      ['bytes in rawBody and a string in body', (raw: Buffer) => ({ rawBody: new Uint8Array(raw), body: 'other' })],
    ])('reads the webhook from %s', async (_, parse) => {
      const { listener, onStatus } = aListener()
      const url = await serve(run(parse, listener))

      const response = await deliver(url)

      expect(response.status).toBe(200)
      expect(onStatus.mock.calls).toEqual([[JSON.parse(body), expect.anything()]])
    })

    it.each([
      ['a parsed body', (raw: Buffer) => ({ body: JSON.parse(raw.toString()) })],
      ['a missing body', () => ({})],
      ['a null body', () => ({ body: null, rawBody: null })],
    ])('responds 400 to %s, and explains how to keep the raw bytes', async (_, parse) => {
      const { listener, onStatus, onError } = aListener()
      const url = await serve(run(parse, listener))

      const response = await deliver(url)

      expect(response.status).toBe(400)
      const error = { reason: 'body-not-raw', message: expect.stringMatching(/was read before.*rawBody/) }
      expect(onError.mock.calls).toEqual([[expect.objectContaining(error), undefined]])
      expect(onStatus).not.toHaveBeenCalled()
    })
  })
})
