import type { ClientOptions, PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aClient, errorResponse, failureOf, payment } from '../support/clients.js'
import { stopClock } from '../support/clock.js'

describe('the onResult hook and the log', () => {
  type Line = [level: string, message: string]

  function observed(respond: Parameters<typeof aClient>[0], options: ClientOptions = {}) {
    const lines: Line[] = []
    const results: Record<string, unknown>[] = []
    const log = (level: string) => (message: string) => void lines.push([level, message])
    const { client } = aClient(respond, {
      logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      hooks: { onResult: (event: object) => void results.push({ ...event }) },
      ...options,
    } as ClientOptions)
    return { client, lines, results }
  }

  const reset = () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' }))

  it.each<[string, Parameters<typeof aClient>[0], name: string, outcome: string, status?: number]>([
    ['without a response', reset, 'ConnectionError', 'unknown'],
    ['by timeout', () => new Promise(() => {}), 'TimeoutError', 'unknown'],
    ['with an unreadable 2xx', () => new Response('<html>'), 'UnreadableResponseError', 'accepted', 200],
    ['with an invalid 2xx', () => Response.json({ id: 12 }), 'ResponseValidationError', 'accepted', 200],
    ['with a rejection', () => errorResponse(422), 'UnprocessableError', 'rejected', 422],
    ['with a 5xx', () => new Response('', { status: 503 }), 'ServerError', 'unknown', 503],
  ])('reports a call that fails %s exactly once', async (_, respond, name, outcome, status) => {
    const { passUntil } = stopClock()
    const { client, lines, results } = observed(respond)

    const failing = failureOf(client.payments.capture('pay_1'))
    await passUntil(failing)

    const error = await failing

    const { callId, attempts } = error
    expect(error).toMatchObject({ name, outcome })
    const facts = { operation: 'payments.capture', durationMs: expect.any(Number), ...(status && { status }) }
    expect(results).toEqual([{ callId, outcome, attempts, error, ...facts }])
    const failed = lines.filter(([level]) => level === 'error' || level === 'warn')
    expect(failed).toEqual([[outcome === 'rejected' ? 'warn' : 'error', expect.stringContaining(callId ?? '')]])
    for (const part of ['payments.capture', outcome]) expect(failed[0]?.[1]).toContain(part)
  })

  it('reports a successful call exactly once, without a warning or an error', async () => {
    const { client, lines, results } = observed([payment])

    const { response } = await client.payments.capture('pay_1').withResponse()

    expect(results).toEqual([
      expect.objectContaining({ operation: 'payments.capture', outcome: 'succeeded', status: 200 }),
    ])
    expect(results[0]?.['callId']).toBe((response as { callId?: string }).callId)
    expect(results[0]).not.toHaveProperty('error')
    expect(lines).toEqual([])
  })

  const amount = '7' as never
  const rejected: [operation: string, method: string, (client: PaymentsClient) => PromiseLike<unknown>][] = [
    ['payments.capture', 'capture', ({ payments }) => payments.capture('pay_1', { amount })],
    ['clientSessions.update', 'merge', ({ clientSessions }) => clientSessions.merge('client_1', { amount })],
    ['payments.list', 'list', ({ payments }) => payments.list({ limit: amount })],
    ['payments.list', 'list, while iterating', ({ payments }) => payments.list({}, amount).toArray({ limit: 1 })],
    ['loyalty.transactions.list', 'list', ({ loyalty }) => loyalty.transactions.list({ customerId: [] as never })],
    ['request', 'request', (client) => client.request({ method: 'GET', path: 'reports' })],
    [
      'request',
      'request with an invalid path segment',
      (client) => client.request({ method: 'GET', path: '/reports/%' }),
    ],
    ['request', 'request with a string instead of an object', (client) => client.request(amount)],
  ]

  it.each(rejected)('reports the rejected arguments of %s exactly once: %s', async (operation, _, call) => {
    const { client, lines, results } = observed([])

    const error = await failureOf(call(client))

    expect(error).toMatchObject({ name: 'RequestValidationError', operation, callId: expect.any(String) })
    expect(results).toEqual([
      expect.objectContaining({ callId: error.callId, operation, outcome: 'not_sent', attempts: [], error }),
    ])
    expect(lines).toEqual([['error', expect.stringMatching(new RegExp(`^${operation}.* \\[${error.callId}\\]$`))]])
  })

  it.each<
    [
      level: string,
      what: string,
      outcome: string,
      (client: PaymentsClient, signal: AbortSignal) => PromiseLike<unknown>,
    ]
  >([
    ['info', 'a read', 'unknown', ({ payments }, signal) => payments.get('pay_1', { signal })],
    ['error', 'a write', 'unknown', ({ payments }, signal) => payments.capture('pay_1', {}, { signal })],
    [
      'info',
      'a write that was not sent',
      'not_sent',
      ({ payments }) => payments.capture('pay_1', {}, { signal: AbortSignal.abort() }),
    ],
  ])('reports at the log level %s that the caller aborted %s', async (level, _, outcome, call) => {
    const controller = new AbortController()
    const { client, lines } = observed(
      () => {
        controller.abort()
        return new Promise(() => {})
      },
      { logLevel: 'info' },
    )

    expect(await failureOf(call(client, controller.signal))).toMatchObject({ name: 'AbortedError', outcome })

    expect(lines).toEqual([[level, expect.stringContaining('ERR_ABORTED')]])
  })
})
