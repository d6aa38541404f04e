import { tracingChannel } from 'node:diagnostics_channel'
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

  it('calls a separate function for each event type', async () => {
    const [onRefund, onDispute] = [vi.fn(), vi.fn()]
    const { handler, onStatus } = aHandler({ on: { 'PAYMENT.REFUND': onRefund, 'DISPUTE.STATUS': onDispute } })

    const responses = await Promise.all(
      [aStatusEvent(), aRefundEvent(), aDisputeEvent()].map((event) => handler(aDelivery(event))),
    )

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(onRefund.mock.calls).toEqual([[aRefundEvent(), anyContext]])
    expect(onDispute.mock.calls).toEqual([[aDisputeEvent(), anyContext]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('responds only after the event function has finished', async () => {
    const work = later()
    const onStatus = vi.fn(() => work.promise)
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })
    const steps: string[] = []

    const responding = handler(aDelivery()).then(({ status }) => steps.push(`responded ${status}`))
    await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
    await new Promise(setImmediate)
    steps.push('finished')
    work.resolve()
    await responding

    expect(steps).toEqual(['finished', 'responded 200'])
  })

  it('passes unrecognized events to onUnrecognized', async () => {
    const { handler, onStatus, onUnrecognized } = aHandler()

    const response = await handler(aDelivery({ message: 'This is a test' }))

    expect(response.status).toBe(200)
    expect(onUnrecognized.mock.calls).toEqual([[{ eventType: '', payload: { message: 'This is a test' } }, anyContext]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('responds 200 to a signed event if no function handles its type', async () => {
    const handler = createHandler({ secret: currentSecret })

    const responses = await Promise.all([handler(aDelivery()), handler(aDelivery({})), handler(aDelivery('text'))])

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it.each([
    ['another secret', () => aDelivery(aStatusEvent(), foreignSecret), { reason: 'no-match' }],
    ['no signature', () => new Request(url, { method: 'POST', body: '{}' }), { reason: 'missing-signature' }],
    ['no body', () => new Request(url, { method: 'POST', headers: signed('{}') }), { reason: 'no-match' }],
    [
      'an empty signed body',
      () => new Request(url, { method: 'POST', headers: signed('') }),
      { code: 'ERR_WEBHOOK_PAYLOAD' },
    ],
    [
      'a signed body that is not JSON',
      () => new Request(url, { method: 'POST', headers: signed('canary'), body: 'canary' }),
      { code: 'ERR_WEBHOOK_PAYLOAD', payload: 'canary' },
    ],
    [
      'a duplicate signature header',
      () => new Request(url, { method: 'POST', body: '{}', headers: [...Array(2).fill(['X-Signature-Primary', 'a'])] }),
      { reason: 'malformed-signature' },
    ],
  ])('responds 400 to a webhook with %s, and passes the reason only to onError', async (_, request, error) => {
    const { handler, onStatus, onError } = aHandler()

    const response = await handler(request())

    expect([response.status, await response.text()]).toEqual([400, 'Invalid webhook'])
    expect(onError.mock.calls).toEqual([[expect.objectContaining(error), undefined]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('W12 responds 500 to a signed event that violates its schema', async () => {
    const { handler, onStatus, onError } = aHandler()

    const response = await handler(aDelivery({ eventType: 'PAYMENT.STATUS', payment: { id: 7 } }))

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({
        name: 'WebhookPayloadError',
        code: 'ERR_WEBHOOK_PAYLOAD',
        message: expect.stringContaining('payment.id must be a string'),
      }),
      undefined,
    )
    expect(onStatus).not.toHaveBeenCalled()
  })

  it.each([
    ['throws', () => aThrown(new Error('canary'))],
    ['rejects', () => Promise.reject(new Error('canary'))],
  ])('responds 500 and calls onError if the function %s', async (_, fail) => {
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': fail }, onUnrecognized: fail })

    const responses = [await handler(aDelivery()), await handler(aDelivery({}))]

    for (const response of responses) {
      expect([response.status, await response.text()]).toEqual([500, 'The webhook was not handled'])
    }
    expect(onError.mock.calls).toEqual([
      [new Error('canary'), aStatusEvent()],
      [new Error('canary'), { eventType: '', payload: {} }],
    ])
  })

  it('responds 500 if the function throws a verification error', async () => {
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': () => verify('{}', {}, foreignSecret) } })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'missing-signature' }), aStatusEvent())
  })

  it.each([
    ['throws', () => aThrown(new Error('log is down'))],
    ['rejects', () => Promise.reject(new Error('log is down'))],
  ])('responds 400 even if onError %s', async (_, onError) => {
    const { handler } = aHandler({ onError })

    const response = await handler(aDelivery(aStatusEvent(), foreignSecret))

    expect(response.status).toBe(400)
  })

  it('responds only after onError has finished', async () => {
    const logged = later()
    const onError = vi.fn(() => logged.promise)
    const { handler } = aHandler({ onError })
    const steps: string[] = []

    const responding = handler(aDelivery({}, foreignSecret)).then(() => steps.push('responded'))
    await vi.waitUntil(() => onError.mock.calls.length === 1, 10_000)
    await new Promise(setImmediate)
    steps.push('logged')
    logged.resolve()
    await responding

    expect(steps).toEqual(['logged', 'responded'])
  })

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'responds 405 to %s, and passes the error to onError',
    async (method) => {
      const { handler, onError } = aHandler()

      const response = await handler(new Request(url, { method }))

      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(await response.text()).toBe('Webhooks are POST requests')
      expect(onError.mock.calls).toEqual([
        [expect.objectContaining({ message: `Webhooks are POST requests, but this one is ${method}` }), undefined],
      ])
    },
  )

  it('publishes the error for a 405 on the diagnostics channel', async () => {
    const published: { delivery?: string; error?: unknown }[] = []
    const listen = (trace: unknown) => void published.push(trace as (typeof published)[number])
    const { asyncEnd } = tracingChannel('payments-client:webhook')
    asyncEnd.subscribe(listen)
    onTestFinished(() => void asyncEnd.unsubscribe(listen))
    const { handler, onError } = aHandler()

    await handler(new Request(url))

    expect(published).toEqual([{ delivery: 'rejected', error: onError.mock.calls[0]?.[0], result: expect.anything() }])
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

  it('throws an error that explains that a Hono context is not a Request', async () => {
    const { handler, onError } = aHandler()

    const response = await handler({ req: { raw: aDelivery() } } as unknown as Request)

    expect(response.status).toBe(405)
    expect(onError.mock.calls).toEqual([
      [expect.objectContaining({ message: expect.stringContaining('(c) => handler(c.req.raw)') }), undefined],
    ])
  })

  it('responds 500 if it is called without an argument', async () => {
    const { handler, onError } = aHandler()

    const response = await handler(undefined as unknown as Request)

    expect(response.status).toBe(500)
    expect(onError.mock.calls).toEqual([[expect.any(TypeError), undefined]])
  })

  it('W07 accepts a signature made with any configured secret', async () => {
    const { handler } = aHandler({ secret: [currentSecret, previousSecret] })

    const responses = await Promise.all([
      handler(aDelivery(aStatusEvent(), currentSecret)),
      handler(aDelivery(aRefundEvent(), previousSecret)),
      handler(aDelivery(aDisputeEvent(), foreignSecret)),
    ])

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
  })

  it('calls the secret function for each request', async () => {
    const secret = vi.fn().mockReturnValueOnce(currentSecret).mockResolvedValueOnce([foreignSecret, previousSecret])
    const { handler } = aHandler({ secret })

    const responses = [await handler(aDelivery()), await handler(aDelivery(aRefundEvent(), previousSecret))]

    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(secret).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['throws', () => aThrown(new Error('vault is down')), 'vault is down'],
    ['rejects', () => Promise.reject(new Error('vault is down')), 'vault is down'],
    ['returns no secret', () => undefined as unknown as string, 'The signing secret is undefined'],
  ])('responds 500 if a secret function %s', async (_, secret, message) => {
    const { handler, onError } = aHandler({ secret })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining(message) }),
      undefined,
    )
  })

  it('rejects old events with the options tolerance and now', async () => {
    const { handler, onError } = aHandler({ tolerance: 60, now: new Date('2026-01-31T13:00:00Z') })

    const response = await handler(aDelivery())

    expect(response.status).toBe(400)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'too-old' }), undefined)
  })

  it.each([
    ['was read', (request: Request) => request.json()],
    ['is being read', (request: Request) => request.body?.getReader()],
  ])('W09 rejects a request whose body %s', async (_, read) => {
    const { handler, onError } = aHandler()
    const request = aDelivery()
    await read(request)

    const response = await handler(request)

    expect(response.status).toBe(400)
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({
        reason: 'body-not-raw',
        message: expect.stringMatching(/^The body was read before.*mount the handler before any body parser/),
      }),
      undefined,
    )
  })

  it('responds 500 if the connection breaks during the body', async () => {
    const { handler, onError } = aHandler()
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('connection reset')) })
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: signed(''), body, duplex: 'half' }

    const response = await handler(new Request(url, init))

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(new Error('connection reset'), undefined)
  })

  it('S05 throws if Object.prototype is polluted, and so does verify', () => {
    Object.assign(Object.prototype, { polluted: true })

    expect(() => verify('{}', signed('{}'), currentSecret)).toThrow(ConfigurationError)
    expect(() => createHandler({ secret: currentSecret })).toThrow(/Object\.prototype has enumerable .*polluted/)
  })

  it('S05 responds 500 if Object.prototype is polluted after the handler was created', async () => {
    const { handler, onStatus, onError } = aHandler()
    const request = aDelivery()
    Object.assign(Object.prototype, { polluted: true })

    const response = await handler(request)

    expect(response.status).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith(expect.any(ConfigurationError), undefined)
  })
})

