import { afterEach, describe, expect, it, vi } from 'vitest'
import { verify, verifyAsync } from '../../src/webhooks/index.js'
import { currentSecret, foreignSecret, hmac, previousSecret, verdict } from './fixtures.js'

const body = '{"message":"hello"}'
const secrets = [currentSecret, previousSecret, foreignSecret]

/** Which of secrets × headers agrees: each of the six pairs, and none. */
const places = [
  ...secrets.flatMap((secret) => [
    { 'X-Signature-Primary': hmac(body, secret), 'X-Signature-Secondary': hmac('other') },
    { 'X-Signature-Primary': hmac('other'), 'X-Signature-Secondary': hmac(body, secret) },
  ]),
  { 'X-Signature-Primary': hmac('other'), 'X-Signature-Secondary': hmac('another') },
]

afterEach(() => {
  vi.restoreAllMocks()
})

/** Node's crypto as the code sees it, with the lengths that `timingSafeEqual` was asked to compare. */
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

describe('webhooks, time that a comparison takes', () => {
  it.each(places)('W11 verify compares every signature with every secret, whichever agrees: %#', async (headers) => {
    const compared = watchComparisons()

    await verdict(() => verify(body, headers, secrets))

    expect(compared).toEqual(Array(6).fill([32, 32]))
  })

  it.each(places)('W11 verifyAsync compares every signature with every secret: %#', async (headers) => {
    const compare = vi.spyOn(crypto.subtle, 'verify')

    await verdict(() => verifyAsync(body, headers, secrets))

    expect(compare.mock.calls.map(([, , signature]) => signature.byteLength)).toEqual(Array(6).fill(32))
  })
})
