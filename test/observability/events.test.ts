import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LogFields, RequestEvent } from '../../src/index.js'
import { aClient, errorResponse, failureOf, payment } from '../support/clients.js'

beforeEach(() => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => random.mockRestore()
})

const unavailable = () => new Response('', { status: 503 })
const keyWasUsed = () => errorResponse(409, { errorId: 'IdempotencyKeyAlreadyExists', paymentId: 'pay_1' })

describe('the callId', () => {
  it('identifies a call in all of its events, log lines, errors and responses', async () => {
    const events: { callId: string }[] = []
    const lines: string[] = []
    const hear = (event: { callId: string }) => void events.push(event)
    const log = (line: string) => void lines.push(line)
    const { client } = aClient([unavailable, keyWasUsed, { ...payment, processor: { amountCaptured: 700 } }], {
      maxRetries: 1,
      hooks: { onRequest: hear, onResponse: hear, onRetry: hear, onResult: hear },
      logger: { debug: log, info: log, warn: log, error: log },
      logLevel: 'debug',
    })

    const { response } = await client.payments.capture('pay_1', { amount: 700 }).withResponse()
    const error = await failureOf(client.payments.capture('pay_1', { amount: -1 }))

    expect(response.recovered).toBe(true)
    const ids = events.map(({ callId }) => callId)
    expect(new Set(ids.slice(0, -1))).toEqual(new Set([response.callId]))
    expect(ids.at(-1)).toBe(error.callId)
    expect(error.callId).not.toBe(response.callId)
    expect(lines.filter((line) => line.endsWith(`[${response.callId}]`))).toHaveLength(lines.length - 1)
  })
})

