import { getEventListeners } from 'node:events'
import type { ClientOptions, PaymentsError } from 'payments-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  clientOf,
  clientReceiving,
  clientWith,
  describeWithEachAdapter,
  failureOf,
  payment,
  retryAtOnce,
  serve,
  signalled,
  timed,
  until,
} from '../support/clients.js'
import { anyResponse } from '../support/operations.js'
import { fin, hang, read, respondWith, responseBytes, type Script, write } from '../support/scripted-server.js'
import { runProgram } from './support/program.js'

/** How soon a call that is ended by its caller must settle. */
const promptlyMs = 50

describeWithEachAdapter('the caller gives up', (clientOf) => {
  it('C01 before the call: nothing is sent', async () => {
    const server = await serve(respondWith(payment))
    const reason = new Error('the shopper left')

    const error = await failureOf(
      clientOf(server, { maxRetries: 2 }).payments.capture('pay_1', {}, { signal: AbortSignal.abort(reason) }),
    )

    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [], reason })
    expect(server.connections).toBe(0)
  })

  it.each([
    ['right after the call', (): ClientOptions => ({})],
    ['while the key is fetched', (): ClientOptions => ({ apiKey: () => new Promise(() => {}) })],
    ['while the idempotency key is made', (): ClientOptions => ({ idempotency: () => new Promise(() => {}) })],
  ])('C01 %s: nothing is sent', async (_, options) => {
    const server = await serve(respondWith(payment))
    const leaving = new AbortController()

    const call = clientOf(server, options()).payments.capture('pay_1', {}, { signal: leaving.signal })
    leaving.abort()
    const error = await failureOf(call)

    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [] })
    expect(server.requests).toEqual([])
  })

  const part = (status: number) => write(`HTTP/1.1 ${status} Status\r\ncontent-length: 99\r\n\r\n{`)

  it.each<[string, string, (reach: () => void) => Script]>([
    ['waiting for headers', 'unknown', (reach) => [read(), reach, hang()]],
    ['in the body', 'accepted', () => [read(), part(200), hang()]],
    ['in the body of a refusal', 'rejected', () => [read(), part(404), hang()]],
  ])('C02 %s: settles promptly, and the connection is closed', timed, async (_, outcome, script) => {
    const { reached, reach } = signalled()
    const server = await serve(script(reach))
    const client = clientOf(server, { maxRetries: 2, hooks: { onResponse: reach } })
    const leaving = new AbortController()

    const settled = settling(client.payments.capture('pay_1', {}, { signal: leaving.signal }))
    await reached
    const leftAt = performance.now()
    leaving.abort()
    const { error, at } = await settled

    expect(error).toMatchObject({ name: 'AbortedError', outcome, attempts: [{ code: 'ERR_ABORTED' }] })
    expect(at - leftAt).toBeLessThan(promptlyMs)
    await until(() => server.openConnections === 0)
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    [503, 'unknown'],
    [429, 'rejected'],
  ])(
    'C02 in the wait after a %i: settles promptly, with the outcome of the last attempt',
    timed,
    async (status, outcome) => {
      const { reached, reach } = signalled()
      const server = await serve(respondWith('', { status, headers: { 'retry-after': 30 } }))
      const client = clientOf(server, { maxRetries: 2, hooks: { onRetry: reach } })
      const leaving = new AbortController()

      const settled = settling(client.payments.capture('pay_1', {}, { signal: leaving.signal }))
      await reached
      const leftAt = performance.now()
      leaving.abort()
      const { error, at } = await settled

      expect(error).toMatchObject({ name: 'AbortedError', outcome, attempts: [{ status }] })
      expect(at - leftAt).toBeLessThan(promptlyMs)
      expect(server.requests).toHaveLength(1)
    },
  )

  it('C03 is told apart from time running out, and keeps the caller’s reason', async () => {
    const server = await serve([read(), hang()])
    const client = clientOf(server)
    const leaving = new AbortController()
    const reason = { order: 'order-1', why: 'cancelled' }

    const aborted = failureOf(client.payments.capture('pay_1', {}, { signal: leaving.signal }))
    leaving.abort(reason)
    const impatient = failureOf(client.payments.capture('pay_1', {}, { signal: AbortSignal.timeout(50) }))
    const timedOut = failureOf(client.payments.capture('pay_1', {}, { timeout: 50 }))

    expect(await aborted).toMatchObject({ name: 'AbortedError', code: 'ERR_ABORTED', reason })
    expect(await impatient).toMatchObject({ name: 'AbortedError', reason: { name: 'TimeoutError' } })
    expect(await timedOut).toMatchObject({ name: 'TimeoutError', code: 'ERR_TIMEOUT', timeoutMs: 50 })
  })
})

