import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  ClaimLostError,
  createMemoryStore,
  deduplicationKey,
  type HandlerOptions,
  type WebhookContext,
  type WebhookStore,
} from '../../src/webhooks/index.js'
import {
  aDelivery,
  aDisputeEvent,
  aHandler,
  aStatusEvent,
  aStore,
  currentSecret,
  foreignSecret,
  later,
  previousSecret,
  signed,
  url,
} from './fixtures.js'

const statusesOf = (responses: Response[]) => responses.map(({ status }) => status)
const fails = (message: string) => () => Promise.reject(new Error(message))
const updatedAt = (dateUpdated: string, payment: object = {}) => aStatusEvent({ dateUpdated, ...payment })

/** Creates a handler whose function waits for `work`. Delivers an event, and waits until the function runs. */
async function aSlowHandler(options: Partial<HandlerOptions>) {
  const work = later()
  const onStatus = vi.fn(async (_: unknown, context: WebhookContext) => {
    await work.promise
    return context
  })
  const { handler, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus }, ...options })
  const response = handler(aDelivery())
  await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
  const [, context] = onStatus.mock.calls[0] as [unknown, WebhookContext]
  return { handler, onError, onStatus, response, context, work }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('createHandler with deduplication', () => {
  it('W13 calls the event function once for identical bodies', async () => {
    const { handler, onStatus } = aHandler()
    await handler(aDelivery())

    const responses = await Promise.all([handler(aDelivery()), handler(aDelivery())])

    expect(statusesOf(responses)).toEqual([200, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('W13 distinguishes bodies with equal JSON but different bytes', async () => {
    const { handler, onStatus } = aHandler()
    const spaced = JSON.stringify(aStatusEvent(), null, 1)
    await handler(aDelivery())

    await handler(new Request(url, { method: 'POST', headers: signed(spaced), body: spaced }))

    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('W13 calls the event function once for a body signed with different secrets', async () => {
    const { handler, onStatus } = aHandler({ secret: [currentSecret, previousSecret] })
    await handler(aDelivery(aStatusEvent(), previousSecret))

    const response = await handler(aDelivery(aStatusEvent(), currentSecret))

    expect(response.status).toBe(200)
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('W13 responds 409 while the same body is being handled', async () => {
    const { handler, onError, onStatus, response, work } = await aSlowHandler({})

    const during = await handler(aDelivery())
    work.resolve()
    const after = await response.then(() => handler(aDelivery()))

    expect([during.status, (await response).status, after.status]).toEqual([409, 200, 200])
    expect(await during.text()).toBe('This delivery or payment is being handled')
    expect(onStatus).toHaveBeenCalledTimes(1)
    expect(onError).not.toHaveBeenCalled()
  })

  it('W13 handles a body again after its event function failed', async () => {
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('database is down'))
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    const responses = [await handler(aDelivery()), await handler(aDelivery()), await handler(aDelivery())]

    expect(statusesOf(responses)).toEqual([500, 200, 200])
    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('W13 calls onUnrecognized once for identical bodies', async () => {
    const { handler, onUnrecognized } = aHandler()
    await handler(aDelivery({ message: 'test' }))

    await handler(aDelivery({ message: 'test' }))

    expect(onUnrecognized).toHaveBeenCalledTimes(1)
  })

  it('handles identical bodies again with deduplicate: false', async () => {
    const { handler, onStatus } = aHandler({ deduplicate: false })

    const responses = [await handler(aDelivery()), await handler(aDelivery())]

    expect(statusesOf(responses)).toEqual([200, 200])
    expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, false])
  })

  it('does not claim a delivery if its signature is invalid', async () => {
    const store = aStore()
    const { handler } = aHandler({ deduplicate: store })

    await handler(aDelivery(aStatusEvent(), foreignSecret))

    expect(store.claim).not.toHaveBeenCalled()
  })
})

describe('a webhook store', () => {
  it('receives the same owner argument in every call for a delivery', async () => {
    const store = aStore()
    const { handler } = aHandler({ deduplicate: store, claimTtl: 7_000 })
    const event = updatedAt('2026-01-31T12:00:00')
    const key = await deduplicationKey(JSON.stringify(event))

    await handler(aDelivery(event))

    const owner = store.claim.mock.calls[0]?.[2]
    expect(owner).toMatch(/^.{16,}$/)
    expect(store.claim.mock.calls).toEqual([
      [key, 7_000, owner],
      ['resource:payment:pay_1', 7_000, owner],
    ])
    expect(store.newest.mock.calls).toEqual([['payment:pay_1']])
    expect(store.advance.mock.calls).toEqual([['payment:pay_1', Date.parse('2026-01-31T12:00:00Z')]])
    expect(store.complete.mock.calls).toEqual([[key, owner]])
    expect(store.release.mock.calls).toEqual([['resource:payment:pay_1', owner]])
  })

  it('receives a different owner argument for each delivery', async () => {
    const store = aStore()
    const { handler } = aHandler({ deduplicate: store })

    await handler(aDelivery())
    await handler(aDelivery(aDisputeEvent()))

    expect(new Set(store.claim.mock.calls.map(([, , owner]) => owner)).size).toBe(2)
  })

  it('releases the claims and records no event time if the event function fails', async () => {
    const store = aStore()
    const { handler } = aHandler({ deduplicate: store, on: { 'PAYMENT.STATUS': fails('no') } })

    await handler(aDelivery())

    expect(store.release.mock.calls.map(([key]) => key)).toEqual(store.claim.mock.calls.map(([key]) => key))
    expect(store.complete).not.toHaveBeenCalled()
    expect(store.advance).not.toHaveBeenCalled()
  })

  it('needs only the methods claim, complete and release, which may be async', async () => {
    class SharedStore implements WebhookStore {
      #memory = createMemoryStore()
      async claim(key: string, ttlMs: number, owner: string) {
        return this.#memory.claim(key, ttlMs, owner)
      }
      async complete(key: string, owner: string) {
        await this.#memory.complete(key, owner)
      }
      async release(key: string, owner: string) {
        await this.#memory.release(key, owner)
      }
    }
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('no'))
    const { handler } = aHandler({ deduplicate: new SharedStore(), on: { 'PAYMENT.STATUS': onStatus } })

    const responses = [await handler(aDelivery()), await handler(aDelivery()), await handler(aDelivery())]

    expect(statusesOf(responses)).toEqual([500, 200, 200])
    expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, false])
  })

  it('does not need the method newest', async () => {
    const { newest, ...store } = aStore()
    const { handler } = aHandler({ deduplicate: store })

    expect((await handler(aDelivery())).status).toBe(200)
    expect(newest).not.toHaveBeenCalled()
  })

  it('may be a function with the store’s methods as properties', async () => {
    const store = Object.assign(() => {}, { claim: () => 'done' as const, complete: () => true, release: () => {} })
    const { handler, onStatus } = aHandler({ deduplicate: store })

    await handler(aDelivery())

    expect(onStatus).not.toHaveBeenCalled()
  })

  it.each([
    ['claim', fails('store is down'), 1],
    ['newest', fails('store is down'), 2],
    [
      'claim on the payment',
      (key: string) => (key.startsWith('resource:') ? fails('store is down')() : ('new' as const)),
      2,
    ],
  ])('causes a 500 response without a call of the event function if %s fails', async (name, fail, claims) => {
    const store = aStore({ [name.split(' ')[0] as 'claim']: fail })
    const { handler, onStatus, onError } = aHandler({ deduplicate: store })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    // The store may have granted a claim whose request failed.
    expect(store.release).toHaveBeenCalledTimes(claims)
    expect(onError.mock.calls).toEqual([[new Error('store is down'), aStatusEvent()]])
  })

  it.each(['complete', 'advance'] as const)(
    'makes the handler respond 500 and release the claims if the call of %s fails',
    async (name) => {
      const store = aStore({ [name]: fails('store is down') })
      const { handler, onError } = aHandler({ deduplicate: store })

      const response = await handler(aDelivery())

      expect(response.status).toBe(500)
      expect(onError.mock.calls).toEqual([[new Error('store is down'), aStatusEvent()]])
      expect(store.release).toHaveBeenCalledTimes(2)
    },
  )

  it('does not change the response if the call of release fails', async () => {
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('no'))
    const { handler, onError } = aHandler({
      deduplicate: aStore({ release: fails('store is down') }),
      serialize: false,
      on: { 'PAYMENT.STATUS': onStatus },
    })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['store is down', 'no'])
  })

  it('N46 receives further release calls after a failed release, until the claim has expired', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    const store = aStore({ claim: fails('connection lost'), release: fails('connection lost') })
    const { handler } = aHandler({ deduplicate: store, claimTtl: 1_000 })

    await handler(aDelivery())
    await vi.advanceTimersByTimeAsync(60_000)

    // After 0, 10, 30, 70, 150, 310, 630 and 1270 ms.
    expect(store.release).toHaveBeenCalledTimes(8)
  })

  it('must return "new", "busy" or "done" from its method `claim`', async () => {
    const { handler, onStatus, onError } = aHandler({ deduplicate: aStore({ claim: () => undefined as never }) })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ message: "The function claim of the store must return 'new', 'busy' or 'done'" }),
      aStatusEvent(),
    )
  })
})

