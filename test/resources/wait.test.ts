import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { AbortedError, NotFoundError, type WaitError } from '../../src/index.js'
import { othersFinish, stopClock } from '../support/clock.js'
import { aClient } from '../support/recording-fetch.js'
import { issuesOf, refusal } from '../support/rejection.js'

/** A service where the payment has these statuses, one after the other and then the last one, and when it was asked. */
function aPaymentThatBecomes(...statuses: (string | number)[]) {
  const times: number[] = []
  const answer = () => {
    const status = statuses[Math.min(times.length, statuses.length - 1)]
    times.push(performance.now())
    return typeof status === 'number'
      ? Response.json({}, { status })
      : Response.json({ id: 'pay_1', status, customer: { firstName: 'a-secret' } })
  }
  return { times, ...aClient(Array.from({ length: 1000 }, () => answer)) }
}

const pauses = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0))

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('It did not fail'),
    (error: unknown) => error,
  )

describe('payments.waitFor', () => {
  it('returns at once when the payment is there already', async () => {
    const { passUntil } = stopClock()
    const { client, requests } = aPaymentThatBecomes('SETTLED')

    const waiting = client.payments.waitFor('pay_1', 'SETTLED')

    expect(await passUntil(waiting)).toBe(0)
    expect(await waiting).toMatchObject({ id: 'pay_1', status: 'SETTLED' })
    expect(requests.map(({ line }) => line)).toEqual(['GET /payments/pay_1'])
  })

  it('reads again, ever more slowly, until one of the statuses is reached', async () => {
    const { passUntil } = stopClock()
    const { client, times } = aPaymentThatBecomes(...Array(15).fill('PENDING'), 'SETTLED')

    const waiting = client.payments.waitFor('pay_1', ['AUTHORIZED', 'SETTLED'])
    await passUntil(waiting)

    const waits = pauses(times)
    expect((await waiting).status).toBe('SETTLED')
    expect(waits).toHaveLength(15)
    expect(waits[0]).toBeLessThanOrEqual(1000)
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
    expect(waits.at(-1)).toBe(10_000)
  })

  it('takes a status that it does not know for one that may pass', async () => {
    const { passUntil } = stopClock()
    const { client } = aPaymentThatBecomes('SOMETHING_NEW', 'PARTIALLY_SETTLED', 'SETTLED')

    const waiting = client.payments.waitFor('pay_1', 'SETTLED')
    await passUntil(waiting)

    expect((await waiting).status).toBe('SETTLED')
  })

  it('waits for a status that it does not know', async () => {
    const { passUntil } = stopClock()
    const { client } = aPaymentThatBecomes('PENDING', 'SOMETHING_NEW')

    const waiting = client.payments.waitFor('pay_1', 'SOMETHING_NEW')
    await passUntil(waiting)

    expect((await waiting).status).toBe('SOMETHING_NEW')
  })

  it.each(['DECLINED', 'FAILED', 'CANCELLED', 'SETTLED'])(
    'gives up when the payment is %s for good',
    async (status) => {
      const { passUntil } = stopClock()
      const { client, requests } = aPaymentThatBecomes('PENDING', 'PENDING', status)

      const waiting = failureOf(client.payments.waitFor('pay_1', ['AUTHORIZED', 'SETTLING']))
      await passUntil(waiting)

      expect(await waiting).toMatchObject({
        code: 'ERR_WAIT',
        reason: 'impossible',
        message: `The payment is ${status}, which is final: it will not become AUTHORIZED or SETTLING`,
        lastPayment: { id: 'pay_1', status },
        history: ['PENDING', status],
        attempts: [],
      })
      expect(requests).toHaveLength(3)
    },
  )

  it('gives up when time runs out', async () => {
    const { passUntil } = stopClock()
    const { client } = aPaymentThatBecomes('PENDING', 'AUTHORIZED', 'PENDING')

    const waiting = failureOf(client.payments.waitFor('pay_1', ['SETTLING', 'SETTLED'], { timeout: 5000 }))

    expect(await passUntil(waiting)).toBe(5000)
    expect(await waiting).toMatchObject({
      reason: 'timeout',
      message: 'The payment did not become SETTLING or SETTLED within 5000 ms',
      lastPayment: { status: 'PENDING' },
      history: ['PENDING', 'AUTHORIZED', 'PENDING'],
    })
  })

  it('waits two minutes unless told otherwise', async () => {
    const { passUntil } = stopClock()
    const { client } = aPaymentThatBecomes('PENDING')

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED'))

    expect(await passUntil(waiting)).toBe(120_000)
    expect(await waiting).toMatchObject({ reason: 'timeout' })
  })

  it('gives up in time while an answer is missing', async () => {
    const { passUntil } = stopClock()
    const asked: Request[] = []
    const silence = (request: Request) => {
      asked.push(request)
      return new Promise<Response>(() => {})
    }
    const { client } = aClient([silence])

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED', { timeout: 1000 }))

    expect(await passUntil(waiting)).toBe(1000)
    expect(await waiting).toMatchObject({ reason: 'timeout', lastPayment: undefined, history: [] })
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true])
  })

  it('shows nothing of the payment when its error is printed', async () => {
    const { passUntil } = stopClock()
    const { client } = aPaymentThatBecomes('DECLINED')

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED'))
    await passUntil(waiting)

    const error = (await waiting) as WaitError
    expect(error.lastPayment).toMatchObject({ customer: { firstName: 'a-secret' } })
    expect([inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error)].join()).not.toContain('a-secret')
  })

  it.each([500, 503, 429])('goes on after an answer of %i, which may pass', async (status) => {
    const { passUntil } = stopClock()
    const { client } = aPaymentThatBecomes('PENDING', status, 'SETTLED')

    const waiting = client.payments.waitFor('pay_1', 'SETTLED')
    await passUntil(waiting)

    expect((await waiting).status).toBe('SETTLED')
  })

  it('goes on after a broken connection', async () => {
    const { passUntil } = stopClock()
    const { client } = aClient([
      () => Promise.reject(new TypeError('fetch failed')),
      { id: 'pay_1', status: 'SETTLED' },
    ])

    const waiting = client.payments.waitFor('pay_1', 'SETTLED')
    await passUntil(waiting)

    expect((await waiting).status).toBe('SETTLED')
  })

  it('fails when there is no such payment', async () => {
    const { client, requests } = aPaymentThatBecomes(404)

    await expect(client.payments.waitFor('pay_1', 'SETTLED')).rejects.toThrow(NotFoundError)
    expect(requests).toHaveLength(1)
  })

  it("ends with the caller's signal between two readings, and keeps its reason", async () => {
    const controller = new AbortController()
    const { client, requests } = aPaymentThatBecomes('PENDING')

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED', { signal: controller.signal }))
    await othersFinish()
    controller.abort('shop closed')

    const error = await waiting
    expect(error).toBeInstanceOf(AbortedError)
    expect(error).toMatchObject({ code: 'ERR_ABORTED', reason: 'shop closed' })
    expect(requests).toHaveLength(1)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it("ends with the caller's signal while an answer is missing", async () => {
    const controller = new AbortController()
    const { client, requests } = aClient([() => new Promise(() => {})])

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED', { signal: controller.signal }))
    await othersFinish()
    controller.abort()

    expect(await waiting).toBeInstanceOf(AbortedError)
    expect(requests).toHaveLength(1)
  })

  it('reads nothing when the signal has ended already', async () => {
    const { client, requests } = aPaymentThatBecomes('SETTLED')

    const waiting = client.payments.waitFor('pay_1', 'SETTLED', { signal: AbortSignal.abort('early') })

    await expect(waiting).rejects.toMatchObject({ code: 'ERR_ABORTED', outcome: 'not_sent', reason: 'early' })
    expect(requests).toEqual([])
  })

  it.each<[string, unknown, unknown, string]>([
    ['no status', undefined, {}, 'statuses must be a status, or a list of at least one'],
    ['an empty list', [], {}, 'statuses must be a status, or a list of at least one'],
    ['a number for a status', ['SETTLED', 5], {}, 'statuses must be a status, or a list of at least one'],
    ['a time limit out of range', 'SETTLED', { timeout: 0 }, 'options.timeout must be a number of milliseconds'],
    ['an endless time limit', 'SETTLED', { timeout: Number.POSITIVE_INFINITY }, 'options.timeout must be a number'],
    ['an unknown option', 'SETTLED', { timout: 5 }, 'options.timout is not a known name: did you mean "timeout"?'],
    ['a misspelt signal', 'SETTLED', { signl: 5 }, 'options.signl is not a known name: did you mean "signal"?'],
    ['something else for a signal', 'SETTLED', { signal: {} }, 'options.signal must be an AbortSignal'],
  ])('refuses %s', async (_what, statuses, options, message) => {
    const issues = await issuesOf((client) => client.payments.waitFor('pay_1', statuses as never, options as never))

    expect(issues).toEqual([expect.stringContaining(message)])
  })

  it('names itself in what it refuses', async () => {
    const error = await refusal((client) => client.payments.waitFor('pay_1', 'SETTLED', { timeout: 0 }))

    expect(error.operation).toBe('payments.waitFor')
    expect(error.message).toMatch(/^payments\.waitFor: options\.timeout must be a number of milliseconds/)
  })

  it('refuses an id that is no clean segment', async () => {
    expect(await issuesOf((client) => client.payments.waitFor('..', 'SETTLED'))).toEqual([
      'id must not be a dot segment',
    ])
  })
})
