import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose, type VerifyOptions, verify } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, foreignSecret, hmac, previousSecret, runs, signed, verdict } from './fixtures.js'

const payload = aStatusEvent({ orderId: 'a/b <ü€>', empty: {}, none: [], list: [1, 'x, "y": [ {'] })
const body = JSON.stringify(payload)
const digest = Buffer.from(hmac(body), 'base64')
const withPrimary = (value: unknown) => ({ 'X-Signature-Primary': value })

/** The same payload in the formats of other JSON libraries. */
const formats: Record<string, string> = {
  'indented by two': JSON.stringify(payload, null, 2),
  'indented by four': JSON.stringify(payload, null, 4),
  'indented by one': JSON.stringify(payload, null, 1),
  'indented by tabs': JSON.stringify(payload, null, '\t'),
  'indented, with a last newline': `${JSON.stringify(payload, null, 2)}\n`,
  "Python's default": String.raw`{"eventType": "PAYMENT.STATUS", "date": "2026-01-31T12:00:00.000Z", "notificationConfig": {"id": "config_1", "description": "all payments"}, "version": "2.1", "payment": {"id": "pay_1", "status": "AUTHORIZED", "amount": 5000, "currencyCode": "EUR", "orderId": "a/b <\u00fc\u20ac>", "empty": {}, "none": [], "list": [1, "x, \"y\": [ {"]}}`,
  "PHP's default": body.replaceAll('/', '\\/').replace('ü', '\\u00fc').replace('€', '\\u20ac'),
  'PHP with JSON_UNESCAPED_UNICODE': body.replaceAll('/', '\\/'),
  'compact, in ASCII': body.replace('ü', '\\u00fc').replace('€', '\\u20ac'),
  "Go's default": body.replace('<', '\\u003c').replace('>', '\\u003e'),
}