describe('the claim on a delivery or payment', () => {
  it('N19 is renewed three times per claimTtl while the event function runs', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const store = aStore()
    const { handler, onStatus, response, context, work } = await aSlowHandler({ deduplicate: store, claimTtl: 30_000 })

    await vi.advanceTimersByTimeAsync(95_000)
    const during = await handler(aDelivery())
    work.resolve()

    expect([during.status, (await response).status]).toEqual([409, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
    expect(store.renew.mock.calls).toHaveLength(2 * 9)
    expect(store.renew).toHaveBeenCalledWith(context.key, 30_000, store.claim.mock.calls[0]?.[2])
    await vi.advanceTimersByTimeAsync(95_000)
    expect(store.renew.mock.calls).toHaveLength(2 * 9)
  })

  it.each(['delivery', 'payment'])(
    'N19 aborts context.signal and causes a 500 response if the claim is lost: %s',
    async (lost) => {
      vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
      const store = aStore({ renew: (key) => key.startsWith('resource:') !== (lost === 'payment') })
      const { onError, response, context, work } = await aSlowHandler({ deduplicate: store })

      await vi.advanceTimersByTimeAsync(20_000)
      expect(context.signal.reason).toBeInstanceOf(ClaimLostError)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(store.renew).toHaveBeenCalledTimes(2)
      const early = await Promise.race([response, new Promise((resolve) => setImmediate(resolve, undefined))])
      work.resolve()

      expect(early).toBeUndefined()
      expect((await response).status).toBe(500)
      expect(onError.mock.calls).toEqual([
        [
          expect.objectContaining({
            name: 'ClaimLostError',
            code: 'ERR_CLAIM_LOST',
            message: expect.stringMatching(/^The claim on this delivery expired.*increase claimTtl$/),
            key: context.key,
          }),
          aStatusEvent(),
        ],
      ])
      expect(store.complete).not.toHaveBeenCalled()
    },
  )

  it('N19 causes a ClaimLostError if it is lost, in addition to the event function’s own error', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const onStatus = vi.fn(async (_: unknown, { signal }: WebhookContext) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('stopped')
    })
    const { handler, onError } = aHandler({
      deduplicate: aStore({ renew: () => false }),
      on: { 'PAYMENT.STATUS': onStatus },
    })

    const response = handler(aDelivery())
    await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
    await vi.advanceTimersByTimeAsync(20_000)

    expect((await response).status).toBe(500)
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['stopped', expect.stringContaining('claim')])
  })

  it('N19 causes a 500 response if another process took it over before the event function ended', async () => {
    const { handler, onError } = aHandler({ deduplicate: aStore({ complete: () => false }) })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError.mock.calls).toEqual([[expect.any(ClaimLostError), aStatusEvent()]])
  })

  it('N19 causes a 500 response if another event took the claim while the process was paused', async () => {
    // Renewals run on the real clock, on which too little time passes for a renewal.
    vi.useFakeTimers({ toFake: ['performance'] })
    const store = aStore()
    const slow = await aSlowHandler({ deduplicate: store })
    vi.advanceTimersByTime(60_000)
    const second = slow.handler(aDelivery(updatedAt('2026-03-01T00:00:00Z')))
    await vi.waitUntil(() => slow.onStatus.mock.calls.length === 2, 10_000)

    slow.work.resolve()

    expect(statusesOf(await Promise.all([slow.response, second]))).toEqual([500, 200])
    expect(slow.onError.mock.calls).toEqual([[expect.any(ClaimLostError), aStatusEvent()]])
    expect(store.complete).toHaveBeenCalledTimes(1)
  })

  it('N19 is not lost if the store lacks the method renew', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const { renew, ...store } = aStore()
    const { response, work } = await aSlowHandler({ deduplicate: store })

    await vi.advanceTimersByTimeAsync(60_000)
    work.resolve()

    expect((await response).status).toBe(200)
  })

  it.each(['has', 'lacks'])(
    'N19 survives a pause of the process if no other event took the claim and the store %s the method renew',
    async (has) => {
      vi.useFakeTimers({ toFake: ['performance'] })
      const { renew, ...withoutRenew } = aStore()
      const slow = await aSlowHandler({ deduplicate: has === 'has' ? { ...withoutRenew, renew } : withoutRenew })

      vi.advanceTimersByTime(60_000)
      slow.work.resolve()

      expect((await slow.response).status).toBe(200)
    },
  )

  it('N19 survives failed renewals until it expires', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const renew = vi.fn().mockResolvedValue(true).mockRejectedValueOnce(new Error('timeout'))
    const { response, context, work } = await aSlowHandler({ deduplicate: aStore({ renew }), claimTtl: 30_000 })

    await vi.advanceTimersByTimeAsync(90_500)
    expect(context.signal.aborted).toBe(false)
    renew.mockRejectedValue(new Error('store is down'))
    await vi.advanceTimersByTimeAsync(29_000)
    expect(context.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(context.signal.aborted).toBe(true)
    work.resolve()

    expect((await response).status).toBe(500)
  })

  it('N19 survives failed renewals while the store’s method complete is slow', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const [renewed, completed] = [later(), later()]
    const complete = vi.fn(() => completed.promise)
    const renew = vi.fn().mockRejectedValue(new Error('connection lost'))
    renew.mockReturnValueOnce(renewed.promise.then(() => false))
    const { onError, response, work } = await aSlowHandler({ deduplicate: aStore({ complete, renew }) })

    await vi.advanceTimersByTimeAsync(20_000)
    work.resolve()
    await vi.waitUntil(() => complete.mock.calls.length === 1, 10_000)
    renewed.resolve()
    await vi.advanceTimersByTimeAsync(120_000)
    completed.resolve()

    expect([(await response).status, onError.mock.calls]).toEqual([200, []])
  })

  it('N19 cannot be released by a previous owner', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { renew, ...store } = aStore()
    const slow = await aSlowHandler({ deduplicate: store, serialize: false })
    vi.advanceTimersByTime(60_000)
    const second = slow.handler(aDelivery())
    await vi.waitUntil(() => slow.onStatus.mock.calls.length === 2, 10_000)

    slow.work.resolve()
    const statuses = statusesOf(await Promise.all([slow.response, second]))

    expect(statuses).toEqual([500, 200])
    expect((await slow.handler(aDelivery())).status).toBe(200)
    expect(slow.onStatus).toHaveBeenCalledTimes(2)
    expect(renew).not.toHaveBeenCalled()
  })
})

