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

const fails = (message: string) => () => Promise.reject(new Error(message))
const updatedAt = (dateUpdated: string, payment: object = {}) => aStatusEvent({ dateUpdated, ...payment })
const claimLost = [[expect.any(ClaimLostError), aStatusEvent()]]

/** Creates a handler whose function waits for `work`. Delivers an event, and waits until the function runs. */
async function aSlowHandler(options: Partial<HandlerOptions>) {
  const work = later()
  const onStatus = vi.fn(async (_: unknown, context: WebhookContext) => {
    await work.promise
    return context
  })
  const { deliver, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus }, ...options })
  const status = deliver()
  await vi.waitUntil(() => onStatus.mock.calls.length === 1)
  const [, context] = onStatus.mock.calls[0] as [unknown, WebhookContext]
  return { deliver, onError, onStatus, status, context, work }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('createHandler with deduplication', () => {
  it('calls the event function once for identical bodies', async () => {
    const { deliver, onStatus } = aHandler()
    await deliver()

    expect(await Promise.all([deliver(), deliver()])).toEqual([200, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('distinguishes bodies with equal JSON but different bytes', async () => {
    const { handler, deliver, onStatus } = aHandler()
    const spaced = JSON.stringify(aStatusEvent(), null, 1)
    await deliver()

    await handler(new Request(url, { method: 'POST', headers: signed(spaced), body: spaced }))

    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('calls the event function once for a body signed with different secrets', async () => {
    const { deliver, onStatus } = aHandler({ secret: [currentSecret, previousSecret] })

    expect([await deliver(aStatusEvent(), previousSecret), await deliver()]).toEqual([200, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
  })

  it('responds 409 while an identical body is being handled', async () => {
    const onStatus = vi.fn(() => work.promise)
    const work = later()
    const { handler, deliver, onError } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })
    const first = deliver()
    await vi.waitUntil(() => onStatus.mock.calls.length === 1)

    const during = await handler(aDelivery())
    work.resolve()

    expect([during.status, await first, await deliver()]).toEqual([409, 200, 200])
    expect(await during.text()).toBe('This delivery or payment is being handled')
    expect(onStatus).toHaveBeenCalledTimes(1)
    expect(onError).not.toHaveBeenCalled()
  })

  it('handles a body again after its event function failed', async () => {
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('database is down'))
    const { deliver } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    expect([await deliver(), await deliver(), await deliver()]).toEqual([500, 200, 200])
    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('handles identical bodies again if deduplicate is false', async () => {
    const { deliver, onStatus } = aHandler({ deduplicate: false })

    expect([await deliver(), await deliver()]).toEqual([200, 200])
    expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, false])
  })

  it('does not claim a delivery if its signature is invalid', async () => {
    const store = aStore()

    await aHandler({ deduplicate: store }).deliver(aStatusEvent(), foreignSecret)

    expect(store.claim).not.toHaveBeenCalled()
  })
})

describe('a webhook store', () => {
  it('receives one owner in every call for a delivery, and another for the next', async () => {
    const store = aStore()
    const { deliver } = aHandler({ deduplicate: store, claimTtl: 7_000 })
    const event = updatedAt('2026-01-31T12:00:00')
    const key = await deduplicationKey(JSON.stringify(event))

    await deliver(event)

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
    await deliver(aDisputeEvent())
    expect(new Set(store.claim.mock.calls.map(([, , owner]) => owner)).size).toBe(2)
  })

  it('releases the claims and records no event time if the event function fails', async () => {
    const store = aStore()

    await aHandler({ deduplicate: store, on: { 'PAYMENT.STATUS': fails('no') } }).deliver()

    expect(store.release.mock.calls.map(([key]) => key)).toEqual(store.claim.mock.calls.map(([key]) => key))
    expect(store.complete).not.toHaveBeenCalled()
    expect(store.advance).not.toHaveBeenCalled()
  })

  it('requires only the methods claim, complete and release, which may be async', async () => {
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
    const { deliver } = aHandler({ deduplicate: new SharedStore(), on: { 'PAYMENT.STATUS': onStatus } })

    expect([await deliver(), await deliver(), await deliver()]).toEqual([500, 200, 200])
    expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, false])
  })

  const storeIsDown = fails('store is down')
  const claimOnlyDeliveries = (key: string) => (key.startsWith('resource:') ? storeIsDown() : ('new' as const))

  it.each<[string, Partial<WebhookStore>, calls: number, releases: number]>([
    // The store may have granted a claim whose request failed.
    ['claim', { claim: storeIsDown }, 0, 1],
    ['newest', { newest: storeIsDown }, 0, 2],
    ['claim on the payment', { claim: claimOnlyDeliveries }, 0, 2],
    ['complete', { complete: storeIsDown }, 1, 2],
    ['advance', { advance: storeIsDown }, 1, 2],
  ])('makes the handler respond 500 and release the claims if %s fails', async (_, failing, calls, releases) => {
    const store = aStore(failing)
    const onStatus = vi.fn()
    const { deliver, onError } = aHandler({ deduplicate: store, on: { 'PAYMENT.STATUS': onStatus } })

    const status = await deliver(updatedAt('2026-01-31T12:00:00Z'))

    expect([status, onStatus.mock.calls.length, store.release.mock.calls.length]).toEqual([500, calls, releases])
    expect(onError.mock.calls).toEqual([[new Error('store is down'), updatedAt('2026-01-31T12:00:00Z')]])
  })

  it('does not change the response if the call of release fails', async () => {
    const { deliver, onError } = aHandler({
      deduplicate: aStore({ release: storeIsDown }),
      serialize: false,
      on: { 'PAYMENT.STATUS': fails('no') },
    })

    expect(await deliver()).toBe(500)
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['store is down', 'no'])
  })

  it('retries a failed release until the claim has expired', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    const store = aStore({ claim: storeIsDown, release: storeIsDown })

    await aHandler({ deduplicate: store, claimTtl: 1_000 }).deliver()
    await vi.advanceTimersByTimeAsync(60_000)

    // After 0, 10, 30, 70, 150, 310, 630 and 1270 ms.
    expect(store.release).toHaveBeenCalledTimes(8)
  })

  it('rejects a store whose method `claim` does not return "new", "busy" or "done"', async () => {
    const { deliver, onStatus, onError } = aHandler({ deduplicate: aStore({ claim: () => undefined as never }) })

    expect(await deliver()).toBe(500)
    expect(onStatus).not.toHaveBeenCalled()
    const message = "The function claim of the store must return 'new', 'busy' or 'done'"
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message }), aStatusEvent())
  })
})

