import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { othersFinish, stopClock } from '../support/clock.js'
import { failureOf, refused } from '../support/failures.js'
import { aClient } from '../support/recording-fetch.js'
import { authorizedPayment } from '../support/responses/payments.js'

// Further attempts are made at once.
beforeEach(() => {
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => dice.mockRestore()
})

const resume = (client: PaymentsClient) => client.payments.resume('pay_1', { resumeToken: 'resume_1' })
const refuses = (code: string) => () => Promise.reject(Object.assign(new Error(), { code }))

describe('the attempts of a call', () => {
  it('are told with the time that each took', async () => {
    const { passUntil } = stopClock()
    const silence = () => new Promise<Response>(() => {})
    const durations: number[] = []
    const hooks = { onResponse: ({ durationMs }: { durationMs: number }) => void durations.push(durationMs) }
    const { client } = aClient([silence, refused(503), silence], { maxRetries: 2, timeout: 1_000, hooks })

    const failing = failureOf(client.payments.get('pay_1'))
    await passUntil(failing)

    const { attempts } = await failing
    expect(attempts.map(({ durationMs }) => durationMs)).toEqual([1_000, 0, 1_000])
    expect(durations).toEqual([0])
  })

  it('have no status where none arrived', async () => {
    const { client } = aClient([refuses('ECONNRESET')])

    const { attempts } = await failureOf(client.payments.get('pay_1'))

    expect(attempts).toStrictEqual([{ number: 1, waitedMs: 0, durationMs: expect.any(Number), code: 'ECONNRESET' }])
  })
})

describe('a caller who leaves before anything is sent', () => {
  it.each([
    ['while the key is looked for', 'key'],
    ['in the hook that hears of the request', 'hook'],
  ])('has nothing sent: %s', async (_when, where) => {
    const leaving = new AbortController()
    const onRequest = vi.fn(() => leaving.abort())
    const apiKey = async () => {
      if (where === 'key') leaving.abort()
      return 'key-1'
    }
    const { client, requests } = aClient([authorizedPayment], { apiKey, hooks: { onRequest } })

    const error = await failureOf(client.payments.get('pay_1', { signal: leaving.signal }))
    await othersFinish()

    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [] })
    expect(onRequest).toHaveBeenCalledTimes(where === 'key' ? 0 : 1)
    expect(requests).toEqual([])
  })
})

describe('a call that is cut off', () => {
  it('gives its place back once', async () => {
    const leaving = new AbortController()
    const untilLeft = ({ signal }: Request) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { client, requests } = aClient([untilLeft, untilLeft, untilLeft], { maxConnections: 1, maxRetries: 0 })
    const left = failureOf(client.payments.get('pay_1', { signal: leaving.signal }))
    await othersFinish()
    leaving.abort()
    await left
    await othersFinish()

    const others = new AbortController()
    const waiting = ['pay_2', 'pay_3'].map((id) => failureOf(client.payments.get(id, { signal: others.signal })))
    await othersFinish()

    expect(requests.map(({ line }) => line)).toEqual(['GET /payments/pay_1', 'GET /payments/pay_2'])
    others.abort()
    await Promise.all(waiting)
  })
})

describe('a call whose service asks to wait', () => {
  it.each([
    ['a minute', '60', undefined, 60_000],
    ['as long as there is time', '59', 60_000, 59_000],
  ])('is repeated when it is %s', async (_what, seconds, totalTimeout, expected) => {
    const { passUntil } = stopClock()
    const busy = refused(503, {}, { 'retry-after': seconds })
    const { client, requests } = aClient([busy, authorizedPayment], { maxRetries: 1, totalTimeout })

    const passed = await passUntil(client.payments.get('pay_1'))

    expect([passed, requests.length]).toEqual([expected, 2])
  })

  it.each([
    ['more than a minute', '61', undefined],
    ['as long as there is time', '60', 60_000],
  ])('fails at once when it is %s', async (_what, seconds, totalTimeout) => {
    const { passUntil } = stopClock()
    const busy = refused(503, {}, { 'retry-after': seconds })
    const { client, requests } = aClient([busy, authorizedPayment], { maxRetries: 1, totalTimeout })

    const failing = failureOf(client.payments.get('pay_1'))

    expect(await passUntil(failing)).toBe(0)
    expect(await failing).toMatchObject({ name: 'ServerError', retryAfterMs: Number(seconds) * 1_000 })
    expect(requests).toHaveLength(1)
  })
})

describe('a call that must not be made twice', () => {
  it.each([
    ['a 408', () => refused(408)],
    ['a 503', () => refused(503)],
    ['a broken connection', refuses('ECONNRESET')],
    ['an answer that cannot be read', () => new Response('<html>')],
  ])('is not repeated after %s', async (_what, answer) => {
    const { client, requests } = aClient([answer, authorizedPayment], { maxRetries: 2 })

    await failureOf(resume(client))

    expect(requests).toHaveLength(1)
  })

  it('is one with a key where none is sent', async () => {
    const { client, requests } = aClient([refused(503), authorizedPayment], { maxRetries: 2, idempotency: 'off' })

    await failureOf(client.payments.capture('pay_1'))

    expect(requests).toHaveLength(1)
  })

  it.each([['a 429', () => refused(429)]])(
    'is repeated after %s, with which nothing was done',
    async (_what, answer) => {
      const { client, requests } = aClient([answer, authorizedPayment], { maxRetries: 2 })

      await expect(resume(client)).resolves.toEqual(authorizedPayment)

      expect(requests).toHaveLength(2)
    },
  )
})
