import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ConfigurationError,
  PaymentsError,
  type RawBody,
  type SigningSecrets,
  type VerifyOptions,
  verify,
  verifyAsync,
  type WebhookHeaders,
  WebhookVerificationError,
} from '../../src/webhooks/index.js'
import { currentSecret, runs, signed, verdict } from './fixtures.js'

const anything = () =>
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true, withNullPrototype: true })

const nested = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`

describe('webhooks, hostile input', () => {
  it('W15 throws nothing but its own errors, and accepts nothing, whatever is passed', () => {
    fc.assert(
      fc.property(anything(), anything(), anything(), anything(), (body, headers, secrets, options) => {
        expect(() =>
          verify(body as RawBody, headers as WebhookHeaders, secrets as SigningSecrets, options as VerifyOptions),
        ).toThrow(PaymentsError)
      }),
      { numRuns: runs },
    )
  })

  it('W15 throws only verification errors for whatever a stranger sends', () => {
    const headers = fc.oneof(
      anything(),
      fc.record({ 'X-Signature-Primary': anything(), 'x-signature-secondary': anything() }),
      fc.record({ 'x-signature-primary': fc.base64String({ minLength: 44, maxLength: 44 }) }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array(), anything()), headers, (body, given) => {
        expect(() => verify(body as RawBody, given as WebhookHeaders, currentSecret)).toThrow(WebhookVerificationError)
      }),
      { numRuns: runs },
    )
  })

  it('W15 says the same on Web Crypto, whatever is passed', () => {
    return fc.assert(
      fc.asyncProperty(anything(), anything(), fc.oneof(fc.constant(currentSecret), anything()), async (...input) => {
        const [body, headers, secrets] = input as [RawBody, WebhookHeaders, SigningSecrets]

        const [sync, async] = [
          await verdict(() => verify(body, headers, secrets)),
          await verdict(() => verifyAsync(body, headers, secrets)),
        ]

        expect(async).toBe(sync)
        expect(sync).not.toBe('accepted')
      }),
      { numRuns: Math.ceil(runs / 5) },
    )
  })

  it.each([
    ['lists', nested('[', ']'), 'accepted'],
    ['objects', nested('{"a":', '}'), 'accepted'],
    ['metadata', `{"eventType":"PAYMENT.STATUS","payment":{"id":"p","metadata":${nested('{"a":', '}')}}}`, 'accepted'],
    ['payments', `{"eventType":"PAYMENT.STATUS","payment":${nested('{"payment":', '}')}}`, 'ERR_WEBHOOK_PAYLOAD'],
  ])('W15 survives a nesting of 100 000 %s', async (_, body, expected) => {
    const result = await verdict(() => verify(body, signed(body), currentSecret, { maxBytes: 2_000_000 }))

    expect(result).toBe(expected)
  })

  it.each([
    ['an unknown name', { tolerence: 300 }, 'Unknown option "tolerence". Did you mean "tolerance"?'],
    ['a name like no other', { zzzzzzzzzzzzzz: 1 }, /^Unknown option "zzzzzzzzzzzzzz"$/],
    ['another hash', { hash: 'sha1' }, "Option hash must be 'sha256', 'sha384' or 'sha512'"],
    ['a hash in capitals', { hash: 'SHA256' }, 'Option hash must be'],
    ['the name of a method as hash', { hash: 'toString' }, 'Option hash must be'],
    ['no hash', { hash: null }, 'Option hash must be'],
    ['no bytes', { maxBytes: 0 }, 'Option maxBytes must be a positive integer'],
    ['a part of a byte', { maxBytes: 0.5 }, 'Option maxBytes must be a positive integer'],
    ['no limit', { maxBytes: Number.POSITIVE_INFINITY }, 'Option maxBytes must be a positive integer'],
    ['a limit as text', { maxBytes: '100' }, 'Option maxBytes must be a positive integer'],
    ['no tolerance', { tolerance: 0 }, 'Option tolerance must be a positive number of seconds'],
    ['a negative tolerance', { tolerance: -1 }, 'Option tolerance must be'],
    ['NaN', { tolerance: Number.NaN }, 'Option tolerance must be'],
    ['a tolerance as text', { tolerance: '300' }, 'Option tolerance must be'],
    ['a number as time', { now: 0 }, 'Option now must be a Date or a function returning one'],
    ['no options', null, 'The options must be an object'],
    ['a text as options', 'sha256', 'The options must be an object'],
  ])('W16 refuses %s among the options', async (_, options, says) => {
    const call = () => verify('{}', signed('{}'), currentSecret, options as VerifyOptions)

    expect(call).toThrow(ConfigurationError)
    expect(call).toThrow(says)
  })

  it('W16 ignores options that are undefined or inherited', () => {
    const options = Object.assign(Object.create({ hash: 'sha512', maxBytes: 1 }), {
      hash: undefined,
      tolerance: undefined,
    })

    const event = verify('{}', signed('{}'), currentSecret, options)

    expect(event).toEqual({ eventType: '', payload: {} })
  })
})