describe('the second argument of each logger method', () => {
  const aFieldLogger = () => {
    const calls: [level: string, message: string, fields: LogFields][] = []
    const at = (level: string) => (message: string, fields: LogFields) => void calls.push([level, message, fields])
    return { calls, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
  }

  it('passes the operation, outcome, status, attempts and callId of a failed call', async () => {
    const { calls, logger } = aFieldLogger()
    const { client } = aClient([unavailable, unavailable], { maxRetries: 1, logger })

    const { callId, attempts } = await failureOf(client.payments.capture('pay_1'))

    const operation = 'payments.capture'
    expect(calls.map(([level, , fields]) => [level, fields])).toEqual([
      ['warn', { callId, operation, attempt: 1, outcome: 'unknown', status: 503, attempts: attempts.slice(0, 1) }],
      ['error', { callId, operation, outcome: 'unknown', status: 503, attempts }],
    ])
  })

  it('passes the outcome of a call that was not sent', async () => {
    const { calls, logger } = aFieldLogger()

    const { callId } = await failureOf(aClient([], { logger }).client.payments.capture(''))

    expect(calls[0]?.[2]).toEqual({ callId, operation: 'payments.capture', outcome: 'not_sent', attempts: [] })
  })

  it('passes the operation and callId with every log line', async () => {
    const { calls, logger } = aFieldLogger()
    const hooks = {
      onResult: () => {
        throw new Error('full')
      },
    }
    const { client } = aClient([{ data: [{ id: 5 }] }], {
      logger,
      hooks,
      logLevel: 'debug',
      responseValidation: 'report',
    })

    const { response } = await client.payments.list({ status: 'SETLED' }).withResponse()

    const { callId, attempts } = response
    const line = { callId, operation: 'payments.list' }
    const attempt = { ...line, attempt: 1, attempts: [] }
    expect(calls.map(([, message, fields]) => [message.split(' ').at(1), fields])).toEqual([
      ['(GET', line],
      ['(GET', attempt],
      ['(GET', { ...attempt, status: 200 }],
      ['(GET', attempt],
      ['hook', { ...line, outcome: 'succeeded', status: 200, attempts }],
    ])
  })
})

describe('hooks.onRequest', () => {
  const sendWith = async (onRequest: (event: RequestEvent) => void) => {
    const error = vi.fn()
    const { client, requests } = aClient([payment], {
      headers: { 'x-shop': 'berlin' },
      hooks: { onRequest },
      logger: { debug() {}, info() {}, warn() {}, error },
    })
    await client.payments.get('pay_1', { headers: { 'x-team': 'a' } })
    return { headers: requests[0]?.headers ?? {}, logged: error.mock.calls.map(([message]) => message) }
  }

  it('lets onRequest read and change the caller’s headers, but not the SDK’s', async () => {
    const seen: unknown[] = []
    const { headers } = await sendWith(({ headers }) => {
      seen.push(Object.fromEntries(headers))
      headers.set('X-Shop', 'paris')
      headers.delete('x-team')
      headers.append('x-trace', '1')
    })

    expect(seen).toEqual([{ 'x-shop': 'berlin', 'x-team': 'a' }])
    expect(headers).toMatchObject({ 'x-shop': 'paris', 'x-trace': '1' })
    expect(headers).not.toHaveProperty('x-team')
  })

  it.each<[string, (headers: Headers) => void]>([
    [
      'throws',
      (headers) => {
        headers.set('x-shop', 'paris')
        throw new Error('no')
      },
    ],
    ['sets a header of the SDK', (headers) => headers.set('x-api-key', 'stolen')],
  ])('leaves the headers unchanged if the hook %s', async (_, change) => {
    const { headers, logged } = await sendWith((event) => change(event.headers))

    expect(headers).toMatchObject({ 'x-shop': 'berlin', 'x-team': 'a', 'x-api-key': 'a-key-for-tests' })
    expect(logged).toEqual([expect.stringContaining('onRequest')])
  })

  it('ignores changes to headers after onRequest has returned', async () => {
    const { headers } = await sendWith(async (event) => {
      await null
      event.headers.set('x-shop', 'late')
    })

    expect(headers['x-shop']).toBe('berlin')
  })
})

it('the client calls onResult even if the arguments of a call cannot be read', async () => {
  const onResult = vi.fn()
  const { client } = aClient([], { hooks: { onResult } })
  const error = new Error('not loaded')
  const body = Object.defineProperty({}, 'amount', {
    enumerable: true,
    get: () => {
      throw error
    },
  })

  await expect(client.payments.capture('pay_1', body)).rejects.toBe(error)

  expect(onResult.mock.calls).toMatchObject([[{ operation: 'payments.capture', attempts: [], error }]])
})

it('the client accepts hooks that are methods of a class instance', async () => {
  const onResult = vi.fn()
  class Metrics {
    readonly #record = onResult

    onResult(event: object) {
      this.#record(event)
    }
  }
  const { client } = aClient([payment], { hooks: new Metrics() })

  await client.payments.get('pay_1')

  expect(onResult).toHaveBeenCalledTimes(1)
})

describe('the diagnostics channels', () => {
  it('ignores a subscriber’s changes to the SDK’s headers', async () => {
    const { start } = tracingChannel('payments-client:attempt')
    const setKey = (context: unknown) => (context as { headers: Headers }).headers.set('x-idempotency-key', 'key-1')
    start.subscribe(setKey)
    onTestFinished(() => void start.unsubscribe(setKey))
    const { client, requests } = aClient([payment], { headers: { 'x-shop': 'berlin' } })

    await client.payments.resume('pay_1', { resumeToken: 'resume_1' })

    expect(requests[0]?.headers).toMatchObject({ 'x-shop': 'berlin' })
    expect(requests[0]?.headers).not.toHaveProperty('x-idempotency-key')
  })

  it('ends a successful attempt with the facts about it', async () => {
    const { asyncEnd } = tracingChannel('payments-client:attempt')
    const results: unknown[] = []
    const record = (context: unknown) => void results.push((context as { result?: unknown }).result)
    asyncEnd.subscribe(record)
    onTestFinished(() => void asyncEnd.unsubscribe(record))

    const { response } = await aClient([payment]).client.payments.get('pay_1').withResponse()

    const { callId, attempts } = response
    const request = { operation: 'payments.get', method: 'GET', path: '/payments/:id' }
    expect(results).toEqual([{ callId, ...request, attempt: 1, status: 200, durationMs: attempts[0]?.durationMs }])
  })

  it('lets a subscriber run each call with a value in its AsyncLocalStorage', async () => {
    const storage = new AsyncLocalStorage<string>()
    const channel = tracingChannel('payments-client:call')
    channel.start.bindStore(storage, (context) => `span of ${(context as { operation: string }).operation}`)
    onTestFinished(() => void channel.start.unbindStore(storage))
    let active: string | undefined
    const { client } = aClient(() => {
      active = storage.getStore()
      return Response.json(payment)
    })

    await client.payments.get('pay_1')

    expect(active).toBe('span of payments.get')
  })
})
