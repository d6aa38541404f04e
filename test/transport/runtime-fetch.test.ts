import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { aClient, apiKey, baseUrl, failureOf, payment } from '../support/clients.js'

const nested = (depth: number, error: object): object => (depth === 0 ? error : { cause: nested(depth - 1, error) })

describe('the fetch of Deno or Bun', () => {
  let client: PaymentsClient
  const fetch = vi.fn()

  beforeAll(async () => {
    vi.stubGlobal('Deno', {})
    vi.stubGlobal('fetch', fetch)
    vi.resetModules()
    const loaded = await import('../../src/index.js')
    client = new loaded.PaymentsClient({ apiKey, baseUrl, maxRetries: 0 })
    // Loads the fetch adapter, which remembers the global fetch.
    await client.payments.get('pay_1').catch(() => {})
    return () => {
      vi.unstubAllGlobals()
      vi.resetModules()
    }
  })

  it('receives bodies as a Blob, because it would resend a string', async () => {
    fetch.mockImplementation(async () => Response.json(payment))

    await client.payments.capture('pay_1', { amount: 5 })
    await client.payments.capture('pay_1')
    await client.payments.get('pay_1')

    const bodies = fetch.mock.calls.slice(-3).map(([, { body }]) => body)
    expect(await Promise.all(bodies.slice(0, 2).map((body: Blob) => body.text()))).toEqual(['{"amount":5}', ''])
    expect(bodies[2]).toBeNull()
  })

  it('is replaced by a custom fetch, which receives bodies as strings', async () => {
    const custom = vi.fn(async (_url: string, _init: object) => Response.json(payment))

    await client.withOptions({ fetch: custom }).payments.capture('pay_1', { amount: 5 })

    expect(custom.mock.calls[0]?.[1]).toMatchObject({ body: '{"amount":5}' })
  })

  const refused = { code: 'ECONNREFUSED' }
  const connectCodes = [
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused', 'FailedToOpenSocket'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'UNABLE_TO_GET_ISSUER_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'HOSTNAME_MISMATCH', 'INVALID_CA'],
  ]

  it.each<[outcome: string, unknown[]]>([
    [
      'not_sent',
      [
        ...connectCodes.map((code) => ({ code })),
        { syscall: 'connect' },
        { syscall: 'getaddrinfo' },
        nested(7, refused),
        { errors: [refused, refused] },
        { ...refused, errors: [] },
      ],
    ],
    [
      'unknown',
      [
        { code: 'ECONNRESET' },
        { code: 'THE_CERT_HAS_EXPIRED' },
        { syscall: 'read' },
        { ...refused, errors: [refused, { code: 'ECONNRESET' }] },
        nested(8, refused),
        'ECONNREFUSED',
        null,
      ],
    ],
  ])('leads to the outcome %s, depending on the error with which it rejects', async (outcome, errors) => {
    for (const error of errors) {
      fetch.mockRejectedValue(error)
      const failure = await client.payments.capture('pay_1').catch((reason: unknown) => reason)
      expect([error, failure]).toMatchObject([error, { name: 'ConnectionError', outcome }])
    }
  })
})

describe('the reason of a ConnectionError', () => {
  it.each<[reason: string, unknown[]]>([
    [
      'ECONNRESET',
      [
        { code: 'ECONNRESET' },
        nested(7, { code: 'ECONNRESET' }),
        { errors: [{ code: 'ECONNRESET' }] },
        { code: 5, cause: { code: 'ECONNRESET' } },
      ],
    ],
    [`E${'X'.repeat(59)}`, [{ code: `E${'X'.repeat(59)}` }]],
    [
      'ERR_NETWORK',
      [
        { code: 'E' },
        { code: `E${'X'.repeat(60)}` },
        { code: 'econnreset' },
        { code: 'E RESET' },
        nested(8, { code: 'ECONNRESET' }),
        { code: 5 },
        new Error('ECONNRESET'),
        null,
      ],
    ],
  ])('is %s, depending on the code of the underlying error', async (reason, errors) => {
    for (const error of errors) {
      const { client } = aClient(() => Promise.reject(error))
      const failure = await failureOf(client.payments.get('pay_1'))
      expect([error, failure]).toMatchObject([error, { name: 'ConnectionError', reason }])
    }
  })
})
