import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose, type VerifyOptions, verify } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, foreignSecret, hmac, previousSecret, signed, verdict } from './fixtures.js'

const payload = aStatusEvent({ orderId: 'a/b <ü€>', empty: {}, none: [], list: [1, 'x, "y": [ {'] })
const body = JSON.stringify(payload)
const signature = hmac(body)
const digest = Buffer.from(signature, 'base64')
const hmacBy = (hash: string) => hmac(body, currentSecret, hash)
const withPrimary = (value: unknown) => ({ 'X-Signature-Primary': value })

/** The same payload, as other JSON libraries serialize it. */
const formats: Record<string, string> = {
  'indented by two': JSON.stringify(payload, null, 2),
  'indented by four': JSON.stringify(payload, null, 4),
  'indented by one': JSON.stringify(payload, null, 1),
  'indented by tabs': JSON.stringify(payload, null, '\t'),
  'indented, with a newline at the end': `${JSON.stringify(payload, null, 2)}\n`,
  "Python's default": String.raw`{"eventType": "PAYMENT.STATUS", "date": "2026-01-31T12:00:00.000Z", "notificationConfig": {"id": "config_1", "description": "all payments"}, "version": "2.1", "payment": {"id": "pay_1", "status": "AUTHORIZED", "amount": 5000, "currencyCode": "EUR", "orderId": "a/b <\u00fc\u20ac>", "empty": {}, "none": [], "list": [1, "x, \"y\": [ {"]}}`,
  "PHP's default": body.replaceAll('/', '\\/').replace('ü', '\\u00fc').replace('€', '\\u20ac'),
  'PHP with JSON_UNESCAPED_UNICODE': body.replaceAll('/', '\\/'),
  "Go's default": body.replace('<', '\\u003c').replace('>', '\\u003e'),
}

