import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createHandler,
  diagnose,
  type SigningSecret,
  type SigningSecrets,
  sign,
  verify,
  verifyAsync,
} from '../../src/webhooks/index.js'
import { currentSecret, errorOf, hmac, runs, signed, verdict } from './fixtures.js'

const body = '{"message":"hello"}'

const bad: [what: string, secret: unknown, says: RegExp][] = [
  ['undefined', undefined, /is undefined: is the environment variable set/],
  ['null', null, /is null: is the environment variable set/],
  ['empty', '', /is empty/],
  ['empty bytes', Buffer.alloc(0), /is empty/],
  ['an empty ArrayBuffer', new ArrayBuffer(0), /is empty/],
  ['white space', ' \t\r\n'.repeat(5), /is nothing but white space/],
  ['white space in bytes', Buffer.from(' \t\r\n\v\f'.repeat(5)), /is nothing but white space/],
  ['15 bytes', 'fifteen bytes..', /is too short: it must have at least 16 bytes/],
  ['15 bytes in bytes', Buffer.alloc(15, 1), /is too short/],
  ['15 bytes of wide letters', 'ééééééé1', /is too short/],
  ['a number', 1234567890123456, /must be text or bytes/],
  ['an object', { secret: currentSecret }, /must be text or bytes/],
  ['a function', () => currentSecret, /must be text or bytes/],
]

describe('webhooks, signing secrets', () => {
  it.each(bad)('W08 refuses %s', async (_, secret, says) => {
    const given = secret as SigningSecret
    const headers = signed(body)

    const errors = await Promise.all([
      errorOf(() => verify(body, headers, given)),
      errorOf(() => verifyAsync(body, headers, given)),
      errorOf(() => sign(body, given)),
      errorOf(() => sign(body, currentSecret, { previousSecret: given ?? '' })),
      errorOf(() => createHandler({ secret: given })),
    ])

    expect(errors.map((error) => error.code)).toEqual(Array(5).fill('ERR_CONFIGURATION'))
    for (const error of [errors[0], errors[1], errors[2], errors[4]]) {
      expect(error?.message).toMatch(/^The signing secret /)
      expect(error?.message).toMatch(says)
    }
    expect(errors[3]?.message).toMatch(/^The previous secret /)
  })

  it.each(bad)('W08 refuses a list in which one is good and one is %s', async (_, secret, says) => {
    const headers = signed(body)
    const lists = [
      [currentSecret, secret],
      [secret, currentSecret],
    ] as SigningSecret[][]

    const [last, first] = await Promise.all(lists.map((list) => errorOf(() => verify(body, headers, list))))

    expect(last).toMatchObject({ code: 'ERR_CONFIGURATION' })
    expect(last?.message).toMatch(/^Signing secret 2 of 2 /)
    expect(last?.message).toMatch(says)
    expect(first?.message).toMatch(/^Signing secret 1 of 2 /)
  })

  it('W08 refuses an empty list, and a list in a list', async () => {
    const empty = await errorOf(() => verify(body, signed(body), []))
    const nested = await errorOf(() => verify(body, signed(body), [[currentSecret]] as unknown as SigningSecrets))

    expect(empty).toMatchObject({ code: 'ERR_CONFIGURATION', message: 'The list of signing secrets is empty' })
    expect(nested).toMatchObject({ code: 'ERR_CONFIGURATION' })
  })

  it('W08 refuses the secret before it looks at anything else', async () => {
    const result = await verdict(() => verify({} as string, {}, ''))

    expect(result).toBe('ERR_CONFIGURATION')
  })

  it('W08 never repeats a secret', async () => {
    const secret = 'canary-secret!!'

    const error = await errorOf(() => verify(body, {}, [currentSecret, secret]))

    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
    expect(JSON.stringify(diagnose(body, signed(body), secret))).not.toContain(secret)
  })

  it.each([
    ['16 characters', 'sixteen bytes...'],
    ['16 bytes of wide letters', 'éééééééé'],
    ['a text with blanks around', `  ${currentSecret}\n`],
    ['a Buffer', Buffer.from(currentSecret)],
    ['bytes with one that is not white space', Buffer.from([...Buffer.from(' '.repeat(15)), 0x21])],
    ['bytes next to the codes of white space', Buffer.alloc(16, 8)],
    ['bytes behind the codes of white space', Buffer.alloc(16, 14)],
  ])('takes %s', (_, secret) => {
    const event = verify(body, signed(body, secret), secret)

    expect(event).toEqual({ eventType: '', payload: { message: 'hello' } })
  })

  it('takes the same secret as text, Buffer, view and ArrayBuffer', async () => {
    const surrounded = new TextEncoder().encode(`<<${currentSecret}>>`)
    const exact = new TextEncoder().encode(currentSecret)
    const forms = [
      Buffer.from(currentSecret),
      surrounded.subarray(2, -2),
      new DataView(surrounded.buffer, 2, currentSecret.length),
      exact.buffer,
    ]

    const sync = forms.map((form) => verify(body, signed(body), form).eventType)
    const async = await Promise.all(forms.map(async (form) => (await verifyAsync(body, signed(body), form)).eventType))

    expect(sync).toEqual(forms.map(() => ''))
    expect(async).toEqual(forms.map(() => ''))
  })

  it('W08 refuses everything that is too short, and takes everything that is not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const headers = { 'X-Signature-Primary': hmac(body, bytes) }
        const blank = bytes.every((byte) => byte === 32 || (byte > 8 && byte < 14))
        if (bytes.length < 16 || blank) expect(() => verify(body, headers, bytes)).toThrow(/secret is/)
        else expect(verify(body, headers, bytes).eventType).toBe('')
      }),
      { numRuns: runs },
    )
  })
})
