import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ConfigurationError,
  createHandler,
  type HandlerOptions,
  verify,
  type WebhookContext,
} from '../../src/webhooks/index.js'
import {
  aDelivery,
  aDisputeEvent,
  aHandler,
  aRefundEvent,
  aStatusEvent,
  currentSecret,
  foreignSecret,
  later,
  previousSecret,
  signed,
  url,
} from './fixtures.js'

const anyContext = expect.objectContaining({ key: expect.any(String) })

const invalid = [400, 'Invalid webhook']
const notHandled = [500, 'The webhook was not handled']

/** Sends a request to a new handler. Returns the response's status and body, and the handler's mock functions. */
async function receive(request: unknown, options: Partial<HandlerOptions> = {}) {
  const { handler, ...functions } = aHandler(options)
  const response = await handler(request as Request)
  return { response: [response.status, await response.text()], ...functions }
}

const post = (body: string | null, headers: HeadersInit = signed(body ?? '')) =>
  new Request(url, { method: 'POST', headers, body })

/** Returns a delivery whose body was used before the handler receives the delivery. */
async function usedBefore(use: (request: Request) => unknown): Promise<Request> {
  const request = aDelivery()
  await use(request)
  return request
}

function aBrokenRequest(): Request {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error('connection reset')) })
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: signed(''), body, duplex: 'half' }
  return new Request(url, init)
}

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'polluted')
})

