import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verify } from '../../src/webhooks/index.js'
import { aStatusEvent, bothWays, currentSecret, errorOf, hmac, runs, signed, verdict } from './fixtures.js'

const text = JSON.stringify(aStatusEvent({ orderId: 'Übergröße €' }))
const bytes = new TextEncoder().encode(text)
const surrounded = new TextEncoder().encode(`<<${text}>>`)
const byteOrderMark = '\uFEFF'

describe.each(bothWays)('webhooks.$how, body', ({ check }) => {
  it.each([
    ['a text', text],
    ['a Buffer', Buffer.from(text)],
    ['a Uint8Array', bytes],
    ['a view into a larger buffer', surrounded.subarray(2, -2)],
    ['a DataView into a larger buffer', new DataView(surrounded.buffer, 2, bytes.length)],
    ['an ArrayBuffer', bytes.slice().buffer],
  ])('W09 reads %s', async (_, body) => {
    const event = await check(body, signed(text), currentSecret)

    expect(event).toEqual(JSON.parse(text))
  })

  it.each([
    ['a parsed object', aStatusEvent(), /it was parsed.*raw bytes.*before any JSON parser/],
    ['a parsed list', [1, 2], /it was parsed/],
    ['a Buffer that went through JSON', JSON.parse(JSON.stringify(Buffer.from(text))), /it was parsed/],
    ['a number', 12, /it was parsed/],
    ['a boolean', true, /it was parsed/],
    ['undefined', undefined, /There is no body/],
    ['null', null, /There is no body/],
    ['a text that was never UTF-8', '"\ud800"', /never UTF-8/],
  ])('W09 refuses %s', async (_, body, says) => {
    const error = await errorOf(() => check(body as string, signed(text), currentSecret))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_VERIFICATION', reason: 'body-not-raw' })
    expect(error.message).toMatch(says)
  })

  it('W09 says that the body is not raw before it looks for a signature', async () => {
    const result = await verdict(() => check({} as string, {}, currentSecret))

    expect(result).toBe('body-not-raw')
  })

  it('W10 skips a byte order mark, which the signature covers', async () => {
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

  it('W10 skips one byte order mark only', async () => {
    const twice = byteOrderMark + byteOrderMark + text

    const error = await errorOf(() => check(twice, signed(twice), currentSecret))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_PAYLOAD', issues: [] })
  })

  it('W10 refuses invalid UTF-8, once the signature agreed, and replaces nothing', async () => {
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
    ['a key that comes twice', '{"a":1,"a":2}', { a: 2 }],
  ])('W10 signs bytes, not values: %s', async (_, body, payload) => {
    const rewritten = JSON.stringify(payload)

    const event = await check(body, signed(body), currentSecret)
    const other = await verdict(() => check(rewritten, signed(body), currentSecret))

    expect(event).toEqual({ eventType: '', payload })
    expect(other).toBe('no-match')
  })

  it.each(['', ' ', '{', '{"a":1}}', 'undefined', "{'a':1}", '[1,]'])('W10 calls %j not JSON', async (body) => {
    const error = await errorOf(() => check(body, signed(body), currentSecret))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_PAYLOAD', payload: body })
  })
})

describe('webhooks.verify, size', () => {
  const fill = (size: number, letter = 'a') => JSON.stringify(letter.repeat((size - 2) / Buffer.byteLength(letter)))
  const sizes = (body: string) => [body, Buffer.from(body)]

  it('W15 reads a body of exactly 1 MiB, and none that is one byte larger', async () => {
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

  it.each(['a', 'é', '€', '😀'])('W15 counts bytes, whether they are text or not: %s', (letter) => {
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
      { numRuns: runs },
    )
  })

  it('W15 looks at the size before the signature', async () => {
    const result = await verdict(() => verify('{"a":1}', {}, currentSecret, { maxBytes: 3 }))

    expect(result).toBe('too-large')
  })

  it('W15 verifies 10 MB, if allowed, in about the time of the hash and the parser', () => {
    const body = Buffer.from(`{"rows":[${Array.from({ length: 100_000 }, () => `"${'x'.repeat(97)}"`).join()}]}`)
    const headers = signed(body)
    const best = (work: () => unknown) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const start = performance.now()
          work()
          return performance.now() - start
        }),
      )

    const bare = best(() => [hmac(body), JSON.parse(body.toString())])
    const ours = best(() => verify(body, headers, currentSecret, { maxBytes: 11_000_000 }))

    expect(ours).toBeLessThan(bare * 3)
  })
})
