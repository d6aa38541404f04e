import { describe, expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  createHandler,
  createMemoryStore,
  type DeduplicationStore,
  deduplicationKey,
  type HandlerOptions,
  verify,
} from '../../src/webhooks/index.js'
import {
  aDisputeEvent,
  aRefundEvent,
  aStatusEvent,
  currentSecret,
  foreignSecret,
  previousSecret,
  signed,
} from './fixtures.js'

const url = 'https://merchant.example/webhooks'

function aDelivery(payload: unknown = aStatusEvent(), secret = currentSecret): Request {
  const body = JSON.stringify(payload)
  return new Request(url, { method: 'POST', headers: signed(body, secret), body })
}

/** A handler with functions that count, and what they were told. */
function aHandler(options: Partial<HandlerOptions> = {}) {
  const onStatus = vi.fn()
  const onUnrecognized = vi.fn()
  const onError = vi.fn()
  const handler = createHandler({
    secret: currentSecret,
    on: { 'PAYMENT.STATUS': onStatus },
    onUnrecognized,
    onError,
    ...options,
  })
  return { handler, onStatus, onUnrecognized, onError }
}

/** A promise, and how to keep it. */
function later() {
  let resolve = () => {}
  const promise = new Promise<void>((keep) => {
    resolve = keep
  })
  return { promise, resolve }
}

/** A store that notes what it was asked, and answers as told. */
function aStore(answers: Partial<DeduplicationStore> = {}) {
  const memory = createMemoryStore()
  return {
    claim: vi.fn(answers.claim ?? memory.claim),
    complete: vi.fn(answers.complete ?? memory.complete),
    release: vi.fn(answers.release ?? memory.release),
  }
}

