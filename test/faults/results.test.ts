import type { ClientOptions } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aClient, errorResponse, failureOf, payment } from '../support/clients.js'

describe('the end of a call', () => {
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

  const failures: [string, Parameters<typeof aClient>[0], ClientOptions, object][] = [
    [
      'without a response',
      () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' })),
      {},
      { name: 'ConnectionError', outcome: 'unknown' },
    ],
    ['by timeout', () => new Promise(() => {}), { timeout: 20 }, { name: 'TimeoutError', outcome: 'unknown' }],
    [
      'with an unreadable 2xx',
      () => new Response('<html>', { status: 200 }),
      {},
      { name: 'UnreadableResponseError', outcome: 'accepted', status: 200 },
    ],
    [
      'with a 2xx that violates the contract',
      () => Response.json({ id: 12 }),
      {},
      { name: 'ResponseValidationError', outcome: 'accepted', status: 200 },
    ],
    [
      'with a rejection',
      () => errorResponse(422),
      {},
      { name: 'UnprocessableError', outcome: 'rejected', status: 422 },
    ],
    [
      'with a 5xx',
      () => new Response('', { status: 503 }),
      {},
      { name: 'ServerError', outcome: 'unknown', status: 503 },
    ],
  ]

  it.each(failures)(
    'N26 calls onResult once and logs one line for a call that fails %s',
    async (_, respond, options, expected) => {
      const { client, lines, results } = observed(respond, options)

      const error = await failureOf(client.payments.capture('pay_1'))

      const { name, outcome, ...rest } = expected as { name: string; outcome: string }
      expect(error).toMatchObject({ name, outcome })
      const { callId } = error as unknown as { callId: string }
      expect(results).toEqual([
        expect.objectContaining({
          callId,
          operation: 'payments.capture',
          outcome,
          error,
          durationMs: expect.any(Number),
          ...rest,
        }),
      ])
      expect(attemptsOf(results[0])).toBe(error.attempts.length)
      const failed = lines.filter(([level]) => level === 'error' || level === 'warn')
      expect(failed).toHaveLength(1)
      const [level, message] = failed[0] as Line
      expect(level).toBe(outcome === 'rejected' ? 'warn' : 'error')
      for (const part of ['payments.capture', outcome, callId]) expect(message).toContain(part)
    },
  )

  it('N26 calls onResult once for a success, and logs nothing at warn or error', async () => {
    const { client, lines, results } = observed([payment])

    const { response } = await client.payments.capture('pay_1').withResponse()

    expect(results).toEqual([
      expect.objectContaining({ operation: 'payments.capture', outcome: 'succeeded', status: 200 }),
    ])
    expect(results[0]?.['callId']).toBe((response as { callId?: string }).callId)
    expect(results[0]).not.toHaveProperty('error')
    expect(lines).toEqual([])
  })

  it('N26 calls onResult for a call that was rejected before sending', async () => {
    const { client, results } = observed([])

    const error = await failureOf(client.payments.capture('pay_1', { amount: -1 }))

    expect(results).toEqual([expect.objectContaining({ outcome: 'not_sent', error })])
  })

  /** `attempts` is the array of attempts or their number. */
  function attemptsOf(event: object | undefined): number {
    const attempts: unknown = Reflect.get(event ?? {}, 'attempts')
    return Array.isArray(attempts) ? attempts.length : Number(attempts)
  }
})
