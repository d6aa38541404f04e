import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verify } from '../../src/webhooks/index.js'
import { aStatusEvent, bothWays, currentSecret, detached, errorOf, signed, verdict } from './fixtures.js'

const text = JSON.stringify(aStatusEvent({ orderId: 'Übergröße €' }))
const bytes = new TextEncoder().encode(text)
const surrounded = new TextEncoder().encode(`<<${text}>>`)
const byteOrderMark = '\uFEFF'

describe.each(bothWays)('the function $how', ({ check }) => {
  it.each([
    ['a string', text],
    ['a Buffer', Buffer.from(text)],
    ['a view into a larger buffer', surrounded.subarray(2, -2)],
    ['a DataView into a larger buffer', new DataView(surrounded.buffer, 2, bytes.length)],
    ['an ArrayBuffer', bytes.slice().buffer],
  ])('accepts %s as the body', async (_, body) => {
    expect(await check(body, signed(text), currentSecret)).toEqual(JSON.parse(text))
  })

  it.each([
    ['a parsed object', aStatusEvent(), /was parsed.*raw bytes.*before any JSON parser/],
    ['a Buffer serialized to JSON and parsed again', JSON.parse(JSON.stringify(Buffer.from(text))), /was parsed/],
    ['a number', 12, /was parsed/],
    ['undefined', undefined, /There is no body/],
    ['null', null, /There is no body/],
    ['a string with unpaired surrogates', '"\ud800"', /pass the raw bytes/],
  ])('rejects %s as the body', async (_, body, says) => {
    const error = await errorOf(() => check(body as string, signed(text), currentSecret))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_VERIFICATION', reason: 'body-not-raw' })
    expect(error.message).toMatch(says)
  })

  it.each(['Uint8Array', 'DataView', 'ArrayBuffer'] as const)(
    'rejects the body if its %s is detached',
    async (kind) => {
      const error = await errorOf(() => check(detached(kind, text), signed(text), currentSecret))

      expect(error).toMatchObject({ reason: 'body-not-raw', message: expect.stringContaining('transferred') })
    },
  )

  it('reports an invalid body before checking the signature', async () => {
    expect(await verdict(() => check({} as string, {}, currentSecret))).toBe('body-not-raw')
  })

  it('verifies the signature with the byte order mark, but parses the body without it', async () => {
    const marked = byteOrderMark + text
    const asBytes = new TextEncoder().encode(marked)

    const events = [
      await check(marked, signed(marked), currentSecret),
      await check(asBytes, signed(asBytes), currentSecret),
    ]
    const withoutIt = await verdict(() => check(text, signed(marked), currentSecret))

    expect(events).toEqual([JSON.parse(text), JSON.parse(text)])
    expect(withoutIt).toBe('no-match')
  })

  it('rejects a body with two byte order marks, because parsing skips only the first', async () => {
    const twice = byteOrderMark + byteOrderMark + text

    const error = await errorOf(() => check(twice, signed(twice), currentSecret))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_PAYLOAD', issues: [] })
  })

  it('rejects invalid UTF-8 even if the signature is valid', async () => {
    const invalid = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])

    const error = await errorOf(() => check(invalid, signed(invalid), currentSecret))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_PAYLOAD', payload: '{"a":"\ufffd("}', issues: [] })
    expect(error.message).toBe('The body is properly signed, but is not UTF-8')
  })

  it.each([
    ['escapes', '{"a":"\\u00e9\\/"}', { a: 'é/' }],
    ['1.0', '{"amount":1.0}', { amount: 1 }],
    ['key order', '{"b":1,"a":2}', { a: 2, b: 1 }],
    ['white space', ' {\n\t"a" : 1 }\r\n', { a: 1 }],
    ['a duplicate key', '{"a":1,"a":2}', { a: 2 }],
  ])('verifies the signature of the exact bytes, not of parsed JSON: %s', async (_, body, payload) => {
    const rewritten = JSON.stringify(payload)

    const event = await check(body, signed(body), currentSecret)
    const other = await verdict(() => check(rewritten, signed(body), currentSecret))

    expect(event).toEqual({ eventType: '', payload })
    expect(other).toBe('no-match')
  })

  it.each(['', ' ', '{', '{"a":1}}', 'undefined', "{'a':1}", '[1,]', '<html>card 4111111111111111</html>'])(
    'throws a WebhookPayloadError for the signed body %j, which is not JSON',
    async (body) => {
      const error = await errorOf(() => check(body, signed(body), currentSecret))

      expect(error).toMatchObject({ code: 'ERR_WEBHOOK_PAYLOAD', payload: body, issues: [] })
      expect(error.message).toBe('The body is properly signed, but is not JSON')
      expect(error.cause).toBeUndefined()
    },
  )
})

describe('verify and its option `maxBytes`', () => {
  const fill = (size: number, letter = 'a') => JSON.stringify(letter.repeat((size - 2) / Buffer.byteLength(letter)))
  const sizes = (body: string) => [body, Buffer.from(body)]

  it('accepts at most 1 MiB by default', async () => {
    const limit = 1024 * 1024
    const [largest, tooLarge] = [fill(limit), fill(limit + 1)]

    const accepted = await Promise.all(
      sizes(largest).map((body) => verdict(() => verify(body, signed(body), currentSecret))),
    )
    const refused = await Promise.all(
      sizes(tooLarge).map((body) => verdict(() => verify(body, signed(body), currentSecret))),
    )

    expect(accepted).toEqual(['accepted', 'accepted'])
    expect(refused).toEqual(['too-large', 'too-large'])
  })

  it.each(['a', 'é', '€', '😀'])('counts bytes instead of characters: %s', (letter) => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: 1, max: 120 }), (count, maxBytes) => {
        const body = JSON.stringify(letter.repeat(count))
        const size = Buffer.byteLength(body)
        for (const form of sizes(body)) {
          const check = () => verify(form, signed(body), currentSecret, { maxBytes })
          if (size > maxBytes) expect(check).toThrow(`The body has more than ${maxBytes} bytes (option maxBytes)`)
          else expect(check()).toEqual({ eventType: '', payload: JSON.parse(body) })
        }
      }),
    )
  })

  it('checks the size of the body before the signature', async () => {
    expect(await verdict(() => verify('{"a":1}', {}, currentSecret, { maxBytes: 3 }))).toBe('too-large')
  })

  it('hashes and parses a 10 MB body only once', () => {
    const body = Buffer.from(`{"rows":[${Array.from({ length: 100_000 }, () => `"${'x'.repeat(97)}"`).join()}]}`)
    const headers = signed(body)
    const crypto = process.getBuiltinModule('node:crypto')
    const createHmac = vi.fn(crypto.createHmac)
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ ...crypto, createHmac })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => void vi.restoreAllMocks())

    verify(body, headers, currentSecret, { maxBytes: 11_000_000 })

    expect([createHmac.mock.calls.length, parse.mock.calls.length]).toEqual([1, 1])
  })
})