describe('webhooks.createHandler', () => {
  it('calls the function of the event, and answers 200 without a body', async () => {
    const { handler, onStatus, onUnrecognized, onError } = aHandler()

    const response = await handler(aDelivery())

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(onStatus.mock.calls).toEqual([[aStatusEvent()]])
    expect(onUnrecognized).not.toHaveBeenCalled()
    expect(onError).not.toHaveBeenCalled()
  })

  it('calls for each event its own function', async () => {
    const [onRefund, onDispute] = [vi.fn(), vi.fn()]
    const { handler, onStatus } = aHandler({ on: { 'PAYMENT.REFUND': onRefund, 'DISPUTE.STATUS': onDispute } })

    const responses = await Promise.all(
      [aStatusEvent(), aRefundEvent(), aDisputeEvent()].map((e) => handler(aDelivery(e))),
    )

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(onRefund.mock.calls).toEqual([[aRefundEvent()]])
    expect(onDispute.mock.calls).toEqual([[aDisputeEvent()]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('answers 200 only when the function has finished', async () => {
    const work = later()
    const onStatus = vi.fn(() => work.promise)
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })
    const steps: string[] = []

    const answering = handler(aDelivery()).then(({ status }) => steps.push(`answered ${status}`))
    await vi.waitUntil(() => onStatus.mock.calls.length === 1)
    await new Promise(setImmediate)
    steps.push('finished')
    work.resolve()
    await answering

    expect(steps).toEqual(['finished', 'answered 200'])
  })

  it('hands over what it does not recognize', async () => {
    const { handler, onStatus, onUnrecognized } = aHandler()

    const response = await handler(aDelivery({ message: 'This is a test' }))

    expect(response.status).toBe(200)
    expect(onUnrecognized.mock.calls).toEqual([[{ eventType: '', payload: { message: 'This is a test' } }]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('waits for the function of what it does not recognize', async () => {
    const { handler, onError } = aHandler({ onUnrecognized: () => Promise.reject(new Error('not today')) })

    const response = await handler(aDelivery({}))

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(new Error('not today'), { eventType: '', payload: {} })
  })

  it('answers 200 to everything genuine when there are no functions', async () => {
    const handler = createHandler({ secret: currentSecret })

    const responses = await Promise.all([handler(aDelivery()), handler(aDelivery({})), handler(aDelivery('text'))])

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it.each([
    ['another secret', () => aDelivery(aStatusEvent(), foreignSecret), 'no-match', /^No signature agrees/],
    ['no signature', () => new Request(url, { method: 'POST', body: '{}' }), 'missing-signature', /^There is neither/],
    ['no body', () => new Request(url, { method: 'POST', headers: signed('{}') }), 'no-match', /^No signature agrees/],
    [
      'a signature that came twice',
      () =>
        new Request(url, {
          method: 'POST',
          body: '{}',
          headers: [
            ['X-Signature-Primary', 'a'],
            ['X-Signature-Primary', 'b'],
          ],
        }),
      'malformed-signature',
      /^X-Signature-Primary must hold/,
    ],
  ])('answers 400 to %s, and tells why', async (_, request, reason, says) => {
    const { handler, onStatus, onError } = aHandler()

    const response = await handler(request())

    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toMatch(says)
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ reason }), undefined]])
    expect(onStatus).not.toHaveBeenCalled()
  })

  it('verifies a body that is empty', async () => {
    const { handler, onError } = aHandler()

    const response = await handler(new Request(url, { method: 'POST', headers: signed('') }))

    expect(response.status).toBe(400)
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: 'ERR_WEBHOOK_PAYLOAD' }), undefined]])
  })

  it('answers 400 to a signed body that is not JSON, without repeating it', async () => {
    const { handler, onError } = aHandler()
    const body = 'canary'

    const response = await handler(new Request(url, { method: 'POST', headers: signed(body), body }))

    expect(response.status).toBe(400)
    expect(await response.text()).toBe('The body is properly signed, but is not JSON\n')
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'ERR_WEBHOOK_PAYLOAD', payload: body }),
      undefined,
    )
  })

  it('W12 answers 500 to a signed event that breaks its schema, so that it comes again', async () => {
    const { handler, onStatus, onError } = aHandler()

    const response = await handler(aDelivery({ eventType: 'PAYMENT.STATUS', payment: { id: 7 } }))

    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(
      /^The PAYMENT.STATUS event does not fit its schema \(payment\.id is not what the schema says/,
    )
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'ERR_WEBHOOK_PAYLOAD' }), undefined)
    expect(onStatus).not.toHaveBeenCalled()
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('canary')
      },
    ],
    ['rejects', () => Promise.reject(new Error('canary'))],
  ])('answers 500 when the function %s, tells it, and says nothing of it to the sender', async (_, onStatus) => {
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(await response.text()).toBe('The event could not be handled\n')
    expect(onError.mock.calls).toEqual([[new Error('canary'), aStatusEvent()]])
  })

  it('answers 500 when the function throws an error of verification: the delivery itself was good', async () => {
    const onStatus = () => verify('{}', {}, foreignSecret)
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'missing-signature' }), aStatusEvent())
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('log is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('log is down'))],
  ])('answers the same when onError %s', async (_, onError) => {
    const { handler } = aHandler({ onError })

    const response = await handler(aDelivery(aStatusEvent(), foreignSecret))

    expect(response.status).toBe(400)
  })

  it('waits for onError', async () => {
    const logged = later()
    const onError = vi.fn(() => logged.promise)
    const { handler } = aHandler({ onError })
    const steps: string[] = []

    const answering = handler(aDelivery({}, foreignSecret)).then(() => steps.push('answered'))
    await vi.waitUntil(() => onError.mock.calls.length === 1)
    await new Promise(setImmediate)
    steps.push('logged')
    logged.resolve()
    await answering

    expect(steps).toEqual(['logged', 'answered'])
  })

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const { handler, onError } = aHandler()

    const response = await handler(new Request(url, { method }))

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(await response.text()).toBe('A webhook is a POST\n')
    expect(onError).not.toHaveBeenCalled()
  })

  it('W07 takes several secrets', async () => {
    const { handler } = aHandler({ secret: [currentSecret, previousSecret] })

    const responses = await Promise.all([
      handler(aDelivery(aStatusEvent(), currentSecret)),
      handler(aDelivery(aRefundEvent(), previousSecret)),
      handler(aDelivery(aDisputeEvent(), foreignSecret)),
    ])

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
  })

  it('takes the options of verify', async () => {
    const { handler, onError } = aHandler({ tolerance: 60, now: new Date('2026-01-31T13:00:00Z') })

    const response = await handler(aDelivery())

    expect(response.status).toBe(400)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'too-old' }), undefined)
  })

  it('W09 says so when somebody has read the body before', async () => {
    const { handler, onError } = aHandler()
    const request = aDelivery()
    await request.json()

    const response = await handler(request)

    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/^The body was read before.*mount the handler before any body parser/)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'body-not-raw' }), undefined)
  })

  it('W09 says so when somebody is reading the body', async () => {
    const { handler, onError } = aHandler()
    const request = aDelivery()
    request.body?.getReader()

    const response = await handler(request)

    expect(response.status).toBe(400)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'body-not-raw' }), undefined)
  })

  it('answers 500 when the body breaks off', async () => {
    const { handler, onError } = aHandler()
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('connection reset')) })
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: signed(''), body, duplex: 'half' }

    const response = await handler(new Request(url, init))

    expect(response.status).toBe(500)
    expect(await response.text()).toBe('The webhook could not be read\n')
    expect(onError).toHaveBeenCalledWith(new Error('connection reset'), undefined)
  })
})