describe('the claim on a delivery or payment', () => {
  it('renews a claim three times per claimTtl while the event function runs', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const store = aStore()
    const { deliver, onStatus, status, context, work } = await aSlowHandler({ deduplicate: store, claimTtl: 30_000 })

    await vi.advanceTimersByTimeAsync(95_000)
    const during = await deliver()
    work.resolve()

    expect([during, await status]).toEqual([409, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
    expect(store.renew.mock.calls).toHaveLength(2 * 9)
    expect(store.renew).toHaveBeenCalledWith(context.key, 30_000, store.claim.mock.calls[0]?.[2])
    await vi.advanceTimersByTimeAsync(95_000)
    expect(store.renew.mock.calls).toHaveLength(2 * 9)
  })

  it.each(['delivery', 'payment'])('aborts context.signal and responds 500 if the claim is lost: %s', async (lost) => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const store = aStore({ renew: (key) => key.startsWith('resource:') !== (lost === 'payment') })
    const { onError, status, context, work } = await aSlowHandler({ deduplicate: store })

    await vi.advanceTimersByTimeAsync(20_000)
    expect(context.signal.reason).toBeInstanceOf(ClaimLostError)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(store.renew).toHaveBeenCalledTimes(2)
    const early = await Promise.race([status, new Promise((resolve) => setImmediate(resolve, undefined))])
    work.resolve()

    expect(early).toBeUndefined()
    expect(await status).toBe(500)
    const message = expect.stringMatching(/^The claim on this delivery expired.*increase claimTtl$/)
    const error = { name: 'ClaimLostError', code: 'ERR_CLAIM_LOST', message, key: context.key }
    expect(onError.mock.calls).toEqual([[expect.objectContaining(error), aStatusEvent()]])
    expect(store.complete).not.toHaveBeenCalled()
  })

  it('reports a ClaimLostError along with the error of the event function', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const onStatus = vi.fn(async (_: unknown, { signal }: WebhookContext) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('stopped')
    })
    const deduplicate = aStore({ renew: () => false })
    const { deliver, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus } })

    const status = deliver()
    await vi.waitUntil(() => onStatus.mock.calls.length === 1)
    await vi.advanceTimersByTimeAsync(20_000)

    expect(await status).toBe(500)
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['stopped', expect.stringContaining('claim')])
  })

  it('responds 500 if another process took the claim during the event function', async () => {
    const { deliver, onError } = aHandler({ deduplicate: aStore({ complete: () => false }) })

    expect(await deliver()).toBe(500)
    expect(onError.mock.calls).toEqual(claimLost)
  })

  it('responds 500 if another event took the claim while the process was paused', async () => {
    // Renewals run on the real clock, on which too little time passes for a renewal.
    vi.useFakeTimers({ toFake: ['performance'] })
    const store = aStore()
    const slow = await aSlowHandler({ deduplicate: store })
    vi.advanceTimersByTime(60_000)
    const second = slow.deliver(updatedAt('2026-03-01T00:00:00Z'))
    await vi.waitUntil(() => slow.onStatus.mock.calls.length === 2)

    slow.work.resolve()

    expect(await Promise.all([slow.status, second])).toEqual([500, 200])
    expect(slow.onError.mock.calls).toEqual(claimLost)
    expect(store.complete).toHaveBeenCalledTimes(1)
  })

  it.each(['has', 'lacks'])('keeps the claim during a pause, with a store that %s the method renew', async (has) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { renew, ...withoutRenew } = aStore()
    const slow = await aSlowHandler({ deduplicate: has === 'has' ? { ...withoutRenew, renew } : withoutRenew })

    vi.advanceTimersByTime(60_000)
    slow.work.resolve()

    expect(await slow.status).toBe(200)
  })

  it('keeps the claim after failed renewals until it expires', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const renew = vi.fn().mockResolvedValue(true).mockRejectedValueOnce(new Error('timeout'))
    const { status, context, work } = await aSlowHandler({ deduplicate: aStore({ renew }), claimTtl: 30_000 })

    await vi.advanceTimersByTimeAsync(90_500)
    expect(context.signal.aborted).toBe(false)
    renew.mockRejectedValue(new Error('store is down'))
    await vi.advanceTimersByTimeAsync(29_000)
    expect(context.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(context.signal.aborted).toBe(true)
    work.resolve()

    expect(await status).toBe(500)
  })

  it('keeps the claim after failed renewals while store.complete is slow', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const [renewed, completed] = [later(), later()]
    const complete = vi.fn(() => completed.promise)
    const renew = vi.fn().mockRejectedValue(new Error('connection lost'))
    renew.mockReturnValueOnce(renewed.promise.then(() => false))
    const { onError, status, work } = await aSlowHandler({ deduplicate: aStore({ complete, renew }) })

    await vi.advanceTimersByTimeAsync(20_000)
    work.resolve()
    await vi.waitUntil(() => complete.mock.calls.length === 1)
    renewed.resolve()
    await vi.advanceTimersByTimeAsync(120_000)
    completed.resolve()

    expect([await status, onError.mock.calls]).toEqual([200, []])
  })

  it('does not let a previous owner release the claim', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { renew, ...store } = aStore()
    const slow = await aSlowHandler({ deduplicate: store, serialize: false })
    vi.advanceTimersByTime(60_000)
    const second = slow.deliver()
    await vi.waitUntil(() => slow.onStatus.mock.calls.length === 2)

    slow.work.resolve()

    expect(await Promise.all([slow.status, second])).toEqual([500, 200])
    expect(await slow.deliver()).toBe(200)
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
    const { deliver } = aHandler({ on, serializeWait: 60_000 })

    const events = [...Array.from({ length: 5 }, (_, amount) => aStatusEvent({ amount })), aDisputeEvent()]

    expect(await Promise.all(events.map((event) => deliver(event)))).toEqual(Array(6).fill(200))
    expect(running.most).toBe(1)
  })

  it.each([
    ['events of different payments', {}, aStatusEvent({ id: 'pay_2' })],
    ['events of one payment with serialize: false', { serialize: false }, aStatusEvent({ amount: 1 })],
  ])('handles %s concurrently', async (_, options, other) => {
    const { deliver, onStatus, status, work } = await aSlowHandler(options)

    const second = deliver(other)
    await vi.waitUntil(() => onStatus.mock.calls.length === 2)
    work.resolve()

    expect(await Promise.all([status, second])).toEqual([200, 200])
  })

  it('handles an unrecognized event while another event is being handled', async () => {
    const { deliver, status, work } = await aSlowHandler({ onUnrecognized: undefined })

    const unrecognized = await deliver({ message: 'test' })
    work.resolve()

    expect([unrecognized, await status]).toEqual([200, 200])
  })

  it('responds 409 if the payment stays busy for serializeWait', async () => {
    const { deliver, onError, onStatus, status, work } = await aSlowHandler({ serializeWait: 30 })

    const during = await deliver(aStatusEvent({ amount: 1 }))
    work.resolve()
    await status
    const after = await deliver(aStatusEvent({ amount: 1 }))

    expect([during, after]).toEqual([409, 200])
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
    const { deliver } = aHandler({ deduplicate: store, serializeWait: 700 })

    const status = deliver()
    while (times.length === 0) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(1_000)

    expect(await status).toBe(409)
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 10, 30, 70, 150, 310, 560, 700])
    expect(store.release.mock.calls).toEqual([[expect.not.stringMatching('resource'), expect.any(String)]])
  })

  it('stops waiting for the payment if the delivery’s claim is lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const claim = vi.fn((name: string) => (name.startsWith('resource:') ? 'busy' : 'new'))
    const { deliver, onError } = aHandler({ deduplicate: aStore({ claim, renew: () => false }) })

    const status = deliver()
    await vi.waitUntil(() => claim.mock.calls.length >= 2)
    await vi.advanceTimersByTimeAsync(20_000)

    expect(await status).toBe(500)
    expect(onError.mock.calls).toEqual(claimLost)
  })

  it.each([
    [{ paymentId: 'pay_9', orderId: 'order_9' }, 'resource:payment:pay_9'],
    [{ paymentId: undefined, orderId: 'order_9' }, 'resource:payment:order_9'],
    [{ paymentId: undefined, processorDisputeId: 'dp_9' }, 'resource:dispute:dp_9'],
  ])('serializes disputes by the first present ID of payment, order or dispute: %j', async (ids, expected) => {
    const store = aStore()

    await aHandler({ deduplicate: store }).deliver({ ...aDisputeEvent(), ...ids })

    expect(store.claim.mock.calls[1]?.[0]).toBe(expected)
  })
})