describe('createHandler with the option serialize', () => {
  it('handles the events of one payment one at a time', async () => {
    const running = { now: 0, most: 0 }
    const onStatus = async () => {
      running.most = Math.max(running.most, ++running.now)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running.now--
    }
    const on = { 'PAYMENT.STATUS': onStatus, 'DISPUTE.STATUS': onStatus }
    const { handler } = aHandler({ on, serializeWait: 60_000 })

    const events = [...Array.from({ length: 5 }, (_, amount) => aStatusEvent({ amount })), aDisputeEvent()]
    const responses = await Promise.all(events.map((event) => handler(aDelivery(event))))

    expect(statusesOf(responses)).toEqual(Array(6).fill(200))
    expect(running.most).toBe(1)
  })

  it.each([
    ['events of different payments', {}, aStatusEvent({ id: 'pay_2' })],
    ['events of one payment with serialize: false', { serialize: false }, aStatusEvent({ amount: 1 })],
  ])('allows concurrent handling of %s', async (_, options, other) => {
    const { handler, onStatus, response, work } = await aSlowHandler(options)

    const second = handler(aDelivery(other))
    await vi.waitUntil(() => onStatus.mock.calls.length === 2, 10_000)
    work.resolve()

    expect(statusesOf(await Promise.all([response, second]))).toEqual([200, 200])
  })

  it('handles an unrecognized event while another event is being handled', async () => {
    const { handler, response, work } = await aSlowHandler({ onUnrecognized: undefined })

    const { status } = await handler(aDelivery({ message: 'test' }))
    work.resolve()

    expect([status, (await response).status]).toEqual([200, 200])
  })

  it('responds 409 if the payment stays busy for serializeWait, then handles the redelivered event', async () => {
    const { handler, onError, onStatus, response, work } = await aSlowHandler({ serializeWait: 30 })
    const other = () => aDelivery(aStatusEvent({ amount: 1 }))

    const during = await handler(other())
    work.resolve()
    await response
    const after = await handler(other())

    expect([during.status, after.status]).toEqual([409, 200])
    expect(onStatus).toHaveBeenCalledTimes(2)
    expect(onError).not.toHaveBeenCalled()
  })

  it('retries the claim on a payment after 10 ms, then doubles the delay up to 250 ms', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    const times: number[] = []
    const claim = (name: string) => {
      if (!name.startsWith('resource:')) return 'new'
      times.push(performance.now())
      return 'busy'
    }
    const store = aStore({ claim })
    const { handler } = aHandler({ deduplicate: store, serializeWait: 700 })

    const response = handler(aDelivery())
    while (times.length === 0) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(1_000)

    expect((await response).status).toBe(409)
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 10, 30, 70, 150, 310, 560, 700])
    expect(store.release.mock.calls).toEqual([[expect.not.stringMatching('resource'), expect.any(String)]])
  })

  it('stops waiting for the payment if the delivery’s claim is lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const claim = vi.fn((name: string) => (name.startsWith('resource:') ? 'busy' : 'new'))
    const { handler, onError } = aHandler({ deduplicate: aStore({ claim, renew: () => false }) })

    const response = handler(aDelivery())
    await vi.waitUntil(() => claim.mock.calls.length >= 2, 10_000)
    await vi.advanceTimersByTimeAsync(20_000)

    expect((await response).status).toBe(500)
    expect(onError.mock.calls).toEqual([[expect.any(ClaimLostError), aStatusEvent()]])
  })

  it('stops renewing claims when the event function fails', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { handler } = aHandler({ deduplicate: aStore(), on: { 'PAYMENT.STATUS': fails('no') } })

    await handler(aDelivery())

    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [{ paymentId: 'pay_9', orderId: 'order_9' }, 'resource:payment:pay_9'],
    [{ paymentId: undefined, orderId: 'order_9' }, 'resource:payment:order_9'],
    [{ paymentId: undefined, processorDisputeId: 'dp_9' }, 'resource:dispute:dp_9'],
  ])(
    'N50 serializes disputes by payment id, order id or dispute id, whichever is present first: %j',
    async (ids, expected) => {
      const store = aStore()
      const { handler } = aHandler({ deduplicate: store })

      await handler(aDelivery({ ...aDisputeEvent(), ...ids }))

      expect(store.claim.mock.calls[1]?.[0]).toBe(expected)
    },
  )
})

