import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { NotFoundError } from '../../../src/index.js'
import { aClient, failureOf, rejectionOf } from '../../support/clients.js'
import { othersFinish, stopClock } from '../../support/clock.js'

/**
 * Creates a client for a payment. Each request returns the next of these statuses, and later requests return the last
 * one. A number is the status of an error response.
 *
 * `times` contains the time of each request.
 */
function aPaymentWithStatuses(...statuses: (string | number)[]) {
  const times: number[] = []
  const respond = () => {
    const status = statuses[Math.min(times.length, statuses.length - 1)]
    times.push(performance.now())
    return typeof status === 'number' ? Response.json({}, { status }) : Response.json({ id: 'pay_1', status })
  }
  return { times, ...aClient(Array.from({ length: 1000 }, () => respond)) }
}

const delays = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0))

describe('payments.waitFor', () => {
  it('returns immediately if the payment already has the requested status', async () => {
    const { passUntil } = stopClock()
    const { client, requests } = aPaymentWithStatuses('SETTLED')

    const waiting = client.payments.waitFor('pay_1', 'SETTLED')

    expect(await passUntil(waiting)).toBe(0)
    expect(await waiting).toMatchObject({ id: 'pay_1', status: 'SETTLED' })
    expect(requests.map(({ line }) => line)).toEqual(['GET /payments/pay_1'])
  })

  it('polls with increasing delays until the payment has a given status', async () => {
    const { passUntil } = stopClock()
    const { client, times } = aPaymentWithStatuses(...Array(15).fill('PENDING'), 'SETTLED')

    const waiting = client.payments.waitFor('pay_1', ['AUTHORIZED', 'SETTLED'])
    await passUntil(waiting)

    const waits = delays(times)
    expect((await waiting).status).toBe('SETTLED')
    expect(waits).toHaveLength(15)
    expect(waits[0]).toBeLessThanOrEqual(1000)
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
    expect(waits.at(-1)).toBe(10_000)
  })

  it('waits at least as long as Retry-After before the next poll', async () => {
    const { passUntil } = stopClock()
    const limited = new Response('', { status: 429, headers: { 'retry-after': '30' } })
    const { client } = aClient([limited, { id: 'pay_1', status: 'SETTLED' }])

    const waiting = client.payments.waitFor('pay_1', 'SETTLED')

    expect(await passUntil(waiting)).toBe(30_000)
    expect((await waiting).status).toBe('SETTLED')
  })

  it('stops polling if Retry-After is longer than the timeout', async () => {
    const { passUntil } = stopClock()
    const limited = new Response('', { status: 429, headers: { 'retry-after': '9999999999' } })
    const { client, requests } = aClient([limited])

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED'))

    expect(await passUntil(waiting)).toBe(120_000)
    expect(await waiting).toMatchObject({ code: 'ERR_WAIT', reason: 'timeout' })
    expect(requests).toHaveLength(1)
  })

  it.each(['DECLINED', 'FAILED', 'CANCELLED', 'SETTLED'])(
    'throws a WaitError when the payment reaches the final status %s',
    async (status) => {
      const { passUntil } = stopClock()
      const { client, requests } = aPaymentWithStatuses('PENDING', 'PENDING', status)

      const waiting = failureOf(client.payments.waitFor('pay_1', ['AUTHORIZED', 'SETTLING']))
      await passUntil(waiting)

      expect(await waiting).toMatchObject({
        code: 'ERR_WAIT',
        reason: 'impossible',
        operation: 'payments.waitFor',
        message: `payments.waitFor: the payment is ${status}, which is final: it cannot become AUTHORIZED or SETTLING`,
        lastPayment: { id: 'pay_1', status },
        history: ['PENDING', status],
        attempts: [],
      })
      expect(requests).toHaveLength(3)
    },
  )

  it('throws a WaitError when the timeout elapses', async () => {
    const { passUntil } = stopClock()
    const { client } = aPaymentWithStatuses('PENDING', 'AUTHORIZED', 'PENDING')

    const waiting = failureOf(client.payments.waitFor('pay_1', ['SETTLING', 'SETTLED'], { timeout: 5000 }))

    expect(await passUntil(waiting)).toBe(5000)
    expect(await waiting).toMatchObject({
      reason: 'timeout',
      operation: 'payments.waitFor',
      message: 'payments.waitFor: the payment did not become SETTLING or SETTLED within 5000 ms',
      lastPayment: { status: 'PENDING' },
      history: ['PENDING', 'AUTHORIZED', 'PENDING'],
    })
  })

  it('aborts the pending request when the timeout elapses', async () => {
    const { passUntil } = stopClock()
    const requests: Request[] = []
    const silence = (request: Request) => {
      requests.push(request)
      return new Promise<Response>(() => {})
    }
    const { client } = aClient([silence])

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED', { timeout: 1000 }))

    expect(await passUntil(waiting)).toBe(1000)
    expect(await waiting).toMatchObject({ reason: 'timeout', lastPayment: undefined, history: [] })
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true])
  })

  const lostConnection = () => Promise.reject(new TypeError('fetch failed'))
  const aPayment = (status: string) => ({ id: 'pay_1', status })

  it.each<[string, status: string, first: object | (() => Promise<Response>)]>([
    ['a 500', 'SETTLED', new Response('', { status: 500 })],
    ['a 429', 'SETTLED', new Response('', { status: 429 })],
    ['a 408', 'SETTLED', new Response('', { status: 408 })],
    ['a lost connection', 'SETTLED', lostConnection],
    ['an unknown status', 'SETTLED', aPayment('SOMETHING_NEW')],
    ['another status if it waits for an unknown status', 'SOMETHING_NEW', aPayment('PENDING')],
  ])('keeps polling after %s', async (_, status, first) => {
    const { passUntil } = stopClock()
    const { client } = aClient([first, aPayment(status)])

    const waiting = client.payments.waitFor('pay_1', status)
    await passUntil(waiting)

    expect(await waiting).toEqual(aPayment(status))
  })

  it('rejects immediately if the payment does not exist', async () => {
    const { client, requests } = aPaymentWithStatuses(404)

    await expect(client.payments.waitFor('pay_1', 'SETTLED')).rejects.toThrow(NotFoundError)
    expect(requests).toHaveLength(1)
  })

  it.each<[string, Parameters<typeof aClient>[0]]>([
    ['between two requests', [{ id: 'pay_1', status: 'PENDING' }]],
    ['during a request', [() => new Promise<Response>(() => {})]],
  ])('stops if the signal aborts %s, and throws an AbortedError with the abort reason', async (_, responses) => {
    const controller = new AbortController()
    const { client, requests } = aClient(responses)

    const waiting = failureOf(client.payments.waitFor('pay_1', 'SETTLED', { signal: controller.signal }))
    await othersFinish()
    controller.abort('shop closed')

    expect(await waiting).toMatchObject({ name: 'AbortedError', code: 'ERR_ABORTED', reason: 'shop closed' })
    expect(requests).toHaveLength(1)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('sends no request if the signal is already aborted', async () => {
    const { client, requests } = aPaymentWithStatuses('SETTLED')

    const waiting = client.payments.waitFor('pay_1', 'SETTLED', { signal: AbortSignal.abort('early') })

    await expect(waiting).rejects.toMatchObject({ code: 'ERR_ABORTED', outcome: 'not_sent', reason: 'early' })
    expect(requests).toEqual([])
  })

  it.each<[string, unknown, unknown, string]>([
    ['no status', undefined, {}, 'statuses must be a status or a non-empty array of statuses'],
    ['an empty array', [], {}, 'statuses must be a status or a non-empty array of statuses'],
    ['a number as a status', ['SETTLED', 5], {}, 'statuses must be a status or a non-empty array of statuses'],
    ['a timeout of 0', 'SETTLED', { timeout: 0 }, 'options.timeout must be a number of milliseconds'],
    ['an unknown option', 'SETTLED', { timout: 5 }, 'options.timout is not an option: did you mean "timeout"?'],
    ['an object that is not an AbortSignal', 'SETTLED', { signal: {} }, 'options.signal must be an AbortSignal'],
  ])('rejects invalid arguments: %s', async (_what, statuses, options, message) => {
    const error = await rejectionOf((client) => client.payments.waitFor('pay_1', statuses as never, options as never))

    expect(error.operation).toBe('payments.waitFor')
    expect(error.message.startsWith(`payments.waitFor: ${message}`)).toBe(true)
  })
})