describe('one signal for many calls', () => {
  it.each([
    ['that succeed', 200],
    ['that fail', 500],
  ])(
    'C04 10,000 calls %s leave no listener behind, and cause no warning',
    async (_, status) => {
      const { signal } = new AbortController()
      const client = clientReceiving(payment, { status }, { timeout: 60_000 })

      await Promise.allSettled(Array.from({ length: 10_000 }, () => client.payments.get('pay_1', { signal })))

      expect(getEventListeners(signal, 'abort')).toEqual([])
    },
    30_000,
  )

  it('C04 a list of many pages leaves no listener behind', async () => {
    const { signal } = new AbortController()
    let page = 0
    const client = clientWith(() => Response.json({ data: [payment], nextCursor: ++page < 200 ? `c${page}` : null }))

    const rows = await client.payments.list({}, { signal }).toArray({ limit: 1_000 })

    expect(rows).toHaveLength(200)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('many calls at once', () => {
  it('C05 10,000 in flight: none lost, and never more connections than the bound', async () => {
    const { lines, errors } = await runProgram('ten-thousand-calls')

    expect(errors).toBe('')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ succeeded: 10_000, failures: [], requests: 10_000 })
    const { mostConnections } = JSON.parse(lines[0] ?? '') as { mostConnections: number }
    expect(mostConnections).toBeGreaterThan(1)
    expect(mostConnections).toBeLessThanOrEqual(100)
  }, 60_000)

  it('C05 the bound holds for copies of a client too', async () => {
    const server = await serve([read(), hang()])
    // Those in flight outlast those in the queue, so that no place comes free for them.
    const client = clientOf(server, { maxConnections: 2, totalTimeout: 1500 })
    const copy = client.withOptions({ totalTimeout: 150 })

    const errors = await Promise.all(
      [client, client, copy, copy].map(({ payments }) => failureOf(payments.get('pay_1'))),
    )

    expect(errors.map((error) => (error as { phase?: string }).phase).sort()).toEqual([
      'headers',
      'headers',
      'queue',
      'queue',
    ])
    expect(server.connections).toBe(2)
  })

  it('C05 the time in the queue counts, and a call still queued at its deadline is not_sent', timed, async () => {
    const server = await serve([read(), hang()])
    const client = clientOf(server, { maxConnections: 1, maxRetries: 2 })
    const inFlight = failureOf(client.payments.get('pay_1', { totalTimeout: 400 }))

    const startedAt = performance.now()
    const error = await failureOf(client.payments.capture('pay_1', {}, { totalTimeout: 200 }))
    const duration = performance.now() - startedAt

    expect(error).toMatchObject({
      name: 'TimeoutError',
      phase: 'queue',
      outcome: 'not_sent',
      attempts: [],
      timeoutMs: 200,
    })
    expect(duration).toBeLessThan(300)
    await inFlight
    expect(server.requests).toHaveLength(1)
  })

  it('C05 a call that left the queue does not hold up the ones behind it', async () => {
    retryAtOnce()
    const server = await serve([read(), hang()], respondWith(payment))
    const client = clientOf(server, { maxConnections: 1 })
    const leaving = new AbortController()

    const first = failureOf(client.payments.get('pay_1', { timeout: 150 }))
    const second = failureOf(client.payments.get('pay_2', { signal: leaving.signal }))
    const third = client.payments.get('pay_3')
    leaving.abort()

    expect(await second).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' })
    expect(await first).toMatchObject({ name: 'TimeoutError', phase: 'headers' })
    await expect(third).resolves.toEqual(payment)
    expect(server.requests.map(({ path }) => path)).toEqual(['/payments/pay_1', '/payments/pay_3'])
  })
})

describe('leftovers', () => {
  it('C06 a process ends soon after its last call, however its calls went', { ...timed, timeout: 20_000 }, async () => {
    const server = await serve(
      respondWith(anyResponse),
      [read(), write(responseBytes(payment).slice(0, -9)), hang()],
      [read(), hang()],
      [read(), fin()],
      respondWith(anyResponse),
    )

    const { code, lines, errors, afterLastLineMs } = await runProgram('leave-nothing-behind', [server.url])

    expect(errors).toBe('')
    expect(lines).toEqual(['no timers left', 'done'])
    expect(code).toBe(0)
    expect(afterLastLineMs).toBeLessThan(1_000)
  })

  it('C06 no timer outlives its call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate'] })
    onTestFinished(() => void vi.useRealTimers())

    await clientReceiving(payment).payments.get('pay_1')
    await failureOf(clientReceiving('', { status: 500 }).payments.get('pay_1'))
    await failureOf(clientReceiving('', { status: 404 }).payments.get('pay_1'))
    await failureOf(clientReceiving('<html>').payments.get('pay_1'))
    await failureOf(clientReceiving(payment).payments.get('pay_1', { signal: AbortSignal.abort() }))

    expect(vi.getTimerCount()).toBe(0)
  })

  it('C06 an error has one owner: a call looked at in two ways is no unhandled rejection', async () => {
    const call = clientReceiving('', { status: 404 }).payments.get('pay_1')

    await expect(call.withResponse()).rejects.toThrow('404')
    await expect(call).rejects.toThrow('404')
  })

  it('C06 a page that fails after the loop was left is no unhandled rejection', async () => {
    let page = 0
    const client = clientWith(() =>
      ++page === 1 ? Response.json({ data: [payment], nextCursor: 'c' }) : new Response('', { status: 500 }),
    )

    for await (const row of client.payments.list()) {
      expect(row).toEqual(payment)
      await new Promise((resolve) => setTimeout(resolve, 20))
      break
    }

    expect(page).toBe(2)
  })
})

/** The error of a call, and when it came. */
async function settling(call: PromiseLike<unknown>): Promise<{ error: PaymentsError; at: number }> {
  const error = await failureOf(call)
  return { error, at: performance.now() }
}

describe('a function of the caller’s that never settles', () => {
  const never = () => new Promise<never>(() => {})

  it('C05 holds no place: the apiKey', async () => {
    const keys = [never(), 'key-1']
    const client = clientReceiving(payment, undefined, {
      maxConnections: 1,
      apiKey: async () => keys.shift() as string | Promise<string>,
    })

    const error = await failureOf(client.payments.get('pay_1', { totalTimeout: 50 }))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', outcome: 'not_sent' })
    await expect(client.payments.get('pay_1')).resolves.toEqual(payment)
  })

  it('C05 holds no place: a fetch that ignores its signal', async () => {
    const answers = [never, () => Response.json(payment)]
    const client = clientWith(async () => (answers.shift() ?? never)(), { maxConnections: 1 })

    const error = await failureOf(client.payments.get('pay_1', { totalTimeout: 50 }))

    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' })
    await expect(client.payments.get('pay_1')).resolves.toEqual(payment)
  })
})