describe('context.stale', () => {
  const staleness = async (...events: object[]) => {
    const seen: boolean[] = []
    const note = (_: unknown, { stale }: WebhookContext) => seen.push(stale)
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': note, 'DISPUTE.STATUS': note } })
    for (const event of events) await handler(aDelivery(event))
    return seen
  }

  it('is true if a newer event for the payment was already handled', async () => {
    const seen = await staleness(
      updatedAt('2026-01-31T12:00:02Z'),
      updatedAt('2026-01-31T12:00:01Z'),
      updatedAt('2026-01-31T12:00:01Z', { id: 'pay_2' }),
      updatedAt('2026-01-31T12:00:03'),
      updatedAt('2026-01-31T13:00:02.999+01:00'),
    )

    expect(seen).toEqual([false, true, false, false, true])
  })

  it('is false if the last handled event has the same time', async () => {
    const seen = await staleness(
      updatedAt('2026-01-31T12:00:00Z'),
      updatedAt('2026-01-31T12:00:00Z', { status: 'SETTLED' }),
    )

    expect(seen).toEqual([false, false])
  })

  it('depends on `date` if dateUpdated is absent, and is false if both are absent', async () => {
    const seen = await staleness(
      { ...aStatusEvent(), date: '2026-01-31T12:00:02Z' },
      { ...aStatusEvent(), date: '2026-01-31T12:00:01Z' },
      { ...aStatusEvent(), date: undefined },
    )

    expect(seen).toEqual([false, true, false])
  })

  it('N49 distinguishes times that differ by one microsecond', async () => {
    const seen = await staleness(
      updatedAt('2026-01-31T12:00:00.123456'),
      updatedAt('2026-01-31T12:00:00.123455'),
      updatedAt('2026-01-31T12:00:00.123456', { status: 'SETTLED' }),
      updatedAt('2026-01-31T12:00:00.123457'),
    )

    expect(seen).toEqual([false, true, false, false])
  })

  it('N50 is true if an event of the same dispute with a later receivedAt was already handled', async () => {
    const dispute = (processorDisputeId: string | undefined, second: number, status: string) => ({
      ...aDisputeEvent(),
      processorDisputeId,
      status,
      receivedAt: `2026-01-31T12:00:0${second}Z`,
    })
    const seen = await staleness(
      updatedAt('2026-01-31T12:00:09Z'),
      dispute('dp_1', 3, 'LOST'),
      dispute('dp_1', 2, 'OPEN'),
      dispute('dp_2', 1, 'OPEN'),
      dispute(undefined, 1, 'OPEN'),
      dispute('dp_1', 4, 'WON'),
      updatedAt('2026-01-31T12:00:08Z'),
    )

    expect(seen).toEqual([false, false, true, false, false, false, true])
  })

  it('ignores earlier events whose event function failed', async () => {
    const seen: boolean[] = []
    const onStatus = vi.fn((_: unknown, { stale }: WebhookContext) => {
      seen.push(stale)
      if (seen.length === 1) throw new Error('no')
    })
    const { handler } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    for (const second of [3, 2, 3]) await handler(aDelivery(updatedAt(`2026-01-31T12:00:0${second}Z`)))

    expect(seen).toEqual([false, false, false])
  })
})

