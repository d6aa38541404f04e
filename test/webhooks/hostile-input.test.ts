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
} from '../../src/webhooks/index.js'
import { currentSecret, signed, verdict } from './fixtures.js'

const anything = () =>
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true, withNullPrototype: true })

const nested = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`

describe('verify', () => {
  it('throws only PaymentsErrors for arguments of any type', () => {
    fc.assert(
      fc.property(anything(), anything(), anything(), anything(), (body, headers, secrets, options) => {
        expect(() =>
          verify(body as RawBody, headers as WebhookHeaders, secrets as SigningSecrets, options as VerifyOptions),
        ).toThrow(PaymentsError)
      }),
    )
  })

  it('returns the same result as verifyAsync', () => {
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
    )
  })

  it.each([
    ['arrays', nested('[', ']'), 'accepted'],
    ['objects', nested('{"a":', '}'), 'accepted'],
    ['metadata', `{"eventType":"PAYMENT.STATUS","payment":{"id":"p","metadata":${nested('{"a":', '}')}}}`, 'accepted'],
    ['payments', `{"eventType":"PAYMENT.STATUS","payment":${nested('{"payment":', '}')}}`, 'ERR_WEBHOOK_PAYLOAD'],
  ])('handles JSON with 100,000 nested %s', async (_, body, expected) => {
    expect(await verdict(() => verify(body, signed(body), currentSecret, { maxBytes: 2_000_000 }))).toBe(expected)
  })

  it.each([
    ['an unknown name', { tolerence: 300 }, 'tolerence is not an option: did you mean "tolerance"?'],
    ['an unsupported hash', { hash: 'sha1' }, "hash must be 'sha256', 'sha384' or 'sha512'"],
    ['the name of a method as the hash', { hash: 'toString' }, 'hash must be'],
    ['a limit of 0 bytes', { maxBytes: 0 }, 'maxBytes must be an integer of at least 1'],
    ['a limit of 0.5 bytes', { maxBytes: 0.5 }, 'maxBytes must be an integer of at least 1'],
    ['an infinite limit', { maxBytes: Number.POSITIVE_INFINITY }, 'maxBytes must be an integer of at least 1'],
    ['a tolerance of 0', { tolerance: 0 }, 'tolerance must be a positive number of seconds'],
    ['NaN as the tolerance', { tolerance: Number.NaN }, 'tolerance must be'],
    ['a tolerance as a string', { tolerance: '300' }, 'tolerance must be'],
    ['a number as the time', { now: 0 }, 'now must be a Date or a function that returns one'],
    ['null as the options', null, 'must be an object of options'],
    ['inherited options', Object.create({ maxBytes: 1 }), 'is inherited'],
    ['a string as the options', 'sha256', 'must be an object of options'],
  ])('rejects invalid options: %s', async (_, options, says) => {
    const call = () => verify('{}', signed('{}'), currentSecret, options as VerifyOptions)

    expect(call).toThrow(ConfigurationError)
    expect(call).toThrow(says)
  })
})
