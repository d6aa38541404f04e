import { getEventListeners } from 'node:events'
import type { ClientOptions, PaymentsClient } from 'payments-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  aClient,
  clientOf,
  clientReceiving,
  clientWith,
  describeWithEachAdapter,
  failureOf,
  payment,
  serve,
  signalled,
  until,
} from '../support/clients.js'
import { othersFinish } from '../support/clock.js'
import { anyResponse } from '../support/operations.js'
import { fin, hang, read, respondWith, responseBytes, type Script, write } from '../support/scripted-server.js'
import { runProgram } from './support/program.js'

describeWithEachAdapter('an aborted call', (clientOf) => {
  it('rejects an aborted call in Workers with an old compatibility date', async () => {
    const { reached, reach } = signalled()
    const server = await serve([read(), reach, hang()])
    const controller = new AbortController()
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    vi.spyOn(signal, 'addEventListener').mockImplementation((type: string, listener: unknown) =>
      add(type, () => (listener as () => void)()),
    )

    const call = failureOf(clientOf(server).payments.capture('pay_1', {}, { signal }))
    await reached
    controller.abort()

    expect(await call).toMatchObject({ name: 'AbortedError', outcome: 'unknown' })
  })

  it('sends no request if the signal is already aborted', async () => {
    const server = await serve(respondWith(payment))
    const reason = new Error('cancelled')

    const error = await failureOf(
      clientOf(server, { maxRetries: 2 }).payments.capture('pay_1', {}, { signal: AbortSignal.abort(reason) }),
    )

    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [], reason })
    expect(server.connections).toBe(0)
  })

  it.each([
    ['right after the call', (): ClientOptions => ({})],
    ['during the apiKey function', (): ClientOptions => ({ apiKey: () => new Promise(() => {}) })],
    ['during the idempotency function', (): ClientOptions => ({ idempotency: () => new Promise(() => {}) })],
  ])('sends no request if the call is aborted %s', async (_, options) => {
    const server = await serve(respondWith(payment))
    const controller = new AbortController()

    const call = clientOf(server, options()).payments.capture('pay_1', {}, { signal: controller.signal })
    controller.abort()
    expect(await failureOf(call)).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [] })
    expect(server.requests).toEqual([])
  })

  const part = (status: number) => write(`HTTP/1.1 ${status} Status\r\ncontent-length: 99\r\n\r\n{`)

  it.each<[string, string, (reach: () => void) => Script]>([
    ['while it waits for headers', 'unknown', (reach) => [read(), reach, hang()]],
    ['while it reads the body', 'accepted', () => [read(), part(200), hang()]],
    ['while it reads the body of a 404', 'rejected', () => [read(), part(404), hang()]],
  ])('rejects and closes the connection if the call is aborted %s', async (_, outcome, script) => {
    const { reached, reach } = signalled()
    const server = await serve(script(reach))
    const client = clientOf(server, { maxRetries: 2, hooks: { onResponse: reach } })

    const error = await abortedWhen(reached, client)

    expect(error).toMatchObject({ name: 'AbortedError', outcome, attempts: [{ code: 'ERR_ABORTED' }] })
    await until(() => server.openConnections === 0)
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    [503, 'unknown'],
    [429, 'rejected'],
  ])('reports the last attempt’s outcome if aborted during the backoff after a %i', async (status, outcome) => {
    const { reached, reach } = signalled()
    const server = await serve(respondWith('', { status, headers: { 'retry-after': 30 } }))

    const error = await abortedWhen(reached, clientOf(server, { maxRetries: 2, hooks: { onRetry: reach } }))

    expect(error).toMatchObject({ name: 'AbortedError', outcome, attempts: [{ status }] })
    expect(server.requests).toHaveLength(1)
  })

  it('throws an AbortedError with the abort reason, even for AbortSignal.timeout()', async () => {
    const server = await serve([read(), hang()])
    const client = clientOf(server)
    const controller = new AbortController()
    const reason = { order: 'order-1', why: 'cancelled' }

    const aborted = failureOf(client.payments.capture('pay_1', {}, { signal: controller.signal }))
    controller.abort(reason)
    const timedSignal = failureOf(client.payments.capture('pay_1', {}, { signal: AbortSignal.timeout(50) }))
    const timedOut = failureOf(client.payments.capture('pay_1', {}, { timeout: 50 }))

    expect(await aborted).toMatchObject({ name: 'AbortedError', code: 'ERR_ABORTED', reason })
    expect(await timedSignal).toMatchObject({ name: 'AbortedError', reason: { name: 'TimeoutError' } })
    expect(await timedOut).toMatchObject({ name: 'TimeoutError', code: 'ERR_TIMEOUT', timeoutMs: 50 })
  })
})