describe('a transactional store', () => {
  const transaction = { query: () => {} }

  it.each([
    ['handled', 200, 1],
    ['busy', 409, 0],
    ['done', 200, 0],
  ] as const)('passes only new deliveries to the event function (status: %s)', async (status, expected, calls) => {
    const transact = vi.fn(async (_key, _resource, work, _options) =>
      status === 'handled' ? { status, value: await work(transaction, true) } : { status },
    )
    const store = { ...aStore(), transact: transact as unknown as NonNullable<WebhookStore['transact']> }
    const { handler, onStatus } = aHandler({ deduplicate: store })
    const event = updatedAt('2026-01-31T12:00:00Z')
    const key = await deduplicationKey(JSON.stringify(event))

    const response = await handler(aDelivery(event))

    expect(response.status).toBe(expected)
    expect(onStatus.mock.calls.map(([, context]) => context)).toEqual(
      Array(calls).fill(expect.objectContaining({ key, stale: true, transaction })),
    )
    expect(transact.mock.calls[0]?.slice(0, 2)).toEqual([
      key,
      { id: 'payment:pay_1', timeMs: Date.parse('2026-01-31T12:00:00Z') },
    ])
    expect(transact.mock.calls[0]?.[3]).toEqual({ waitMs: 5_000 })
    expect(store.claim).not.toHaveBeenCalled()
  })

  it('aborts context.signal if the store loses its database connection', async () => {
    const lost = new AbortController()
    const transact: WebhookStore['transact'] = async (_key, _resource, work) => ({
      status: 'handled',
      value: await work(transaction, false, lost.signal),
    })
    const { response, context, work } = await aSlowHandler({ deduplicate: { ...aStore(), transact } })

    lost.abort(new Error('connection lost'))
    work.resolve()

    expect(context.signal.reason).toEqual(new Error('connection lost'))
    expect((await response).status).toBe(200)
  })

  it('makes the handler respond 500 if the event function or the transaction fails', async () => {
    const transact: WebhookStore['transact'] = async (_key, _resource, work) => ({
      status: 'handled',
      value: await work(transaction, false),
    })
    const { handler, onError } = aHandler({
      deduplicate: { ...aStore(), transact },
      on: { 'PAYMENT.STATUS': fails('rolled back') },
    })

    const response = await handler(aDelivery())

    expect(response.status).toBe(500)
    expect(onError.mock.calls).toEqual([[new Error('rolled back'), aStatusEvent()]])
  })
})

describe('deduplicationKey', () => {
  it('W13 returns the SHA-256 of the raw body, as a string or bytes', async () => {
    const body = '{"name":"Ünïcödé"}'

    const keys = await Promise.all([deduplicationKey(body), deduplicationKey(Buffer.from(body))])

    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(body))).toString('hex')
    expect(keys).toEqual([digest, digest])
  })

  it('keeps leading zeros of the hash', async () => {
    // The SHA-256 of 39 starts with a byte below 16.
    const key = await deduplicationKey('39')

    expect(key).toMatch(/^0[0-9a-f]{63}$/)
  })

  it('rejects a parsed body', async () => {
    await expect(deduplicationKey({} as string)).rejects.toMatchObject({ reason: 'body-not-raw' })
  })
})
