import { afterEach, describe, expect, it, vi } from 'vitest'
import { verify, verifyAsync } from '../../src/webhooks/index.js'
import { currentSecret, foreignSecret, hmac, previousSecret, verdict } from './fixtures.js'

const body = '{"message":"hello"}'
const secrets = [currentSecret, previousSecret, foreignSecret]

/**
 * Pairs of signature headers. In the first six pairs, one signature matches a secret. In the last pair, no signature
 * matches.
 */
const headersPerPair = [
  ...secrets.flatMap((secret) => [
    { 'X-Signature-Primary': hmac(body, secret), 'X-Signature-Secondary': hmac('other') },
    { 'X-Signature-Primary': hmac('other'), 'X-Signature-Secondary': hmac(body, secret) },
  ]),
  { 'X-Signature-Primary': hmac('other'), 'X-Signature-Secondary': hmac('another') },
]

afterEach(() => {
  vi.restoreAllMocks()
})

/** Records the lengths that `timingSafeEqual` compares. */
function watchComparisons(): number[][] {
  const compared: number[][] = []
  const crypto = process.getBuiltinModule('node:crypto')
  const timingSafeEqual = (a: Uint8Array, b: Uint8Array) => {
    compared.push([a.byteLength, b.byteLength])
    return crypto.timingSafeEqual(a, b)
  }
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => ({ ...crypto, timingSafeEqual }))
  return compared
}

describe('webhook verification', () => {
  it.each(headersPerPair)('compares every signature with every secret in verify (case %#)', async (headers) => {
    const compared = watchComparisons()

    await verdict(() => verify(body, headers, secrets))

    expect(compared).toEqual(Array(6).fill([32, 32]))
  })

  it.each(headersPerPair)('compares every signature with every secret in verifyAsync (case %#)', async (headers) => {
    const compare = vi.spyOn(crypto.subtle, 'verify')

    await verdict(() => verifyAsync(body, headers, secrets))

    expect(compare.mock.calls.map(([, , signature]) => signature.byteLength)).toEqual(Array(6).fill(32))
  })
})
