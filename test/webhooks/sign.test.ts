import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SignOptions, sign, signAsync, verify } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, errorOf, hmac, previousSecret } from './fixtures.js'

const body = JSON.stringify(aStatusEvent({ orderId: 'Übergröße' }))

describe.each([
  { how: 'sign', make: sign },
  { how: 'signAsync', make: signAsync },
])('the function $how', ({ make }) => {
  it('creates only the header X-Signature-Primary by default', async () => {
    const headers = await make(body, currentSecret)

    expect(headers).toEqual({ 'X-Signature-Primary': hmac(body) })
    expect(Object.keys(headers)).toEqual(['X-Signature-Primary'])
  })

  it('signs X-Signature-Secondary with the previous secret', async () => {
    expect(await make(body, currentSecret, { previousSecret })).toEqual({
      'X-Signature-Primary': hmac(body, currentSecret),
      'X-Signature-Secondary': hmac(body, previousSecret),
    })
  })

  it.each(['sha256', 'sha384', 'sha512'] as const)('signs with %s', async (hash) => {
    expect(await make(body, currentSecret, { hash, previousSecret })).toEqual({
      'X-Signature-Primary': hmac(body, currentSecret, hash),
      'X-Signature-Secondary': hmac(body, previousSecret, hash),
    })
  })

  it('creates signatures that `verify` accepts', () => {
    return fc.assert(
      fc.asyncProperty(fc.json(), fc.uint8Array({ minLength: 16 }), async (json, secret) => {
        fc.pre(secret.some((byte) => byte > 32) && new Set(secret).size > 1)

        const headers = await make(json, secret)

        expect(verify(json, new Headers(headers), secret)).toBeDefined()
      }),
    )
  })

  it.each([
    [{ previous: previousSecret }, /^previous is not an option/],
    [{ tolerance: 300 }, /^tolerance is not an option/],
    [{ hash: 'md5' }, /^hash must be/],
    [{ previousSecret: 'short' }, /^The previous secret is too short/],
    [null, /must be an object of options/],
  ])('rejects the options %j', async (options, says) => {
    const error = await errorOf(() => make(body, currentSecret, options as SignOptions))

    expect(error.code).toBe('ERR_CONFIGURATION')
    expect(error.message).toMatch(says)
  })
})