it('an aborted call ignores the response if a custom fetch ignores the abort signal', async () => {
  const controller = new AbortController()
  const onResponse = vi.fn()
  const respond = () => {
    controller.abort()
    return Response.json(payment)
  }

  await failureOf(clientWith(respond, { hooks: { onResponse } }).payments.get('pay_1', { signal: controller.signal }))
  await othersFinish()

  expect(onResponse).not.toHaveBeenCalled()
})

describe('an AbortSignal shared by many calls', () => {
  it.each([
    ['succeed', 200],
    ['fail', 500],
  ])('adds one listener to the signal while 200 calls %s, and removes it afterwards', async (_, status) => {
    const { signal } = new AbortController()
    const { reached: released, reach: release } = signalled()
    const respond = () => released.then(() => Response.json(payment, { status }))
    const client = clientWith(respond, { timeout: 60_000 })

    const calls = Array.from({ length: 200 }, () => Promise.resolve(client.payments.get('pay_1', { signal })))
    await othersFinish()
    const during = getEventListeners(signal, 'abort').length
    release()
    await Promise.allSettled(calls)

    expect(during).toBe(1)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('aborts every call that uses the signal', async () => {
    const controller = new AbortController()
    const client = clientWith(() => new Promise(() => {}), { maxConnections: 50 })

    const calls = Array.from({ length: 200 }, () =>
      failureOf(client.payments.get('pay_1', { signal: controller.signal })),
    )
    await othersFinish()
    controller.abort(new Error('shut down'))
    const errors = await Promise.all(calls)

    expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(['AbortedError']))
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('aborts the remaining calls after one call has ended', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const { client } = aClient([payment, () => new Promise(() => {})])

    const call = client.payments.get('pay_1', { signal })
    const other = failureOf(client.payments.get('pay_2', { signal }))
    await call
    controller.abort()

    expect(await other).toMatchObject({ name: 'AbortedError' })
  })

  it('removes all listeners from the signal after a loop over many pages', async () => {
    const { signal } = new AbortController()
    let page = 0
    const client = clientWith(() => Response.json({ data: [payment], nextCursor: ++page < 200 ? `c${page}` : null }))

    expect(await client.payments.list({}, { signal }).toArray({ limit: 1_000 })).toHaveLength(200)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('many concurrent calls', () => {
  it('completes many concurrent calls over at most 100 connections', async () => {
    const { failures, requests, mostConnections } = JSON.parse(await runProgram('concurrent-calls', ['250']))

    expect([failures, requests]).toEqual([[], 250])
    expect(mostConnections).toBeGreaterThan(1)
    expect(mostConnections).toBeLessThanOrEqual(100)
  })

  it('rejects a call that is still queued at the deadline, with "not_sent"', async () => {
    const server = await serve([read(), hang()])
    const client = clientOf(server, { maxConnections: 1, maxRetries: 2 })
    const controller = new AbortController()
    const inFlight = failureOf(client.payments.get('pay_1', { signal: controller.signal }))
    await until(() => server.requests.length === 1)

    const error = await failureOf(client.payments.capture('pay_1', {}, { totalTimeout: 50 }))

    const facts = { phase: 'queue', outcome: 'not_sent', attempts: [], timeoutMs: 50 }
    expect(error).toMatchObject({ name: 'TimeoutError', ...facts })
    controller.abort()
    await inFlight
    expect(server.requests).toHaveLength(1)
  })

  it('completes the other calls after a queued call is aborted', async () => {
    const { reached, reach } = signalled()
    const server = await serve([read(), reach, hang()], respondWith(payment))
    const client = clientOf(server, { maxConnections: 1 })
    const [sent, queued] = [new AbortController(), new AbortController()]

    const first = failureOf(client.payments.get('pay_1', { signal: sent.signal }))
    const second = failureOf(client.payments.get('pay_2', { signal: queued.signal }))
    const third = client.payments.get('pay_3')
    await reached
    queued.abort()

    expect(await second).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' })
    sent.abort()
    expect(await first).toMatchObject({ name: 'AbortedError', outcome: 'unknown' })
    await expect(third).resolves.toEqual(payment)
    expect(server.requests.map(({ path }) => path)).toEqual(['/payments/pay_1', '/payments/pay_3'])
  })
})

describe('after a client’s last call', () => {
  it('lets the process exit after the client’s last call', async () => {
    const server = await serve(
      respondWith(anyResponse),
      [read(), write(responseBytes(payment).slice(0, -9)), hang()],
      [read(), hang()],
      [read(), fin()],
      respondWith(anyResponse),
    )

    expect(await runProgram('leave-nothing-behind', [server.url])).toBe('4 calls ended, 0 timers left')
  })

  it('stops all timers after the client’s last call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate'] })
    onTestFinished(() => void vi.useRealTimers())

    await clientReceiving(payment).payments.get('pay_1')
    await clientReceiving(payment, {}, { idempotency: async () => 'key-1' }).payments.capture('pay_1')
    await failureOf(clientReceiving('', { status: 500 }).payments.get('pay_1'))
    await failureOf(clientReceiving('', { status: 404 }).payments.get('pay_1'))
    await failureOf(clientReceiving('<html>').payments.get('pay_1'))
    await failureOf(clientReceiving(payment).payments.get('pay_1', { signal: AbortSignal.abort() }))
    const controller = new AbortController()
    const abortInBackoff = { maxRetries: 1, hooks: { onRetry: () => queueMicrotask(() => controller.abort()) } }
    const client = clientReceiving('', { status: 500 }, abortInBackoff)
    await failureOf(client.payments.get('pay_1', { signal: controller.signal }))

    expect(vi.getTimerCount()).toBe(0)
  })

  it('causes no unhandled rejection if a failing call is awaited twice', async () => {
    const call = clientReceiving('', { status: 404 }).payments.get('pay_1')

    await expect(call.withResponse()).rejects.toThrow('404')
    await expect(call).rejects.toThrow('404')
  })

  it('causes no unhandled rejection if a prefetched page fails after the loop', async () => {
    let page = 0
    const client = clientWith(() =>
      ++page === 1 ? Response.json({ data: [payment], nextCursor: 'c' }) : new Response('', { status: 500 }),
    )

    for await (const row of client.payments.list()) {
      expect(row).toEqual(payment)
      await until(() => page === 2)
      break
    }
    await othersFinish()
  })
})

/** Aborts a call when `reached` resolves, and returns its error. */
async function abortedWhen(reached: Promise<unknown>, client: PaymentsClient) {
  const controller = new AbortController()
  void reached.then(() => controller.abort())
  return failureOf(client.payments.capture('pay_1', {}, { signal: controller.signal }))
}

describe('a connection slot', () => {
  const never = () => new Promise<never>(() => {})

  it('frees the connection slot at the deadline if the apiKey function never settles', async () => {
    const keys = [never(), 'key-1']
    const client = clientReceiving(payment, undefined, {
      maxConnections: 1,
      apiKey: async () => keys.shift() as string | Promise<string>,
    })

    const error = await failureOf(client.payments.get('pay_1', { totalTimeout: 50 }))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', outcome: 'not_sent' })
    await expect(client.payments.get('pay_1')).resolves.toEqual(payment)
  })

  it('frees the connection slot at the deadline if fetch ignores its abort signal', async () => {
    const responses = [never, () => Response.json(payment)]
    const client = clientWith(async () => (responses.shift() ?? never)(), { maxConnections: 1 })

    const error = await failureOf(client.payments.get('pay_1', { totalTimeout: 50 }))

    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' })
    await expect(client.payments.get('pay_1')).resolves.toEqual(payment)
  })
})
