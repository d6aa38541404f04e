import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../../src/index.js'
import { aClient, apiKey, baseUrl, failureOf, payment, retryAtOnce } from '../../support/clients.js'

const nested = (depth: number, error: object): object => (depth === 0 ? error : { cause: nested(depth - 1, error) })
const grouped = (depth: number, error: object): object =>
  depth === 0 ? error : { errors: [grouped(depth - 1, error)] }

describe.each(['Deno', 'Bun'])('the fetch of %s', (runtime) => {
  let client: PaymentsClient
  const fetch = vi.fn()

  beforeAll(async () => {
    vi.stubGlobal(runtime, {})
    vi.stubGlobal('fetch', fetch)
    vi.resetModules()
    const loaded = await import('../../../src/index.js')
    client = new loaded.PaymentsClient({ apiKey, baseUrl, maxRetries: 0 })
    // Loads the fetch adapter, which keeps using the current global fetch.
    await client.payments.get('pay_1').catch(() => {})
    return () => {
      vi.unstubAllGlobals()
      vi.resetModules()
    }
  })

  it('passes the body as a Blob in Deno, because Deno would resend a string', async () => {
    fetch.mockImplementation(async () => Response.json(payment))

    await client.payments.capture('pay_1', { amount: 5 })
    await client.payments.capture('pay_1')
    await client.payments.get('pay_1')

    const bodies: unknown[] = fetch.mock.calls.slice(-3).map(([, { body }]) => body)
    const read = await Promise.all(bodies.map((body) => (body instanceof Blob ? body.text() : [body])))
    expect(read).toEqual(runtime === 'Deno' ? ['{"amount":5}', '', [null]] : [['{"amount":5}'], [null], [null]])
  })

  it('prefers a custom fetch, and passes it request bodies as strings', async () => {
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
        { code: 'ECONNRESET', errors: [] },
        nested(8, refused),
        grouped(8, refused),
        'ECONNREFUSED',
        null,
      ],
    ],
  ])('reports not_sent if the connection failed, and unknown after other errors: %s', async (outcome, errors) => {
    for (const error of errors) {
      fetch.mockRejectedValue(error)
      const failure = await client.payments.capture('pay_1').catch((reason: unknown) => reason)
      expect([error, failure]).toMatchObject([error, { name: 'ConnectionError', outcome }])
    }
  })

  it.each([
    ['EPROTO', 1],
    ['ERR_TLS_HANDSHAKE', 1],
    ['ERR_SSL_WRONG_VERSION', 1],
    ['EPROTONOSUPPORT', 2],
    ['X_ERR_TLS_Y', 2],
  ])('calls fetch once for a TLS failure, but again for other errors: %s, %i call(s)', async (code, count) => {
    retryAtOnce()
    fetch.mockClear().mockRejectedValue({ code, syscall: 'connect' })

    await client.payments.capture('pay_1', {}, { maxRetries: 1 }).catch(() => {})

    expect(fetch).toHaveBeenCalledTimes(count)
  })
})

describe('a response body of a custom fetch', () => {
  const bytes = new TextEncoder().encode('{"id":"é"}')
  const chunks = [bytes.slice(0, 8), bytes.slice(8)]

  it.each([
    ['web stream', Readable.toWeb(Readable.from(chunks))],
    ['Node stream', Readable.from(chunks)],
  ])('decodes a response body from a %s whose chunks split a character', async (_, body) => {
    const response = { status: 200, headers: new Headers(), body, text: async () => '' }
    const { client } = aClient([], { fetch: async () => response })

    expect(await client.payments.get('pay_1')).toEqual({ id: 'é' })
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
  ])('reports the underlying error’s code, or ERR_NETWORK if it is invalid: %s', async (reason, errors) => {
    for (const error of errors) {
      const { client } = aClient(() => Promise.reject(error))
      const failure = await failureOf(client.payments.get('pay_1'))
      expect([error, failure]).toMatchObject([error, { name: 'ConnectionError', reason }])
    }
  })
})
