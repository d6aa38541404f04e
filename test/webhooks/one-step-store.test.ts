import { describe, expect, it, vi } from 'vitest'
import { ClaimLostError, createMemoryStore, type WebhookStore } from '../../src/webhooks/index.js'
import { aDisputeEvent, aHandler, aStatusEvent, aStore, later } from './fixtures.js'

/** Creates a memory store with the methods `begin` and `finish`, like the Redis store. */
function aOneStepStore() {
  const memory = createMemoryStore() as Required<WebhookStore>
  const begin = vi.fn<Required<WebhookStore>['begin']>(async (key, { id }, ttlMs, owner) => {
    const delivery = await memory.claim(key, ttlMs, owner)
    if (delivery !== 'new') return { delivery }
    const claimed = await memory.claim(`resource:${id}`, ttlMs, owner)
    return { delivery, resource: claimed, newest: await memory.newest(id) }
  })
  const finish = vi.fn<Required<WebhookStore>['finish']>(async (key, { id, timeMs }, owner) => {
    if (timeMs !== undefined) await memory.advance(id, timeMs)
    await memory.release(`resource:${id}`, owner)
    return (await memory.complete(key, owner)) === true
  })
  const single = aStore(memory)
  const store: WebhookStore = { ...single, begin, finish }
  const calledSteps = () => Object.entries(single).flatMap(([name, step]) => (step.mock.calls.length ? [name] : []))
  return { store, begin, finish, single, calledSteps }
}

/** Makes the next call of `begin` reject, although it has granted the claims. */
function loseReplyOf(begin: ReturnType<typeof aOneStepStore>['begin']) {
  const granting = begin.getMockImplementation() as NonNullable<WebhookStore['begin']>
  begin.mockImplementationOnce(async (...parameters) => {
    await granting(...parameters)
    throw new Error('connection lost')
  })
}

const updatedAt = (second: number) => aStatusEvent({ dateUpdated: `2026-01-31T12:00:0${second}Z` })