describe('webhooks.createHandler, size', () => {
  /** A body in parts, and how many of them were asked for. */
  function inParts(parts: Uint8Array[], cancel?: () => Promise<void>) {
    const seen = { parts: 0, cancelled: false }
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = parts[seen.parts++]
          if (part) controller.enqueue(part)
          else controller.close()
        },
        cancel() {
          seen.cancelled = true
          return cancel?.()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = signed(Buffer.concat(parts))
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
    return { request: new Request(url, init), seen }
  }

  it('puts a body together that comes in parts', async () => {
    const bytes = Buffer.from(JSON.stringify(aStatusEvent({ orderId: 'Übergröße' })))
    const { request } = inParts([...bytes].map((byte) => Uint8Array.of(byte)))
    const { handler, onStatus } = aHandler()

    const response = await handler(request)

    expect(response.status).toBe(200)
    expect(onStatus).toHaveBeenCalledWith(aStatusEvent({ orderId: 'Übergröße' }))
  })

  it('W15 stops reading as soon as a body is too large', async () => {
    const { request, seen } = inParts(Array(10).fill(Buffer.alloc(30)))
    const { handler, onError } = aHandler({ maxBytes: 60 })

    const response = await handler(request)

    expect(response.status).toBe(400)
    expect(await response.text()).toBe('The body has more than 60 bytes (option maxBytes)\n')
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'too-large' }), undefined)
    expect(seen).toEqual({ parts: 3, cancelled: true })
  })

  it('W15 reads a body that is just as large as allowed', async () => {
    const body = JSON.stringify(aStatusEvent())
    const { request, seen } = inParts([Buffer.from(body)])
    const { handler } = aHandler({ maxBytes: body.length })

    const response = await handler(request)

    expect(response.status).toBe(200)
    expect(seen.cancelled).toBe(false)
  })

  it('W15 answers the same when the sender cannot be stopped', async () => {
    const { request } = inParts([Buffer.alloc(61)], () => Promise.reject(new Error('cannot stop')))
    const { handler } = aHandler({ maxBytes: 60 })

    const response = await handler(request)

    expect(response.status).toBe(400)
  })
})

