import { readdirSync, readFileSync } from 'node:fs'
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

  it('W11 nothing but signature.ts makes or compares digests', () => {
    const folder = new URL('../../src/webhooks/', import.meta.url)
    const sources = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

    const touching = sources.filter(({ text }) => /createHmac|timingSafeEqual|subtle\.(sign|verify)/.test(text))
    const { text } = sources.find(({ name }) => name === 'signature.ts') ?? { text: '' }

    expect(touching.map(({ name }) => name)).toEqual(['signature.ts'])
    expect(text).toContain('agreed = timingSafeEqual(expected, signature) || agreed')
    expect(text).not.toMatch(/expected\s*[!=]==?|[!=]==?\s*expected|\.equals\(|\bcompare\(/)
  })
})