describe('a webhook store that claims the delivery and its payment in one step', () => {
  it('receives one call before and one call after the event function', async () => {
    const { store, begin, finish, calledSteps } = aOneStepStore()
    const { deliver, onStatus } = aHandler({ deduplicate: store })

    expect([await deliver(), await deliver()]).toEqual([200, 200])
    expect(onStatus).toHaveBeenCalledTimes(1)
    expect([begin.mock.calls.length, finish.mock.calls.length, calledSteps()]).toEqual([2, 1, []])
  })

  it('reports an event as stale if it is older than the newest handled event', async () => {
    const { store } = aOneStepStore()
    const seen: boolean[] = []
    const { deliver } = aHandler({
      deduplicate: store,
      on: { 'PAYMENT.STATUS': (_, { stale }) => void seen.push(stale) },
    })

    for (const second of [2, 1, 3]) await deliver(updatedAt(second))

    expect(seen).toEqual([false, true, false])
  })

  it('receives a separate call for each claim while the payment is busy', async () => {
    const { store, single, finish } = aOneStepStore()
    const first = later()
    const running: number[] = []
    const onStatus = vi.fn(async () => {
      running.push(onStatus.mock.calls.length)
      if (running.length === 1) await first.promise
    })
    const { deliver } = aHandler({ deduplicate: store, on: { 'PAYMENT.STATUS': onStatus } })

    const statuses = [deliver(updatedAt(1)), deliver(updatedAt(2))]
    await vi.waitUntil(() => single.claim.mock.calls.length > 0)
    const whileFirstRuns = [...running]
    first.resolve()

    expect([whileFirstRuns, await Promise.all(statuses)]).toEqual([[1], [200, 200]])
    expect(single.newest).toHaveBeenCalledTimes(1)
    expect(finish).toHaveBeenCalledTimes(2)
  })

  it('releases both claims if the event function fails', async () => {
    const { store, single, finish } = aOneStepStore()
    const onStatus = vi.fn().mockRejectedValueOnce(new Error('no'))
    const { deliver } = aHandler({ deduplicate: store, on: { 'PAYMENT.STATUS': onStatus } })

    expect([await deliver(), await deliver()]).toEqual([500, 200])
    expect(single.release).toHaveBeenCalledTimes(2)
    expect(finish).toHaveBeenCalledTimes(1)
  })

  it('renews and releases no claims if the delivery is already being handled', async () => {
    const { store, begin, single } = aOneStepStore()
    begin.mockResolvedValue({ delivery: 'busy' })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { deliver, onStatus } = aHandler({ deduplicate: store })

    const status = await deliver()
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()

    expect([status, onStatus.mock.calls.length]).toEqual([409, 0])
    expect([single.renew.mock.calls, single.release.mock.calls]).toEqual([[], []])
  })

  it('causes a 500 response and a ClaimLostError if another owner takes the claim', async () => {
    const { store, finish } = aOneStepStore()
    finish.mockResolvedValue(false)
    const { deliver, onError } = aHandler({ deduplicate: store })

    expect(await deliver()).toBe(500)
    expect(onError.mock.calls).toEqual([[expect.any(ClaimLostError), aStatusEvent()]])
  })

  it('makes the handler respond 500 if `begin` returns an unknown result', async () => {
    const { store, begin } = aOneStepStore()
    begin.mockResolvedValue({ delivery: 'NEW' as 'new' })
    const { deliver, onStatus } = aHandler({ deduplicate: store })

    const status = await deliver()

    expect([status, onStatus.mock.calls]).toEqual([500, []])
  })

  it('receives a separate `claim` for the payment if `begin` claims the delivery', async () => {
    const { store, begin, finish, single, calledSteps } = aOneStepStore()
    begin.mockImplementation(async (key, _, ttlMs, owner) => ({ delivery: await single.claim(key, ttlMs, owner) }))
    const { deliver } = aHandler({ deduplicate: store })

    await deliver(updatedAt(1))

    expect(single.claim.mock.calls.map(([name]) => name)).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      'resource:payment:pay_1',
    ])
    expect(calledSteps()).toEqual(['claim', 'newest'])
    expect(finish).toHaveBeenCalledTimes(1)
  })

  it('releases both claims if `begin` fails, because the store may have granted them', async () => {
    const { store, begin, single } = aOneStepStore()
    loseReplyOf(begin)
    const { deliver, onError } = aHandler({ deduplicate: store, serializeWait: 0 })

    expect([await deliver(), await deliver(updatedAt(1)), await deliver()]).toEqual([500, 200, 200])
    expect(single.release.mock.calls.map(([name]) => name).slice(0, 2)).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      'resource:payment:pay_1',
    ])
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['connection lost'])
  })

  it('releases the claims after a failed `begin` when the store is available again', async () => {
    const { store, begin, single } = aOneStepStore()
    loseReplyOf(begin)
    for (let call = 0; call < 4; call++) single.release.mockRejectedValueOnce(new Error('connection lost'))
    const { deliver, onError } = aHandler({ deduplicate: store, serializeWait: 0 })

    const first = await deliver()
    await vi.waitUntil(() => single.release.mock.calls.length === 6)
    const second = await deliver()

    expect([first, second]).toEqual([500, 200])
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['connection lost'])
  })

  it.each([
    ['if serialize is false', { serialize: false }, aStatusEvent()],
    ['for an event without a payment or order', {}, { ...aDisputeEvent(), paymentId: undefined, orderId: undefined }],
  ])('receives calls of `claim` and `complete` instead of `begin` and `finish` %s', async (_, options, event) => {
    const { store, begin, finish, single } = aOneStepStore()
    const { deliver } = aHandler({ deduplicate: store, ...options })

    const status = await deliver(event)

    expect([status, begin.mock.calls.length, finish.mock.calls.length]).toEqual([200, 0, 0])
    expect(single.claim).toHaveBeenCalledTimes(1)
    expect(single.complete).toHaveBeenCalledTimes(1)
  })
})