describe('webhooks.createHandler, deduplication', () => {
  it('W13 handles a body once, however often it comes', async () => {
    const { handler, onStatus } = aHandler()
    await handler(aDelivery())

    const again = await Promise.all([handler(aDelivery()), handler(aDelivery())])

    expect(again.map(({ status }) => status)).toEqual([200, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('W13 tells bodies apart by their bytes, not by their values', async () => {
    const { handler, onStatus } = aHandler()
    const spaced = JSON.stringify(aStatusEvent(), null, 1)
    await handler(aDelivery())

    await handler(new Request(url, { method: 'POST', headers: signed(spaced), body: spaced }))

    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('W13 handles a body once, whichever secret signed it', async () => {
    const { handler, onStatus } = aHandler({ secret: [currentSecret, previousSecret] })
    await handler(aDelivery(aStatusEvent(), previousSecret))

    const response = await handler(aDelivery(aStatusEvent(), currentSecret))

    expect(response.status).toBe(200)
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('W13 sends away a delivery that is being handled, so that it comes again', async () => {
    const work = later()
    const onStatus = vi.fn(() => work.promise)
    const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })
    const first = handler(aDelivery())
    await vi.waitUntil(() => onStatus.mock.calls.length === 1)

    const second = await handler(aDelivery())
    work.resolve()
    const third = await first.then(() => handler(aDelivery()))

    expect([second.status, (await first).status, third.status]).toEqual([409, 200, 200])
    expect(await second.text()).toBe('This delivery is being handled right now\n')
    expect(onStatus).toHaveBeenCalledTimes(1)
    expect(onError).not.toHaveBeenCalled()
  })

  it('W13 handles a body once when it comes fifty times at once', async () => {
    const { handler, onStatus } = aHandler()

    const responses = await Promise.all(Array.from({ length: 50 }, () => handler(aDelivery())))

    expect(onStatus).toHaveBeenCalledTimes(1)
    expect(responses.filter(({ status }) => status === 200 || status === 409)).toHaveLength(50)
  })

  it('W13 handles a body again when the function failed', async () => {
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('database is down'))
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    const responses = [await handler(aDelivery()), await handler(aDelivery()), await handler(aDelivery())]

    expect(responses.map(({ status }) => status)).toEqual([500, 200, 200])
    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('W13 remembers unrecognized events as well', async () => {
    const { handler, onUnrecognized } = aHandler()
    await handler(aDelivery({ message: 'test' }))

    await handler(aDelivery({ message: 'test' }))

    expect(onUnrecognized).toHaveBeenCalledTimes(1)
  })

  it('handles a body each time when told not to deduplicate', async () => {
    const { handler, onStatus } = aHandler({ deduplicate: false })

    const responses = [await handler(aDelivery()), await handler(aDelivery())]

    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('answers 500 when the function fails and nothing is deduplicated', async () => {
    const { handler, onError } = aHandler({
      deduplicate: false,
      on: { 'PAYMENT.STATUS': () => Promise.reject(new Error('no')) },
    })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('asks a store: claim for a minute, then complete', async () => {
    const store = aStore()
    const { handler } = aHandler({ deduplicate: store })
    const key = await deduplicationKey(JSON.stringify(aStatusEvent()))

    await handler(aDelivery())

    expect(store.claim.mock.calls).toEqual([[key, 60_000]])
    expect(store.complete.mock.calls).toEqual([[key]])
    expect(store.release).not.toHaveBeenCalled()
  })

  it('asks a store: claim, then release when the function failed', async () => {
    const store = aStore()
    const { handler } = aHandler({
      deduplicate: store,
      on: { 'PAYMENT.STATUS': () => Promise.reject(new Error('no')) },
    })

    await handler(aDelivery())

    expect(store.release.mock.calls).toEqual([[store.claim.mock.calls[0]?.[0]]])
    expect(store.complete).not.toHaveBeenCalled()
  })

  it('takes a store whose functions are methods and return promises', async () => {
    class SharedStore implements DeduplicationStore {
      #memory = createMemoryStore()
      async claim(key: string, ttlMs: number) {
        return this.#memory.claim(key, ttlMs)
      }
      async complete(key: string) {
        await this.#memory.complete(key)
      }
      async release(key: string) {
        await this.#memory.release(key)
      }
    }
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('no'))
    const { handler } = aHandler({ deduplicate: new SharedStore(), on: { 'PAYMENT.STATUS': onStatus } })

    const responses = [await handler(aDelivery()), await handler(aDelivery()), await handler(aDelivery())]

    expect(responses.map(({ status }) => status)).toEqual([500, 200, 200])
    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['complete', () => {}],
    ['release', () => Promise.reject(new Error('no'))],
  ] as const)('answers when the store has finished to %s', async (step, onStatus) => {
    const noted = later()
    const store = aStore({ [step]: () => noted.promise })
    const { handler } = aHandler({ deduplicate: store, on: { 'PAYMENT.STATUS': onStatus } })
    const steps: string[] = []

    const answering = handler(aDelivery()).then(() => steps.push('answered'))
    await vi.waitUntil(() => store[step].mock.calls.length === 1)
    await new Promise(setImmediate)
    steps.push('noted')
    noted.resolve()
    await answering

    expect(steps).toEqual(['noted', 'answered'])
  })

  it('answers when onError has heard of a store that fails', async () => {
    const logged = later()
    const onError = vi.fn(() => logged.promise)
    const { handler } = aHandler({ onError, deduplicate: aStore({ complete: () => Promise.reject(new Error('no')) }) })
    const steps: string[] = []

    const answering = handler(aDelivery()).then(() => steps.push('answered'))
    await vi.waitUntil(() => onError.mock.calls.length === 1)
    await new Promise(setImmediate)
    steps.push('logged')
    logged.resolve()
    await answering

    expect(steps).toEqual(['logged', 'answered'])
  })

  it('claims nothing for a delivery that is refused', async () => {
    const store = aStore()
    const { handler } = aHandler({ deduplicate: store })

    await handler(aDelivery(aStatusEvent(), foreignSecret))

    expect(store.claim).not.toHaveBeenCalled()
  })

  it('answers 500 when the store cannot claim, and handles nothing', async () => {
    const { handler, onStatus, onError } = aHandler({
      deduplicate: aStore({ claim: () => Promise.reject(new Error('store is down')) }),
    })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith(new Error('store is down'), aStatusEvent())
  })

  it('answers 500 when the store says what it should not', async () => {
    const { handler, onStatus, onError } = aHandler({ deduplicate: aStore({ claim: () => undefined as never }) })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ message: "claim must say 'new', 'busy' or 'done'" }),
      aStatusEvent(),
    )
  })

  it('answers 200 when the event is handled and the store cannot note it, and tells that', async () => {
    const { handler, onError } = aHandler({
      deduplicate: aStore({ complete: () => Promise.reject(new Error('store is down')) }),
    })

    const response = await handler(aDelivery())

    expect(response.status).toBe(200)
    expect(onError.mock.calls).toEqual([[new Error('store is down'), aStatusEvent()]])
  })

  it('tells both when the function fails and the store cannot release', async () => {
    const { handler, onError } = aHandler({
      deduplicate: aStore({
        release: () => {
          throw new Error('store is down')
        },
      }),
      on: { 'PAYMENT.STATUS': () => Promise.reject(new Error('no')) },
    })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError.mock.calls).toEqual([
      [new Error('store is down'), aStatusEvent()],
      [new Error('no'), aStatusEvent()],
    ])
  })
})

describe('webhooks.createHandler, options', () => {
  it.each([
    ['no options', undefined, 'The options must be an object'],
    ['no secret', {}, 'The signing secret is undefined'],
    [
      'an unknown option',
      { secret: currentSecret, deduplication: false },
      'Unknown option "deduplication". Did you mean "deduplicate"?',
    ],
    [
      'an unknown event',
      { secret: currentSecret, on: { 'PAYMENT.REFUNDS': () => {} } },
      'Unknown event "PAYMENT.REFUNDS". Did you mean "PAYMENT.REFUND"?',
    ],
    [
      'no function for an event',
      { secret: currentSecret, on: { 'PAYMENT.REFUND': 'refund' } },
      'PAYMENT.REFUND must be a function',
    ],
    ['a list of functions', { secret: currentSecret, on: null }, 'The events must be an object'],
    ['another onUnrecognized', { secret: currentSecret, onUnrecognized: true }, 'onUnrecognized must be a function'],
    ['another onError', { secret: currentSecret, onError: console }, 'onError must be a function'],
    ['another hash', { secret: currentSecret, hash: 'md5' }, 'Option hash must be'],
    [
      'half a store',
      { secret: currentSecret, deduplicate: { claim: () => 'new', complete: () => {} } },
      'deduplicate must be a boolean, or a store',
    ],
    ['null as store', { secret: currentSecret, deduplicate: null }, 'deduplicate must be a boolean, or a store'],
  ])('refuses %s when it is made', (_, options, says) => {
    const make = () => createHandler(options as unknown as HandlerOptions)

    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(says)
  })

  it('ignores options that are undefined', async () => {
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
