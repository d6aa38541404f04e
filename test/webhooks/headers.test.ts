import { describe, expect, it } from 'vitest'
import { verify, type WebhookHeaders } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, errorOf, hmac, verdict } from './fixtures.js'

const body = JSON.stringify(aStatusEvent())
const signature = hmac(body)
const twice = Array<[string, string]>(2).fill(['X-Signature-Primary', signature])
const verdictOn = (headers: unknown) => verdict(() => verify(body, headers as WebhookHeaders, currentSecret))
const verdictOnSignature = (text: string) => verdictOn({ 'X-Signature-Primary': text })

describe('verify', () => {
  it.each([
    ['Fetch headers', new Headers({ 'X-Signature-Primary': signature })],
    ['a Map with lower-case names', new Map([['x-signature-primary', signature]])],
    ['an array of pairs', [['X-Signature-Primary', signature]]],
    ['an object', { 'X-Signature-Primary': signature }],
    ['an object with upper-case names', { 'X-SIGNATURE-PRIMARY': signature }],
    ['an object without a prototype', Object.assign(Object.create(null), { 'x-signature-primary': signature })],
    ['the secondary header alone', { 'X-Signature-Secondary': signature }],
    [
      'a signature among other headers',
      { host: 'a', 'set-cookie': ['a', 'b'], 'x-signature-primary': signature, via: undefined },
    ],
    ['a signature next to an empty one', { 'x-signature-primary': '', 'x-signature-secondary': signature }],
    ['a signature next to a malformed one', { 'x-signature-primary': 'broken', 'x-signature-secondary': signature }],
    [
      'a signature next to an array of signatures',
      { 'x-signature-primary': [signature, 'b'], 'x-signature-secondary': signature },
    ],
  ])('accepts a signature header in %s', async (_, headers) => {
    expect(await verdictOn(headers)).toBe('accepted')
  })

  it.each([
    ['no headers at all', {}],
    ['undefined', undefined],
    ['null', null],
    ['a string', 'X-Signature-Primary'],
    ['empty Fetch headers', new Headers()],
    ['undefined values', { 'x-signature-primary': undefined, 'x-signature-secondary': null }],
    ['empty values', { 'x-signature-primary': '', 'x-signature-secondary': '' }],
    ['a flat array of names and values', ['X-Signature-Primary', signature]],
    ['inherited headers', Object.create({ 'X-Signature-Primary': signature })],
  ])('rejects headers without a signature: %s', async (_, headers) => {
    expect(await verdictOn(headers)).toBe('missing-signature')
  })

  it.each([
    ['an array with one value', { 'X-Signature-Primary': [signature] }],
    ['an array with two values', { 'X-Signature-Primary': [signature, signature] }],
    ['the same name in upper and lower case', { 'X-Signature-Primary': signature, 'x-signature-primary': signature }],
    ['two pairs with the same name', twice],
    ['Fetch headers with the same name twice', new Headers(twice)],
    ['two values joined with a comma and a space, as in Node', { 'x-signature-primary': `${signature}, ${signature}` }],
    ['a valid value joined with an invalid one', { 'x-signature-primary': `${signature}, AAA` }],
    ['one million characters', { 'X-Signature-Primary': signature.repeat(25_000) }],
    ['a number', { 'X-Signature-Primary': 44 }],
    ['a boxed string', { 'X-Signature-Primary': new String(signature) }],
  ])('rejects a signature header that is not one string: %s', async (_, headers) => {
    expect(await verdictOn(headers)).toBe('malformed-signature')
  })

  it('throws an error that contains the name of the missing or malformed header', async () => {
    const missing = await errorOf(() => verify(body, {}, currentSecret))
    const primary = await errorOf(() => verify(body, { 'x-signature-primary': 'a' }, currentSecret))
    const both = await errorOf(() =>
      verify(body, { 'x-signature-secondary': 'b', 'X-Signature-Primary': 'a' }, currentSecret),
    )

    expect(missing.name).toBe('WebhookVerificationError')
    expect(missing.message).toContain('neither X-Signature-Primary nor X-Signature-Secondary')
    expect(primary.message).toMatch(/^X-Signature-Primary must contain one HMAC in base64/)
    expect(both.message).toMatch(/^X-Signature-Secondary and X-Signature-Primary must contain/)
  })

  it('reports a malformed header even if the other header contains a wrong signature', async () => {
    const result = await verdictOn({ 'x-signature-primary': 'a', 'x-signature-secondary': hmac('other') })

    expect(result).toBe('malformed-signature')
  })

  it('rejects a signature of any wrong length', async () => {
    const lengths = Array.from({ length: 201 }, (_, length) => length).filter((length) => length !== signature.length)
    const repeated = signature.slice(0, -1).repeat(5)

    const cut = await Promise.all(lengths.map((length) => verdictOnSignature(repeated.slice(0, length))))
    const zeroes = await Promise.all(lengths.map((length) => verdictOnSignature('A'.repeat(length))))

    const expected = lengths.map((length) => (length === 0 ? 'missing-signature' : 'malformed-signature'))
    expect(cut).toEqual(expected)
    expect(zeroes).toEqual(expected)
  })

  it('rejects a signature whose last base64 character is replaced by any other', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const encodings = [...alphabet].map((letter) => `${signature.slice(0, 42)}${letter}=`)

    const verdicts = await Promise.all(encodings.map(verdictOnSignature))

    expect(encodings.filter((_, index) => verdicts[index] === 'accepted')).toEqual([signature])
    // Of the 63 other base64 characters, 48 set unused bits, which canonical base64 forbids, and 15 encode another
    // digest.
    expect(verdicts.filter((result) => result === 'malformed-signature')).toHaveLength(48)
    expect(verdicts.filter((result) => result === 'no-match')).toHaveLength(15)
  })

  it('rejects a signature with one character replaced by another UTF-16 code unit', () => {
    const accepted: string[] = []
    // Includes all code units whose low byte is that of the right character.
    const sameLowByte = Array.from({ length: 256 }, (_, high) => (high << 8) | signature.charCodeAt(20))
    for (const code of [...Array(1024).keys(), ...sameLowByte]) {
      const text = signature.slice(0, 20) + String.fromCharCode(code) + signature.slice(21)
      try {
        verify(body, { 'X-Signature-Primary': text }, currentSecret)
        accepted.push(text)
      } catch {}
    }

    expect(new Set(accepted)).toEqual(new Set([signature]))
  })

  it('rejects the correct digest in every encoding except canonical base64', async () => {
    // Finds a digest with `+` and `/`, whose base64url encoding differs.
    const special = Array.from({ length: 2000 }, (_, index) => `{"n":${index}}`).find(
      (text) => hmac(text).includes('+') && hmac(text).includes('/'),
    ) as string
    const digest = hmac(special)
    const encodings = {
      base64url: digest.replaceAll('+', '-').replaceAll('/', '_'),
      unpadded: digest.slice(0, -1),
      padded: `${digest}=`,
      otherPadding: `${digest.slice(0, -1)}A`,
      leadingBlank: ` ${digest}`,
      trailingBlank: `${digest} `,
      trailingNewline: `${digest}\n`,
      innerBlank: `${digest.slice(0, 20)} ${digest.slice(20)}`,
      trailingData: `${digest}AAAA`,
      hex: Buffer.from(digest, 'base64').toString('hex'),
      prefixed: `sha256=${digest}`,
      nul: `${digest}\0`,
      fullWidth: digest.replace('+', '＋'),
    }

    const verdicts = await Promise.all(
      Object.values(encodings).map((text) =>
        verdict(() => verify(special, { 'X-Signature-Primary': text }, currentSecret)),
      ),
    )

    expect(await verdict(() => verify(special, { 'X-Signature-Primary': digest }, currentSecret))).toBe('accepted')
    expect(verdicts).toEqual(Object.keys(encodings).map(() => 'malformed-signature'))
  })
})