describe('createHandler', () => {
  it('calls the function for the event type and responds 200 without a body', async () => {
    const { handler, onStatus, onUnrecognized, onError } = aHandler()

    const response = await handler(aDelivery())

    expect([response.status, await response.text()]).toEqual([200, ''])
    expect([...response.headers]).toEqual([])
    expect(onStatus.mock.calls).toEqual([[aStatusEvent(), anyContext]])
    expect(onUnrecognized).not.toHaveBeenCalled()
    expect(onError).not.toHaveBeenCalled()
  })

  it('passes a context that has no transaction if the store is not transactional', async () => {
    const { onStatus } = await receive(aDelivery())

    expect(onStatus.mock.calls[0]?.[1]).not.toHaveProperty('transaction')
  })

  it('calls a separate function for each event type', async () => {
    const [onRefund, onDispute] = [vi.fn(), vi.fn()]
    const on = { 'PAYMENT.REFUND': onRefund, 'DISPUTE.STATUS': onDispute }
    const { deliver, onUnrecognized } = aHandler({ on })

    const statuses = [await deliver(aStatusEvent()), await deliver(aRefundEvent()), await deliver(aDisputeEvent())]

    expect(statuses).toEqual([200, 200, 200])
    expect(onRefund.mock.calls).toEqual([[aRefundEvent(), anyContext]])
    expect(onDispute.mock.calls).toEqual([[aDisputeEvent(), anyContext]])
    expect(onUnrecognized).not.toHaveBeenCalled()
  })

  it('responds only after the event function has finished', async () => {
    const work = later()
    const onStatus = vi.fn(() => work.promise)
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })
    const steps: string[] = []

    const responding = handler(aDelivery()).then(({ status }) => steps.push(`responded ${status}`))
    await vi.waitUntil(() => onStatus.mock.calls.length === 1)
    await new Promise(setImmediate)
    steps.push('finished')
    work.resolve()
    await responding

    expect(steps).toEqual(['finished', 'responded 200'])
  })

  it('passes unrecognized events to onUnrecognized', async () => {
    const { response, onStatus, onUnrecognized } = await receive(aDelivery({ message: 'This is a test' }))

    expect(response).toEqual([200, ''])
    expect(onUnrecognized.mock.calls).toEqual([[{ eventType: '', payload: { message: 'This is a test' } }, anyContext]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  const usedBody = {
    reason: 'body-not-raw',
    message: expect.stringMatching(/^The body was read before.*mount the handler/),
  }
  const invalidPayment = expect.stringContaining('payment.id must be a string')

  it.each<[string, request: () => unknown, response: unknown[], error: object, options?: Partial<HandlerOptions>]>([
    [
      'rejects a signature by another secret',
      () => aDelivery(aStatusEvent(), foreignSecret),
      invalid,
      { reason: 'no-match' },
    ],
    ['rejects a request without a signature', () => post('{}', {}), invalid, { reason: 'missing-signature' }],
    ['rejects a request without a body', () => post(null, signed('{}')), invalid, { reason: 'no-match' }],
    ['rejects an empty signed body', () => post(null), invalid, { code: 'ERR_WEBHOOK_PAYLOAD' }],
    [
      'rejects a signed body that is not JSON',
      () => post('canary'),
      invalid,
      { code: 'ERR_WEBHOOK_PAYLOAD', payload: 'canary' },
    ],
    [
      'rejects a duplicate signature header',
      () => post('{}', Array(2).fill(['X-Signature-Primary', 'a'])),
      invalid,
      { reason: 'malformed-signature' },
    ],
    [
      'rejects a date before the tolerance',
      () => aDelivery(),
      invalid,
      { reason: 'too-old' },
      { tolerance: 60, now: new Date('2026-01-31T13:00:00Z') },
    ],
    ['rejects a body that was read', () => usedBefore((request) => request.json()), invalid, usedBody],
    ['rejects a body that is being read', () => usedBefore((request) => request.body?.getReader()), invalid, usedBody],
    [
      'rejects an event that violates its schema',
      () => aDelivery({ eventType: 'PAYMENT.STATUS', payment: { id: 7 } }),
      notHandled,
      { name: 'WebhookPayloadError', code: 'ERR_WEBHOOK_PAYLOAD', message: invalidPayment },
    ],
    ['rejects a body that is cut off', aBrokenRequest, notHandled, { message: 'connection reset' }],
    [
      'rejects a Hono context instead of its request',
      () => ({ req: { raw: aDelivery() } }),
      [405, 'Webhooks are POST requests'],
      { message: expect.stringContaining('(c) => handler(c.req.raw)') },
    ],
    ['responds 500 without a request', () => undefined, notHandled, { name: 'TypeError' }],
  ])('%s, and passes the reason only to onError', async (_, request, expected, error, options) => {
    const { response, onStatus, onError } = await receive(await request(), options)

    expect(response).toEqual(expected)
    expect(onError.mock.calls).toEqual([[expect.objectContaining(error), undefined]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  const canary = new Error('canary')
  // Like the query builders of Kysely and TypeORM.
  const query = { execute: async () => [] }
  const notRun = new ConfigurationError(
    'The function returned a query that has not run: call the query’s method execute()',
  )

  it.each<[string, onEvent: () => unknown, error: unknown]>([
    ['throws', () => aThrown(canary), canary],
    ['rejects', () => Promise.reject(canary), canary],
    [
      'throws a verification error',
      () => verify('{}', {}, foreignSecret),
      expect.objectContaining({ reason: 'missing-signature' }),
    ],
    ['returns an array with an element that rejects', () => [1, Promise.reject(canary)], canary],
    ['returns a query that has not run', () => query, notRun],
    ['returns an array with a query that has not run', () => [1, query], notRun],
    ['returns a promise of an array with a query that has not run', async () => [query], notRun],
  ])('responds 500 and calls onError if the event function %s', async (_, onEvent, error) => {
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': onEvent }, onUnrecognized: onEvent })

    const responses = [await handler(aDelivery()), await handler(aDelivery({}))]

    for (const response of responses) expect([response.status, await response.text()]).toEqual(notHandled)
    expect(onError.mock.calls).toEqual([
      [error, aStatusEvent()],
      [error, { eventType: '', payload: {} }],
    ])
  })

  it.each([true, false])(
    'responds after all elements of a returned array settle (deduplicate: %s)',
    async (deduplicate) => {
      const steps: string[] = []
      const slow = async () => {
        await new Promise(setImmediate)
        steps.push('saved')
      }
      const on = { 'PAYMENT.STATUS': () => [slow(), slow()] }
      const { handler } = aHandler({ deduplicate, on, onUnrecognized: () => [slow()] })

      await handler(aDelivery())
      await handler(aDelivery({}))

      expect(steps).toEqual(['saved', 'saved', 'saved'])
    },
  )

  it.each([
    ['throws', () => aThrown(canary)],
    ['rejects', () => Promise.reject(canary)],
  ])('responds 400 even if onError %s', async (_, onError) => {
    expect(await receive(aDelivery({}, foreignSecret), { onError })).toMatchObject({ response: invalid })
  })

  it('responds only after onError has finished', async () => {
    const logged = later()
    const onError = vi.fn(() => logged.promise)
    const { handler } = aHandler({ onError })
    const steps: string[] = []

    const responding = handler(aDelivery({}, foreignSecret)).then(() => steps.push('responded'))
    await vi.waitUntil(() => onError.mock.calls.length === 1)
    await new Promise(setImmediate)
    steps.push('logged')
    logged.resolve()
    await responding

    expect(steps).toEqual(['logged', 'responded'])
  })

  it.each(['GET', 'HEAD', 'OPTIONS'])('responds 405 to the probe %s without calling onError', async (method) => {
    const { response, onError } = await receive(new Request(url, { method }))

    expect(response[0]).toBe(405)
    expect(onError).not.toHaveBeenCalled()
  })

  it.each(['PUT', 'PATCH', 'DELETE'])(
    'responds 405 to %s, and passes the error to onError and the diagnostics channel',
    async (method) => {
      const published: unknown[] = []
      const listen = (trace: unknown) => void published.push(trace)
      const { asyncEnd } = tracingChannel('payments-client:webhook')
      asyncEnd.subscribe(listen)
      onTestFinished(() => void asyncEnd.unsubscribe(listen))
      const { handler, onError } = aHandler()

      const response = await handler(new Request(url, { method }))

      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      const error = expect.objectContaining({ message: `Webhooks are POST requests, but this one is ${method}` })
      expect(onError.mock.calls).toEqual([[error, undefined]])
      expect(published).toEqual([{ delivery: 'rejected', error, result: expect.anything() }])
    },
  )

  it('never aborts context.signal if the request has no signal, as in Azure Functions', async () => {
    const { method, headers, body, bodyUsed } = aDelivery()
    const aborted: boolean[] = []

    const { response } = await receive(
      { method, headers, body, bodyUsed },
      { on: { 'PAYMENT.STATUS': (_, { signal }) => void aborted.push(signal.aborted) } },
    )

    expect([response, aborted]).toEqual([[200, ''], [false]])
  })

  it.each([`${foreignSecret}\n`, ` ${foreignSecret}`, Buffer.from(`${foreignSecret}\r\n`)])(
    'reports to onError that the secret %j begins or ends with white space',
    async (secret) => {
      const { response, onError } = await receive(aDelivery(), { secret })

      expect(response).toEqual(invalid)
      expect(onError.mock.calls[0]?.[0].message).toContain('a configured secret begins or ends with white space')
    },
  )

  it('publishes an error that the webhook function throws, hidden from loggers', async () => {
    const published: object[] = []
    const listen = (trace: unknown) => void published.push(trace as object)
    const { asyncEnd } = tracingChannel('payments-client:webhook')
    asyncEnd.subscribe(listen)
    onTestFinished(() => void asyncEnd.unsubscribe(listen))
    const failure = Object.assign(new Error('duplicate key'), { detail: 'Key (email)=(a@b.example) already exists.' })
    const { deliver } = aHandler({ on: { 'PAYMENT.STATUS': () => Promise.reject(failure) } })

    await deliver()

    expect(inspect(published)).not.toContain('a@b.example')
    expect(published.map((trace) => Reflect.get(trace, 'error'))).toEqual([failure])
  })

  it('handles identical deliveries only once, even in runtimes without node:crypto', async () => {
    const { handler, onStatus } = aHandler()
    const deliveries = [aDelivery(), aDelivery(), aDelivery(aStatusEvent(), foreignSecret)]
    vi.stubGlobal('process', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())

    const responses = [await handler(deliveries[0] as Request), await handler(deliveries[1] as Request)]
    responses.push(await handler(deliveries[2] as Request))

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('calls the secret function for each request', async () => {
    const secret = vi.fn().mockReturnValueOnce(currentSecret).mockResolvedValueOnce([foreignSecret, previousSecret])
    const { handler } = aHandler({ secret })

    const responses = [await handler(aDelivery()), await handler(aDelivery(aRefundEvent(), previousSecret))]

    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(secret).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['throws', () => aThrown(canary), 'canary'],
    ['rejects', () => Promise.reject(canary), 'canary'],
    ['returns no secret', () => undefined as unknown as string, 'The signing secret is undefined'],
  ])('responds 500 if a secret function %s', async (_, secret, message) => {
    const { response, onError } = await receive(aDelivery(), { secret })

    expect(response).toEqual(notHandled)
    const error = expect.objectContaining({ message: expect.stringContaining(message) })
    expect(onError.mock.calls).toEqual([[error, undefined]])
  })

  it('responds 500 if Object.prototype is polluted after the handler was created', async () => {
    const { handler, onStatus, onError } = aHandler()
    const request = aDelivery()
    Object.assign(Object.prototype, { polluted: true })

    const response = await handler(request)

    expect(response.status).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith(expect.any(ConfigurationError), undefined)
  })
})

describe('the context argument of an event function', () => {
  it.each([true, false])('aborts context.signal if the request aborts (deduplicate: %s)', async (deduplicate) => {
    const closing = new AbortController()
    const onStatus = vi.fn((_: unknown, { signal }: WebhookContext) => {
      closing.abort(new Error('closed'))
      signal.throwIfAborted()
    })
    const { handler, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus } })

    const response = await handler(new Request(aDelivery(), { signal: closing.signal }))

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(new Error('closed'), aStatusEvent())
  })
})

describe('createHandler with the option `maxBytes`', () => {
  /** Creates a request with a streamed body, and counts the parts that the handler reads. */
  function inParts(parts: Uint8Array[], cancel?: () => Promise<void>) {
    const read = { parts: 0, cancelled: false }
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = parts[read.parts++]
          if (part) controller.enqueue(part)
          else controller.close()
        },
        cancel() {
          read.cancelled = true
          return cancel?.()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = signed(Buffer.concat(parts))
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
    return { request: new Request(url, init), read }
  }

  it('accepts a body of exactly maxBytes in any number of chunks', async () => {
    const bytes = Buffer.from(JSON.stringify(aStatusEvent({ orderId: 'Übergröße' })))
    const { request, read } = inParts([...bytes].map((byte) => Uint8Array.of(byte)))
    const { handler, onStatus } = aHandler({ maxBytes: bytes.length })

    const response = await handler(request)

    expect(response.status).toBe(200)
    expect(onStatus).toHaveBeenCalledWith(aStatusEvent({ orderId: 'Übergröße' }), anyContext)
    expect(read.cancelled).toBe(false)
  })

  it.each([undefined, () => Promise.reject(new Error('cannot stop'))])(
    'stops reading as soon as a body exceeds maxBytes',
    async (cancel) => {
      const { request, read } = inParts(Array(10).fill(Buffer.alloc(30)), cancel)
      const { handler, onError } = aHandler({ maxBytes: 60 })

      const response = await handler(request)

      expect([response.status, await response.text()]).toEqual([400, 'Invalid webhook'])
      expect(onError).toHaveBeenCalledWith(
        expect.objectContaining({ reason: 'too-large', message: 'The body has more than 60 bytes (option maxBytes)' }),
        undefined,
      )
      expect(read).toEqual({ parts: 3, cancelled: true })
    },
  )
})

describe('createHandler', () => {
  it.each([
    ['an unknown option', { deduplication: false }, 'deduplication is not an option: did you mean "deduplicate"?'],
    [
      'an unknown event',
      { on: { 'PAYMENT.REFUNDS': 5 } },
      'on.PAYMENT.REFUNDS is not an event: did you mean "PAYMENT.',
    ],
    ['an event without a function', { on: { 'PAYMENT.REFUND': 5 } }, 'on.PAYMENT.REFUND must be a function'],
    ['null as the events', { on: null }, 'on must be an object of events'],
    ['an invalid onUnrecognized', { onUnrecognized: true }, 'onUnrecognized must be a function'],
    ['an invalid onError', { onError: console }, 'onError must be a function'],
    ['an invalid hash', { hash: 'md5' }, 'hash must be'],
    ['an invalid claimTtl', { claimTtl: 0 }, 'claimTtl must be a number of milliseconds'],
    ['an invalid serialize', { serialize: 'yes' }, 'serialize must be true or false'],
    ['an invalid serializeWait', { serializeWait: -1 }, 'serializeWait must be an integer of at least 0'],
    [
      'an incomplete store',
      { deduplicate: { claim: () => 'new', complete: () => {} } },
      'deduplicate must be true, false or a store with the methods claim, complete, release',
    ],
    ['null as the store', { deduplicate: null }, 'deduplicate must be true, false or a store'],
  ])('rejects %s', (_, options, message) => {
    const create = () => createHandler({ secret: currentSecret, ...options } as unknown as HandlerOptions)

    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(message)
  })
})

function aThrown(error: Error): never {
  throw error
}