describe('context.stale', () => {
  const dispute = (processorDisputeId: string | undefined, second: number, status: string) => ({
    ...aDisputeEvent(),
    processorDisputeId,
    status,
    receivedAt: `2026-01-31T12:00:0${second}Z`,
  })

  it.each<[string, events: [isStale: boolean, event: object][]]>([
    [
      'sets context.stale if a newer event of the payment was already handled',
      [
        [false, updatedAt('2026-01-31T12:00:02Z')],
        [true, updatedAt('2026-01-31T12:00:01Z')],
        [false, updatedAt('2026-01-31T12:00:01Z', { id: 'pay_2' })],
        [false, updatedAt('2026-01-31T12:00:03')],
        [true, updatedAt('2026-01-31T13:00:02.999+01:00')],
      ],
    ],
    [
      'does not set context.stale if the last handled event has the same time',
      [
        [false, updatedAt('2026-01-31T12:00:00Z')],
        [false, updatedAt('2026-01-31T12:00:00Z', { status: 'SETTLED' })],
      ],
    ],
    [
      'depends on `date` if dateUpdated is absent, and is false if both are absent',
      [
        [false, { ...aStatusEvent(), date: '2026-01-31T12:00:02Z' }],
        [true, { ...aStatusEvent(), date: '2026-01-31T12:00:01Z' }],
        [false, { ...aStatusEvent(), date: undefined }],
      ],
    ],
    [
      'depends on `date` if dateUpdated is unreadable',
      [
        [false, { ...updatedAt('31.01.2026'), date: '2026-01-31T12:00:02Z' }],
        [true, { ...updatedAt('30.01.2026'), date: '2026-01-31T12:00:01Z' }],
      ],
    ],
    [
      'distinguishes times that differ by one microsecond',
      [
        [false, updatedAt('2026-01-31T12:00:00.123456')],
        [true, updatedAt('2026-01-31T12:00:00.123455')],
        [false, updatedAt('2026-01-31T12:00:00.123456', { status: 'SETTLED' })],
        [false, updatedAt('2026-01-31T12:00:00.123457')],
      ],
    ],
    [
      'sets context.stale if a later event of the same dispute was already handled',
      [
        [false, updatedAt('2026-01-31T12:00:09Z')],
        [false, dispute('dp_1', 3, 'LOST')],
        [true, dispute('dp_1', 2, 'OPEN')],
        [false, dispute('dp_2', 1, 'OPEN')],
        [false, dispute(undefined, 1, 'OPEN')],
        [false, dispute('dp_1', 4, 'WON')],
        [true, updatedAt('2026-01-31T12:00:08Z')],
      ],
    ],
  ])('%s', async (_, events) => {
    const seen: boolean[] = []
    const note = (_: unknown, { stale }: WebhookContext) => seen.push(stale)
    const { deliver } = aHandler({ on: { 'PAYMENT.STATUS': note, 'DISPUTE.STATUS': note } })

    for (const [, event] of events) await deliver(event)

    expect(seen).toEqual(events.map(([isStale]) => isStale))
  })

  it('ignores earlier events whose event function failed', async () => {
    const seen: boolean[] = []
    const onStatus = (_: unknown, { stale }: WebhookContext) => {
      if (seen.push(stale) === 1) throw new Error('no')
    }
    const { deliver } = aHandler({ on: { 'PAYMENT.STATUS': onStatus } })

    for (const second of [3, 2, 3]) await deliver(updatedAt(`2026-01-31T12:00:0${second}Z`))

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
    const { deliver, onStatus } = aHandler({ deduplicate: store })
    const event = updatedAt('2026-01-31T12:00:00Z')
    const key = await deduplicationKey(JSON.stringify(event))

    expect(await deliver(event)).toBe(expected)
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
    const { status, context, work } = await aSlowHandler({ deduplicate: { ...aStore(), transact } })

    lost.abort(new Error('connection lost'))
    work.resolve()

    expect(context.signal.reason).toEqual(new Error('connection lost'))
    expect(await status).toBe(200)
  })

  it('makes the handler respond 500 if the event function or the transaction fails', async () => {
    const transact: WebhookStore['transact'] = async (_key, _resource, work) => ({
      status: 'handled',
      value: await work(transaction, false),
    })
    const deduplicate = { ...aStore(), transact }
    const { deliver, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': fails('rolled back') } })

    expect(await deliver()).toBe(500)
    expect(onError.mock.calls).toEqual([[new Error('rolled back'), aStatusEvent()]])
  })
})

describe('deduplicationKey', () => {
  it('returns the SHA-256 of the raw body, as a string or bytes', async () => {
    const body = '{"name":"Ünïcödé"}'

    const keys = await Promise.all([deduplicationKey(body), deduplicationKey(Buffer.from(body))])

    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(body))).toString('hex')
    expect(keys).toEqual([digest, digest])
  })

  it('rejects a parsed body', async () => {
    await expect(deduplicationKey({} as string)).rejects.toMatchObject({ reason: 'body-not-raw' })
  })
})