describe('an array returned by an event function', () => {
  it.each([true, false])(
    'N38 delays the response until all of its elements settle (deduplicate: %s)',
    async (deduplicate) => {
      const steps: string[] = []
      const slow = async () => {
        await new Promise(setImmediate)
        steps.push('saved')
      }
      const { handler } = aHandler({
        deduplicate,
        on: { 'PAYMENT.STATUS': () => [slow(), slow()] },
        onUnrecognized: () => [slow()],
      })

      await handler(aDelivery())
      await handler(aDelivery({}))

      expect(steps).toEqual(['saved', 'saved', 'saved'])
    },
  )

  it('N38 causes a 500 response if one of its elements rejects', async () => {
    const error = new Error('not saved')
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': () => [1, Promise.reject(error)] } })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError.mock.calls).toEqual([[error, aStatusEvent()]])
  })
})

describe('a query returned by an event function', () => {
  // Like the query builders of Kysely and TypeORM.
  const query = { execute: async () => [] }

  it.each<[string, () => unknown]>([
    ['the query', () => query],
    ['an array with the query', () => [1, query]],
    ['a promise of an array with the query', async () => [query]],
  ])('causes a 500 response if it has not run (%s)', async (_, onStatus) => {
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    const message = 'The function returned a query that has not run: call the query’s method execute()'
    expect(onError.mock.calls).toEqual([[new ConfigurationError(message), aStatusEvent()]])
  })
})

