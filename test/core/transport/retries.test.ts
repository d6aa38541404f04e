import { beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient, errorResponse, failureOf } from '../../support/clients.js'
import { othersFinish, stopClock } from '../../support/clock.js'
import { authorizedPayment } from '../../support/responses/payments.js'

// Makes every retry delay 0 ms.
beforeEach(() => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => random.mockRestore()
})

const failsWith = (code: string) => () => Promise.reject(Object.assign(new Error(), { code }))

describe('the attempts of a call', () => {
  it('records the duration of each attempt', async () => {
    const { passUntil } = stopClock()
    const hang = () => new Promise<Response>(() => {})
    const durations: number[] = []
    const hooks = { onResponse: ({ durationMs }: { durationMs: number }) => void durations.push(durationMs) }
    const { client } = aClient([hang, errorResponse(503), hang], { maxRetries: 2, timeout: 1_000, hooks })

    const failing = failureOf(client.payments.get('pay_1'))
    await passUntil(failing)

    const { attempts } = await failing
    expect(attempts.map(({ durationMs }) => durationMs)).toEqual([1_000, 0, 1_000])
    expect(durations).toEqual([0])
  })

  it('omits the status of an attempt that received no response', async () => {
    const { client } = aClient([failsWith('ECONNRESET')])

    const { attempts } = await failureOf(client.payments.get('pay_1'))

    expect(attempts).toStrictEqual([{ number: 1, waitedMs: 0, durationMs: expect.any(Number), code: 'ECONNRESET' }])
  })

  it.each([
    ['InvalidAmount', 'InvalidAmount'],
    ['Error12345', 'Error12345'],
    ['Error123456', '400'],
    ['two words', '400'],
    ['(Error', '400'],
    [undefined, '400'],
  ])('uses the status as an attempt’s code if the errorId is invalid: %j → %s', async (errorId, code) => {
    const { client } = aClient([errorResponse(400, { errorId, description: 'No' })])

    expect(await failureOf(client.payments.get('pay_1'))).toMatchObject({ attempts: [{ code }] })
  })

  it.each([
    [200, 2],
    [300, 1],
    [399, 1],
    [400, 2],
    [503, 2],
  ])('retries if a body never arrives, except for a redirect: %i, %i attempt(s)', async (status, count) => {
    const { passUntil } = stopClock()
    const endless = () => new Response(new ReadableStream(), { status })
    const { client, requests } = aClient([endless, endless], { maxRetries: 1, timeout: 1_000 })

    await passUntil(failureOf(client.payments.get('pay_1')))

    expect(requests).toHaveLength(count)
  })
})

describe('a call that times out while it waits for a free connection', () => {
  it('does not retry a call that waited too long for a free connection', async () => {
    const { passUntil } = stopClock()
    const { client } = aClient(() => new Promise(() => {}), { maxConnections: 1, maxRetries: 1, timeout: 1_000 })
    const first = failureOf(client.payments.get('pay_1', { timeout: 5_000, maxRetries: 0 }))

    const second = failureOf(client.payments.get('pay_2'))

    expect(await passUntil(second)).toBe(1_000)
    expect(await second).toMatchObject({ phase: 'queue', attempts: [] })
    await passUntil(first)
  })
})

describe('the outcome of a call', () => {
  it('treats a 200 as a success if its `error` lacks the service’s error format', async () => {
    const body = { id: 'pay_1', error: { code: 5 } }
    const { client } = aClient([body])

    await expect(client.payments.get('pay_1')).resolves.toEqual(body)
  })

  it('reports an unknown outcome for a response with the status 0', async () => {
    const { client } = aClient(() => Response.error())

    expect((await failureOf(client.payments.capture('pay_1'))).outcome).toBe('unknown')
  })
})

describe('a call aborted before its request is sent', () => {
  it('sends no request if the call is aborted in the onRequest hook', async () => {
    const controller = new AbortController()
    const hooks = { onRequest: () => controller.abort() }
    const { client, requests } = aClient([authorizedPayment], { hooks })

    const error = await failureOf(client.payments.get('pay_1', { signal: controller.signal }))
    await othersFinish()

    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [] })
    expect(requests).toEqual([])
  })
})

describe('an aborted call', () => {
  it('frees an aborted call’s connection exactly once, or none if it had none', async () => {
    const controller = new AbortController()
    const untilAborted = ({ signal }: Request) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { client, requests } = aClient([untilAborted, untilAborted, untilAborted], {
      maxConnections: 1,
      maxRetries: 0,
      // A client with an apiKey function also frees the connection at the deadline.
      apiKey: async () => 'key-1',
    })
    await failureOf(client.payments.get('pay_0', { signal: AbortSignal.abort() }))
    const aborted = failureOf(client.payments.get('pay_1', { signal: controller.signal }))
    await othersFinish()
    controller.abort()
    await aborted
    await othersFinish()

    const others = new AbortController()
    const waiting = ['pay_2', 'pay_3'].map((id) => failureOf(client.payments.get(id, { signal: others.signal })))
    await othersFinish()

    expect(requests.map(({ line }) => line)).toEqual(['GET /payments/pay_1', 'GET /payments/pay_2'])
    others.abort()
    await Promise.all(waiting)
  })
})