describe('diagnose', () => {
  it.each([
    [foreignSecret, previousSecret, [previousSecret], 'secondary-only', /^Only X-Signature-Secondary matches/],
    [foreignSecret, previousSecret, [currentSecret, previousSecret], 'secondary-only', /configure the new secret/],
    [currentSecret, previousSecret, [currentSecret, previousSecret], 'verified', /valid/],
    [currentSecret, previousSecret, [previousSecret, currentSecret], 'swapped', /swapped.*put the new secret first/],
    [previousSecret, currentSecret, [currentSecret, previousSecret], 'swapped', /verify accepts this/],
    [currentSecret, currentSecret, [currentSecret], 'verified', /valid/],
    [currentSecret, foreignSecret, [previousSecret, currentSecret], 'verified', /valid/],
  ])(
    'checks signatures by %s and %s with the secrets %j, and returns %s',
    (primary, secondary, secrets, code, message) => {
      const headers = { 'X-Signature-Primary': hmac(body, primary), 'X-Signature-Secondary': hmac(body, secondary) }

      const diagnosis = diagnose(body, headers, secrets)

      expect(diagnosis).toEqual({ verified: true, code, message: expect.stringMatching(message) })
    },
  )

  const brokenEvent = '{"eventType":"DISPUTE.STATUS","amount":"1"}'

  it.each<[what: string, arguments: [unknown, unknown, unknown, VerifyOptions?], code: string, message: RegExp]>([
    ['a missing secret', [body, signed(body), undefined], 'configuration', /environment variable/],
    ['a short secret', [body, signed(body), 'short'], 'configuration', /too short/],
    ['an invalid option', [body, signed(body), currentSecret, { hash: 'md5' as 'sha256' }], 'configuration', /hash/],
    ['a parsed body', [payload, signed(body), currentSecret], 'body-not-raw', /was parsed/],
    ['a large body', [body, signed(body), currentSecret, { maxBytes: 10 }], 'too-large', /10 bytes/],
    ['a missing signature', [body, {}, currentSecret], 'missing-signature', /signing enabled/],
    ['a call without body and headers', [undefined, undefined, currentSecret], 'body-not-raw', /no body/],
    ['an old event', [body, signed(body), currentSecret, { tolerance: 1 }], 'too-old', /1 seconds old/],
    ['a body that is not JSON', ['<html>', signed('<html>'), currentSecret], 'not-json', /not JSON/],
    [
      'an invalid event',
      [brokenEvent, signed(brokenEvent), currentSecret],
      'breaks-schema',
      /amount must be an integer/,
    ],
  ])('explains why verify rejects %s', async (_, given, code, message) => {
    expect(diagnose(...given)).toEqual({ verified: false, code, message: expect.stringMatching(message) })
    expect(await verdict(() => verify(...(given as Parameters<typeof verify>)))).not.toBe('accepted')
  })

  it.each<[what: string, value: unknown, code: string, message: RegExp]>([
    ['a header array', [signature], 'header-array', /more than one value \(an array.*pass one string/],
    ['a number', 7, 'header-array', /pass one string/],
    ['joined values', `${signature}, AAA`, 'header-joined', /joined by a comma/],
    ['a trailing newline', `${signature}\n`, 'header-whitespace', /white space/],
    ['white space inside', `${signature.slice(0, 9)} ${signature.slice(9)}`, 'header-whitespace', /white space/],
    ['a hexadecimal digest', digest.toString('hex'), 'hex-digest', /hexadecimal \(hex\).*base64/],
    ['a hexadecimal digest in upper case', digest.toString('hex').toUpperCase(), 'hex-digest', /hexadecimal/],
    ['a hexadecimal digest of another hash', Buffer.alloc(20, 0xab).toString('hex'), 'hex-digest', /hexadecimal/],
    ['a hexadecimal value of another length', 'abc', 'malformed-signature', /not contain an HMAC/],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url'), 'base64url', /standard base64/],
    ['missing padding', signature.slice(0, -1), 'base64url', /without padding/],
    ['too much padding', `${signature}==`, 'base64url', /base64/],
    ['padding inside', `${signature.slice(0, 20)}=${signature.slice(20, 43)}`, 'malformed-signature', /HMAC/],
    [
      'an MD5 digest',
      Buffer.alloc(16, 1).toString('base64'),
      'wrong-hash',
      /of md5, the wrong hash: it should be sha256\./,
    ],
    ['a SHA-1 digest', hmacBy('sha1'), 'wrong-hash', /of sha1, the wrong hash: it should be sha256\./],
    ['a SHA-224 digest', hmacBy('sha224'), 'wrong-hash', /of sha224/],
    ['a SHA-384 digest', hmacBy('sha384'), 'wrong-hash', /of sha384.*set the option hash to 'sha384'/],
    ['a SHA-512 digest', hmacBy('sha512'), 'wrong-hash', /of sha512.*set the option hash to 'sha512'/],
    ['the prefix sha256=', `sha256=${signature}`, 'malformed-signature', /not contain an HMAC in base64/],
  ])('recognizes a wrong signature header: %s', (_, value, code, message) => {
    const expected = { verified: false, code, message: expect.stringMatching(message) }

    expect(diagnose(body, withPrimary(value), currentSecret)).toEqual(expected)
    expect(diagnose(body, { ...withPrimary(hmac('other')), 'X-Signature-Secondary': value }, currentSecret)).toEqual(
      expected,
    )
  })

  it('recognizes a signature header that occurs twice, in upper and lower case', () => {
    const headers = { 'x-signature-primary': signature, 'X-Signature-Primary': signature }

    expect(diagnose(body, headers, currentSecret)).toMatchObject({ verified: false, code: 'header-array' })
  })

  it('names the service’s hash function if the option `hash` is wrong', () => {
    const diagnosis = diagnose(body, signed(body), currentSecret, { hash: 'sha512' })

    expect(diagnosis).toMatchObject({ code: 'wrong-hash', message: expect.stringContaining("option hash to 'sha256'") })
  })

  it.each<[what: string, given: string | Uint8Array, sent: string | Uint8Array, code: string]>([
    ['a newline was added', `${body}\n`, body, 'body-newline'],
    ['a newline was removed', body, `${body}\n`, 'body-newline'],
    ['a Windows newline was removed', body, `${body}\r\n`, 'body-newline'],
    ['white space was added around it', `\n  ${body}  `, body, 'body-newline'],
    ['white space was added after it', ` ${body} `, ` ${body}`, 'body-newline'],
    ['a byte order mark was removed', body, `\uFEFF${body}`, 'body-bom'],
    ['a byte order mark was added', `\uFEFF${body}`, body, 'body-bom'],
    ['a proxy encoded it in base64', Buffer.from(body).toString('base64'), body, 'body-base64'],
    ['a proxy encoded it in base64url', Buffer.from(body).toString('base64url'), body, 'body-base64'],
    ['it is compressed with gzip', gzipSync(body), body, 'body-gzip'],
    ['it is compressed with gzip and decoded as UTF-8', String(gzipSync(body)), body, 'body-gzip'],
    ['it was decoded as Latin-1', Buffer.from(body).toString('latin1'), body, 'body-charset'],
    ['it was formatted again', formats['indented by two'] as string, body, 'body-restringified'],
    ...Object.entries(formats).map(
      ([format, sent]) => [format, body, sent, 'body-restringified'] as [string, string, string, string],
    ),
  ])('recognizes a changed body: %s', (_, given, sent, code) => {
    const diagnoses = [
      diagnose(given, signed(sent), currentSecret),
      diagnose(Buffer.from(given), signed(sent), [foreignSecret, currentSecret]),
    ]

    expect(diagnoses).toEqual(Array(2).fill({ verified: false, code, message: expect.stringMatching(/body/i) }))
  })

  const base64Secret = 'c2VjcmV0c2VjcmV0c2VjcmV0'
  const hexSecret = '00a1b2c3d4e5f60718293a4b5c6d7e8f'

  it.each<[what: string, given: string | Uint8Array, real: string | Uint8Array, code: string]>([
    ['padded with spaces', `  ${currentSecret} `, currentSecret, 'secret-padded'],
    ['padded with a newline', `${currentSecret}\n`, currentSecret, 'secret-padded'],
    ['padded with a newline, in bytes', Buffer.from(`${currentSecret}\n`), currentSecret, 'secret-padded'],
    ['stripped of a newline', currentSecret, `${currentSecret}\n`, 'secret-padded'],
    ['put in double quotes', `"${currentSecret}"`, currentSecret, 'secret-padded'],
    ['encoded in base64', Buffer.from(currentSecret).toString('base64'), currentSecret, 'secret-encoded'],
    ['encoded in hexadecimal', Buffer.from(currentSecret).toString('hex'), currentSecret, 'secret-encoded'],
    ['decoded from base64 into a string', 'secretsecretsecret', base64Secret, 'secret-encoded'],
    ['decoded from base64', Buffer.from(base64Secret, 'base64'), base64Secret, 'secret-encoded'],
    ['decoded from hexadecimal', Buffer.from(hexSecret, 'hex'), hexSecret, 'secret-encoded'],
  ])('recognizes a secret that was %s', (_, given, real, code) => {
    const headers = signed(body, real)

    const diagnoses = [diagnose(body, headers, given), diagnose(body, headers, [foreignSecret, given])]

    expect(diagnoses).toEqual(Array(2).fill({ verified: false, code, message: expect.stringContaining('The secret') }))
  })

  it.each([
    ['a quotation mark before the secret', body, `"${currentSecret}`],
    ['another secret', body, foreignSecret],
    ['a changed amount', body.replace('5000', '5001'), currentSecret],
    ['text that is not JSON', 'hello', currentSecret],
    ['JSON nested too deeply to format again', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, currentSecret],
  ])('reports "no-match" for an unknown cause: %s', (_, given, secret) => {
    const diagnosis = diagnose(given, signed(body), secret)

    expect(diagnosis).toMatchObject({ verified: false, code: 'no-match' })
    expect(diagnosis.message).toMatch(/another webhook or account.*parsed and formatted again/)
  })

  it('never reveals the secret, the body or the correct signature', () => {
    const headers = { ...signed('other'), 'X-Signature-Secondary': hmac('more') }
    const given = JSON.stringify({ canary: 'canary-in-the-body' })
    const correct = Buffer.from(hmac(given), 'base64')

    const output = JSON.stringify([
      diagnose(given, headers, currentSecret),
      diagnose(given, withPrimary(correct.toString('hex')), currentSecret),
      diagnose(given, signed(given), `${currentSecret}\n`),
      diagnose(`${given}\n`, signed(given), currentSecret),
    ])

    for (const secret of [currentSecret, 'canary', correct.toString('base64'), correct.toString('hex')]) {
      expect(output).not.toContain(secret)
    }
  })

  it('rethrows an error from a `now` function', () => {
    const now = () => {
      throw new RangeError('no clock')
    }

    expect(() => diagnose(body, signed(body), currentSecret, { tolerance: 1, now })).toThrow(new RangeError('no clock'))
  })

  it('accepts a webhook exactly if verify accepts it, for arguments of any type', () => {
    const bodies = fc.oneof(fc.json(), fc.constant(body), fc.anything())
    const headers = fc.oneof(
      fc.constant(signed(body)),
      fc.json().map((text) => signed(text)),
      fc.oneof(fc.anything(), fc.string()).map(withPrimary),
      fc.anything(),
    )
    const secrets = fc.oneof(fc.constant(currentSecret), fc.constant([foreignSecret, currentSecret]), fc.anything())
    return fc.assert(
      fc.asyncProperty(bodies, headers, secrets, async (given, sent, secret) => {
        const result = await verdict(() => verify(given as string, sent as Headers, secret as string))

        expect(diagnose(given, sent, secret).verified).toBe(result === 'accepted')
      }),
    )
  })
})
