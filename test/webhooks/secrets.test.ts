import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createHandler,
  type SigningSecret,
  type SigningSecrets,
  sign,
  verify,
  verifyAsync,
} from '../../src/webhooks/index.js'
import { aDelivery, aStatusEvent, currentSecret, detached, errorOf, hmac, signed } from './fixtures.js'

const body = '{"message":"hello"}'

const invalid: [what: string, secret: unknown, problem: RegExp][] = [
  ['undefined', undefined, /is undefined: is the environment variable set/],
  ['null', null, /is null: is the environment variable set/],
  ['an empty string', '', /is empty/],
  ['empty bytes', Buffer.alloc(0), /is empty/],
  ['white space', ' \t\r\n'.repeat(5), /contains only white space/],
  ['white space in bytes', Buffer.from(' \t\r\n\v\f'.repeat(5)), /contains only white space/],
  ['15 bytes', 'fifteen bytes..', /is too short: it must have at least 16 bytes/],
  ['15 bytes of two-byte letters', 'ééééééé1', /is too short/],
  ['an object', { secret: currentSecret }, /must be a string or bytes/],
]

const unusable: typeof invalid = [
  ['bytes that are all zero', Buffer.alloc(32), /consists of one repeated byte/],
  ['a string of one character', 'a'.repeat(32), /consists of one repeated byte/],
]

describe('the validation of signing secrets', () => {
  it.each([...invalid, ...unusable])('rejects %s as a secret', async (_, secret, problem) => {
    const given = secret as SigningSecret
    const headers = signed(body)

    const errors = await Promise.all([
      errorOf(() => verify(body, headers, given)),
      errorOf(() => verifyAsync(body, headers, given)),
      errorOf(() => sign(body, given)),
      errorOf(() => createHandler({ secret: given })),
    ])
    const previous = await errorOf(() => sign(body, currentSecret, { previousSecret: given ?? '' }))
    const second = await errorOf(() => verify(body, headers, [currentSecret, given]))
    const first = await errorOf(() => verify(body, headers, [given, currentSecret]))

    for (const error of errors) {
      expect(error.code).toBe('ERR_CONFIGURATION')
      expect(error.message).toMatch(/^The signing secret /)
      expect(error.message).toMatch(problem)
    }
    expect(previous.message).toMatch(/^The previous secret /)
    expect(second.message).toMatch(/^Signing secret 2 of 2 /)
    expect(first.message).toMatch(/^Signing secret 1 of 2 /)
  })

  it('rejects an empty or nested array of secrets', async () => {
    const empty = await errorOf(() => verify(body, signed(body), []))
    const nested = await errorOf(() => verify(body, signed(body), [[currentSecret]] as unknown as SigningSecrets))

    expect(empty).toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: 'The array of signing secrets is empty: add the secret from the dashboard',
    })
    expect(nested).toMatchObject({ code: 'ERR_CONFIGURATION' })
  })

  it.each([
    ['16 characters', 'sixteen bytes...'],
    ['16 bytes of two-byte letters', 'éééééééé'],
    ['white space around it', `  ${currentSecret}\n`],
    ['15 spaces and a letter', Buffer.from(`${' '.repeat(15)}!`)],
    ['bytes just below and above those of white space', Buffer.from([...Buffer.alloc(8, 8), ...Buffer.alloc(8, 14)])],
  ])('accepts a valid secret: %s', (_, secret) => {
    expect(verify(body, signed(body, secret), secret)).toEqual({ eventType: '', payload: { message: 'hello' } })
  })

  it('rejects exactly the secrets that are short, blank or one repeated byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const headers = { 'X-Signature-Primary': hmac(body, bytes) }
        const unusable =
          bytes.every((byte) => byte === 32 || (byte > 8 && byte < 14)) || bytes.every((byte) => byte === bytes[0])
        if (bytes.length < 16 || unusable) expect(() => verify(body, headers, bytes)).toThrow(/secret /)
        else expect(verify(body, headers, bytes).eventType).toBe('')
      }),
    )
  })

  it('copies the bytes of a handler’s secret, so later changes have no effect', async () => {
    const secret = Buffer.from(currentSecret)
    const handler = createHandler({ secret: [secret, new DataView(secret.buffer, secret.byteOffset, secret.length)] })
    secret.fill(0)

    const forged = await handler(aDelivery(aStatusEvent(), Buffer.alloc(secret.length)))
    const genuine = await handler(aDelivery())

    expect([forged.status, genuine.status]).toEqual([400, 200])
  })

  it('copies the bytes of verifyAsync’s secret before verifying', async () => {
    const secret = Buffer.from(currentSecret)
    const verifying = verifyAsync(body, signed(body), ['first-secret-0001', secret])
    secret.fill(0)

    await expect(verifying).resolves.toMatchObject({ eventType: '' })
  })

  it.each(['Uint8Array', 'DataView', 'ArrayBuffer'] as const)('rejects a secret in a detached %s', async (kind) => {
    const error = await errorOf(() => verify(body, signed(body), detached(kind, currentSecret)))

    expect(error.code).toBe('ERR_CONFIGURATION')
  })
})