describe('the context argument of an event function', () => {
  it('has a deduplication key and a signal that is not aborted', async () => {
    const { handler, onStatus } = aHandler()

    await handler(aDelivery())
    const [, context] = onStatus.mock.calls[0] as [unknown, WebhookContext]

    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(JSON.stringify(aStatusEvent())))
    expect(context).toMatchObject({ key: Buffer.from(digest).toString('hex'), stale: false, transaction: undefined })
    expect(context.signal.aborted).toBe(false)
  })

  it.each([true, false])('has a signal that aborts if the request aborts (deduplicate: %s)', async (deduplicate) => {
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

  it('W15 accepts a body of exactly maxBytes in any number of chunks', async () => {
    const bytes = Buffer.from(JSON.stringify(aStatusEvent({ orderId: 'Übergröße' })))
    const { request, read } = inParts([...bytes].map((byte) => Uint8Array.of(byte)))
    const { handler, onStatus } = aHandler({ maxBytes: bytes.length })

    const response = await handler(request)

    expect(response.status).toBe(200)
    expect(onStatus).toHaveBeenCalledWith(aStatusEvent({ orderId: 'Übergröße' }), anyContext)
    expect(read.cancelled).toBe(false)
  })

  it.each([undefined, () => Promise.reject(new Error('cannot stop'))])(
    'W15 stops reading as soon as a body exceeds maxBytes',
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
    ['missing options', undefined, 'The signing secret is undefined'],
    ['a missing secret', {}, 'The signing secret is undefined'],
    [
      'an unknown option',
      { secret: currentSecret, deduplication: false },
      'deduplication is not an option: did you mean "deduplicate"?',
    ],
    [
      'an unknown event',
      { secret: currentSecret, on: { 'PAYMENT.REFUNDS': () => {} } },
      'on.PAYMENT.REFUNDS is not an event: did you mean "PAYMENT.REFUND"?',
    ],
    [
      'an event without a function',
      { secret: currentSecret, on: { 'PAYMENT.REFUND': 'refund' } },
      'on.PAYMENT.REFUND must be a function',
    ],
    ['null as the events', { secret: currentSecret, on: null }, 'on must be an object of events'],
    ['an invalid onUnrecognized', { secret: currentSecret, onUnrecognized: true }, 'onUnrecognized must be a function'],
    ['an invalid onError', { secret: currentSecret, onError: console }, 'onError must be a function'],
    ['an invalid hash', { secret: currentSecret, hash: 'md5' }, 'hash must be'],
    ['an invalid claimTtl', { secret: currentSecret, claimTtl: 0 }, 'claimTtl must be a number of milliseconds'],
    ['an invalid serialize', { secret: currentSecret, serialize: 'yes' }, 'serialize must be true or false'],
    [
      'an invalid serializeWait',
      { secret: currentSecret, serializeWait: -1 },
      'serializeWait must be an integer of at least 0',
    ],
    [
      'an incomplete store',
      { secret: currentSecret, deduplicate: { claim: () => 'new', complete: () => {} } },
      'deduplicate must be true, false or a store with the methods claim, complete, release',
    ],
    ['null as the store', { secret: currentSecret, deduplicate: null }, 'deduplicate must be true, false or a store'],
  ])('rejects %s', (_, options, message) => {
    const create = () => createHandler(options as unknown as HandlerOptions)

    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(message)
  })

  it('ignores options with the value undefined', async () => {
    const handler = createHandler({
      secret: currentSecret,
      on: { 'PAYMENT.STATUS': undefined },
      onUnrecognized: undefined,
      onError: undefined,
      deduplicate: undefined,
      hash: undefined,
      maxBytes: undefined,
    })

    const responses = [
      await handler(aDelivery()),
      await handler(aDelivery({})),
      await handler(aDelivery({}, foreignSecret)),
    ]

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
  })
})

function aThrown(error: Error): never {
  throw error
}