describe('diagnose', () => {
  it('reports a valid webhook', () => {
    const diagnosis = diagnose(body, signed(body), currentSecret)

    expect(diagnosis).toEqual({
      verified: true,
      code: 'verified',
      message: 'The webhook is valid: the signature matches.',
    })
  })

  it.each([
    [
      'only the secondary one, the primary one being newer',
      foreignSecret,
      previousSecret,
      [previousSecret],
      'secondary-only',
    ],
    [
      'only the secondary one of several secrets',
      foreignSecret,
      previousSecret,
      [currentSecret, previousSecret],
      'secondary-only',
    ],
    ['both, the newer secret first', currentSecret, previousSecret, [currentSecret, previousSecret], 'verified'],
    ['both, the older secret first', currentSecret, previousSecret, [previousSecret, currentSecret], 'swapped'],
    ['both, the headers swapped', previousSecret, currentSecret, [currentSecret, previousSecret], 'swapped'],
    ['both, by one secret', currentSecret, currentSecret, [currentSecret], 'verified'],
    ['only the primary one', currentSecret, foreignSecret, [previousSecret, currentSecret], 'verified'],
  ])('reports which signature matches: %s', (_, primary, secondary, secrets, code) => {
    const headers = { 'X-Signature-Primary': hmac(body, primary), 'X-Signature-Secondary': hmac(body, secondary) }

    const diagnosis = diagnose(body, headers, secrets)

    expect(diagnosis).toMatchObject({ verified: true, code })
  })

  it('explains swapped secrets', () => {
    const headers = {
      'X-Signature-Primary': hmac(body, previousSecret),
      'X-Signature-Secondary': hmac(body, currentSecret),
    }

    const { message } = diagnose(body, headers, [currentSecret, previousSecret])

    expect(message).toMatch(/swapped.*verify accepts this; put the new secret first/)
  })

  it('recognizes a secondary signature without a primary one', () => {
    const diagnosis = diagnose(body, { 'X-Signature-Secondary': hmac(body) }, currentSecret)

    expect(diagnosis).toMatchObject({ verified: true, code: 'secondary-only' })
    expect(diagnosis.message).toMatch(/^Only X-Signature-Secondary matches.*configure the new secret beside yours/)
  })

  it.each<
    [
      what: string,
      body: unknown,
      headers: unknown,
      secrets: unknown,
      options: VerifyOptions,
      code: string,
      says: RegExp,
    ]
  >([
    ['no secret', body, signed(body), undefined, {}, 'configuration', /environment variable/],
    ['a short secret', body, signed(body), 'short', {}, 'configuration', /too short/],
    ['a bad option', body, signed(body), currentSecret, { hash: 'md5' as 'sha256' }, 'configuration', /hash/],
    ['a parsed body', payload, signed(body), currentSecret, {}, 'body-not-raw', /it was parsed/],
    ['no body', undefined, signed(body), currentSecret, {}, 'body-not-raw', /no body/],
    ['a large body', body, signed(body), currentSecret, { maxBytes: 10 }, 'too-large', /10 bytes/],
    ['no signature', body, {}, currentSecret, {}, 'missing-signature', /signing enabled/],
    ['nothing', undefined, undefined, currentSecret, {}, 'body-not-raw', /no body/],
    ['an old event', body, signed(body), currentSecret, { tolerance: 1 }, 'too-old', /1 seconds old/],
    ['a body that is not JSON', '<html>', signed('<html>'), currentSecret, {}, 'not-json', /not JSON/],
    [
      'a broken event',
      '{"eventType":"DISPUTE.STATUS","amount":"1"}',
      signed('{"eventType":"DISPUTE.STATUS","amount":"1"}'),
      currentSecret,
      {},
      'breaks-schema',
      /amount must be an integer/,
    ],
  ])('explains why verify rejects %s', async (_, given, headers, secrets, options, code, says) => {
    const diagnosis = diagnose(given, headers, secrets, options)

    expect(diagnosis).toEqual({ verified: false, code, message: expect.stringMatching(says) })
    expect(await verdict(() => verify(given as string, headers as Headers, secrets as string, options))).not.toBe(
      'accepted',
    )
  })

  it.each<[what: string, value: unknown, code: string, says: RegExp]>([
    ['a header array', [digest.toString('base64')], 'header-array', /more than one value \(an array.*pass one string/],
    ['an empty header array', [], 'header-array', /array/],
    ['a number', 7, 'header-array', /pass one string/],
    ['joined values', `${digest.toString('base64')}, AAA`, 'header-joined', /joined by a comma/],
    ['a trailing newline', `${digest.toString('base64')}\n`, 'header-whitespace', /white space/],
    [
      'white space inside',
      `${digest.toString('base64').slice(0, 9)} ${digest.toString('base64').slice(9)}`,
      'header-whitespace',
      /white space/,
    ],
    ['a hexadecimal digest', digest.toString('hex'), 'hex-digest', /hexadecimal \(hex\).*base64/],
    ['one in capitals', digest.toString('hex').toUpperCase(), 'hex-digest', /hexadecimal/],
    ['one of another hash', Buffer.alloc(20, 0xab).toString('hex'), 'hex-digest', /hexadecimal/],
    ['hexadecimal of no hash', 'abc', 'malformed-signature', /not contain an HMAC/],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url'), 'base64url', /standard base64/],
    ['base64url with padding', `${Buffer.alloc(32, 0xfb).toString('base64url')}=`, 'base64url', /standard base64/],
    ['missing padding', digest.toString('base64').slice(0, -1), 'base64url', /without padding/],
    ['too much padding', `${digest.toString('base64')}=`, 'base64url', /base64/],
    ['far too much padding', `${digest.toString('base64')}==`, 'base64url', /base64/],
    [
      'padding inside',
      `${digest.toString('base64').slice(0, 20)}=${digest.toString('base64').slice(20, 43)}`,
      'malformed-signature',
      /not contain an HMAC/,
    ],
    [
      'MD5',
      Buffer.alloc(16, 1).toString('base64'),
      'wrong-hash',
      /length of md5, the wrong hash: it should be sha256\./,
    ],
    ['SHA-1', hmac(body, currentSecret, 'sha1'), 'wrong-hash', /length of sha1, the wrong hash: it should be sha256\./],
    ['SHA-224', hmac(body, currentSecret, 'sha224'), 'wrong-hash', /of sha224/],
    ['SHA-384', hmac(body, currentSecret, 'sha384'), 'wrong-hash', /of sha384.*set the option hash to 'sha384'/],
    ['SHA-512', hmac(body, currentSecret, 'sha512'), 'wrong-hash', /of sha512.*set the option hash to 'sha512'/],
    ['a prefix', `sha256=${digest.toString('base64')}`, 'malformed-signature', /not contain an HMAC in base64/],
    ['junk', 'not a signature'.replaceAll(' ', '!'), 'malformed-signature', /not contain an HMAC in base64/],
    ['another length', Buffer.alloc(31, 1).toString('base64'), 'malformed-signature', /not contain an HMAC in base64/],
  ])('recognizes %s', (_, value, code, says) => {
    const diagnosis = diagnose(body, withPrimary(value), currentSecret)

    expect(diagnosis).toEqual({ verified: false, code, message: expect.stringMatching(says) })
  })

  it('recognizes a header with names in two cases', () => {
    const headers = { 'x-signature-primary': hmac(body), 'X-Signature-Primary': hmac(body) }

    const diagnosis = diagnose(body, headers, currentSecret)

    expect(diagnosis).toMatchObject({ verified: false, code: 'header-array' })
  })

  it('recognizes a malformed secondary header if the primary one does not match', () => {
    const headers = { 'X-Signature-Primary': hmac('other'), 'X-Signature-Secondary': digest.toString('hex') }

    const diagnosis = diagnose(body, headers, currentSecret)

    expect(diagnosis).toMatchObject({ verified: false, code: 'hex-digest' })
  })

  it('names the hash of the service if the option hash is wrong', () => {
    const diagnosis = diagnose(body, signed(body), currentSecret, { hash: 'sha512' })

    expect(diagnosis).toMatchObject({ code: 'wrong-hash', message: expect.stringContaining("option hash to 'sha256'") })
  })

  it.each<[what: string, given: string | Uint8Array, sent: string | Uint8Array, code: string, says: RegExp]>([
    ['a newline was added', `${body}\n`, body, 'body-newline', /trailing newline/],
    ['a newline was taken away', body, `${body}\n`, 'body-newline', /trailing newline/],
    ['a Windows newline was taken away', body, `${body}\r\n`, 'body-newline', /trailing newline/],
    ['white space was added around', `\n  ${body}  `, body, 'body-newline', /white space around/],
    ['white space was added behind, and stood before', ` ${body} `, ` ${body}`, 'body-newline', /white space around/],
    ['a byte order mark was taken away', body, `\uFEFF${body}`, 'body-bom', /byte order mark \(BOM\)/],
    ['a byte order mark was added', `\uFEFF${body}`, body, 'body-bom', /byte order mark \(BOM\)/],
    ['a proxy encoded it in base64', Buffer.from(body).toString('base64'), body, 'body-base64', /proxies/],
    ['a proxy encoded it in base64url', Buffer.from(body).toString('base64url'), body, 'body-base64', /base64/],
    [
      'a proxy encoded it, and it is bytes',
      Buffer.from(Buffer.from(body).toString('base64')),
      body,
      'body-base64',
      /base64/,
    ],
    ['it was read as Latin-1', Buffer.from(body).toString('latin1'), body, 'body-charset', /Latin-1/],
    [
      'it was read as Latin-1 and written again',
      Buffer.from(Buffer.from(body).toString('latin1')),
      body,
      'body-charset',
      /Latin-1/,
    ],
    ...Object.entries(formats).map(
      ([what, sent]) =>
        [`it was formatted again, and was ${what}`, body, sent, 'body-restringified', /re-stringified/] as [
          string,
          string,
          string,
          string,
          RegExp,
        ],
    ),
    [
      'it was formatted again, indented',
      formats['indented by two'] as string,
      body,
      'body-restringified',
      /re-stringified/,
    ],
  ])('recognizes a changed body: %s', (_, given, sent, code, says) => {
    const diagnoses = [
      diagnose(given, signed(sent), currentSecret),
      diagnose(Buffer.from(given), signed(sent), [foreignSecret, currentSecret]),
    ]

    expect(diagnoses).toEqual(Array(2).fill({ verified: false, code, message: expect.stringMatching(says) }))
  })

  it.each<[what: string, given: string | Uint8Array, real: string | Uint8Array, code: string]>([
    ['padded with spaces', `  ${currentSecret} `, currentSecret, 'secret-padded'],
    ['padded with a newline', `${currentSecret}\n`, currentSecret, 'secret-padded'],
    ['padded with a newline, as bytes', Buffer.from(`${currentSecret}\n`), currentSecret, 'secret-padded'],
    ['stripped of a newline', currentSecret, `${currentSecret}\n`, 'secret-padded'],
    ['in double quotes', `"${currentSecret}"`, currentSecret, 'secret-padded'],
    ['in quotes that do not match', `“${currentSecret}”`, currentSecret, 'secret-padded'],
    ['in single quotes', `'${currentSecret}'`, currentSecret, 'secret-padded'],
    ['encoded in base64', Buffer.from(currentSecret).toString('base64'), currentSecret, 'secret-encoded'],
    [
      'encoded in base64url',
      Buffer.from(`${currentSecret}???>>>`).toString('base64url'),
      `${currentSecret}???>>>`,
      'secret-encoded',
    ],
    ['encoded in hexadecimal', Buffer.from(currentSecret).toString('hex'), currentSecret, 'secret-encoded'],
    ['decoded from base64 into a string', 'secretsecretsecret', 'c2VjcmV0c2VjcmV0c2VjcmV0', 'secret-encoded'],
    [
      'decoded from base64',
      Buffer.from('c2VjcmV0c2VjcmV0c2VjcmV0', 'base64'),
      'c2VjcmV0c2VjcmV0c2VjcmV0',
      'secret-encoded',
    ],
    [
      'decoded from hexadecimal',
      Buffer.from('00a1b2c3d4e5f60718293a4b5c6d7e8f', 'hex'),
      '00a1b2c3d4e5f60718293a4b5c6d7e8f',
      'secret-encoded',
    ],
  ])('recognizes a secret that was %s', (_, given, real, code) => {
    const headers = signed(body, real)

    const diagnoses = [diagnose(body, headers, given), diagnose(body, headers, [foreignSecret, given])]

    expect(diagnoses).toEqual(Array(2).fill({ verified: false, code, message: expect.stringContaining('The secret') }))
  })

  it.each([
    ['one quote only', `"${currentSecret}`],
    ['another secret', foreignSecret],
  ])('reports no-match without an explanation: %s', (_, secret) => {
    const diagnosis = diagnose(body, signed(body), secret)

    expect(diagnosis).toMatchObject({ verified: false, code: 'no-match' })
    expect(diagnosis.message).toMatch(/another webhook or account.*parsed and formatted again/)
  })

  it.each([
    ['a changed amount', body.replace('5000', '5001')],
    ['text that is not JSON', 'hello'],
    ['an empty body', ''],
    ['nesting too deep to format again', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('reports no-match without an explanation: %s', (_, given) => {
    const diagnosis = diagnose(given, signed(body), currentSecret)

    expect(diagnosis).toMatchObject({ verified: false, code: 'no-match' })
  })

  it('never reveals the secret, the body or the correct signature', () => {
    const headers = { ...signed('other'), 'X-Signature-Secondary': hmac('more') }
    const given = JSON.stringify({ canary: 'canary-in-the-body' })
    const right = Buffer.from(hmac(given), 'base64')

    const said = JSON.stringify([
      diagnose(given, headers, currentSecret),
      diagnose(given, withPrimary(right.toString('hex')), currentSecret),
      diagnose(given, signed(given), `${currentSecret}\n`),
      diagnose(`${given}\n`, signed(given), currentSecret),
    ])

    for (const secret of [
      currentSecret,
      'canary-in-the-body',
      right.toString('base64'),
      right.toString('hex'),
      headers['X-Signature-Secondary'],
    ]) {
      expect(said).not.toContain(secret)
    }
  })

  it('passes on errors of the function now', () => {
    const now = () => {
      throw new RangeError('no clock')
    }

    expect(() => diagnose(body, signed(body), currentSecret, { tolerance: 1, now })).toThrow(new RangeError('no clock'))
  })

  it('reports verified exactly if verify accepts, for arguments of any type', () => {
    const bodies = fc.oneof(fc.json(), fc.constant(body), fc.anything())
    const headers = fc.oneof(
      fc.constant(signed(body)),
      fc.json().map((text) => signed(text)),
      fc.anything().map(withPrimary),
      fc.string().map(withPrimary),
      fc.anything(),
    )
    const secrets = fc.oneof(fc.constant(currentSecret), fc.constant([foreignSecret, currentSecret]), fc.anything())
    return fc.assert(
      fc.asyncProperty(bodies, headers, secrets, async (given, sent, secret) => {
        const result = await verdict(() => verify(given as string, sent as Headers, secret as string))

        expect(diagnose(given, sent, secret).verified).toBe(result === 'accepted')
      }),
      { numRuns: Math.ceil(runs / 2) },
    )
  })
})
