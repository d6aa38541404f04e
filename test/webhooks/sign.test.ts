import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SignOptions, sign, signAsync, verify } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, errorOf, hmac, previousSecret, runs } from './fixtures.js'

const body = JSON.stringify(aStatusEvent({ orderId: 'Übergröße' }))

describe.each([
  { how: 'sign', make: sign },
  { how: 'signAsync', make: signAsync },
])('webhooks.$how', ({ make }) => {
  it('makes the primary header', async () => {
    const headers = await make(body, currentSecret)

    expect(headers).toEqual({ 'X-Signature-Primary': hmac(body) })
    expect(Object.keys(headers)).toEqual(['X-Signature-Primary'])
  })

  it('makes the secondary header with the secret of before', async () => {
    const headers = await make(body, currentSecret, { previousSecret })

    expect(headers).toEqual({
      'X-Signature-Primary': hmac(body, currentSecret),
      'X-Signature-Secondary': hmac(body, previousSecret),
    })
  })

  it.each(['sha256', 'sha384', 'sha512'] as const)('signs with %s', async (hash) => {
    const headers = await make(body, currentSecret, { hash, previousSecret })

    expect(headers).toEqual({
      'X-Signature-Primary': hmac(body, currentSecret, hash),
      'X-Signature-Secondary': hmac(body, previousSecret, hash),
    })
  })

  it('signs bytes as it signs text, with a secret of either kind', async () => {
    const headers = await make(Buffer.from(body), Buffer.from(currentSecret))

    expect(headers).toEqual({ 'X-Signature-Primary': hmac(body) })
  })

  it('makes what verify accepts, for any body and secret', () => {
    return fc.assert(
      fc.asyncProperty(fc.json(), fc.uint8Array({ minLength: 16 }), async (json, secret) => {
        fc.pre(secret.some((byte) => byte > 32))

        const headers = await make(json, secret)

        expect(verify(json, new Headers(headers), secret)).toBeDefined()
      }),
      { numRuns: Math.ceil(runs / 5) },
    )
  })

  it.each([
    [{ previous: previousSecret }, /^Unknown option "previous"/],
    [{ tolerance: 300 }, /^Unknown option "tolerance"/],
    [{ hash: 'md5' }, /^Option hash must be/],
    [{ previousSecret: 'short' }, /^The previous secret is too short/],
    [null, /^The options must be an object/],
  ])('refuses the options %j', async (options, says) => {
    const error = await errorOf(() => make(body, currentSecret, options as SignOptions))

    expect(error.code).toBe('ERR_CONFIGURATION')
    expect(error.message).toMatch(says)
  })

  it('refuses a body that is not raw', async () => {
    const error = await errorOf(() => make(aStatusEvent() as unknown as string, currentSecret))

    expect(error).toMatchObject({ reason: 'body-not-raw' })
  })
})
