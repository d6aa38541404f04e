import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { verify, verifyAsync } from '../../src/webhooks/index.js'
import {
  aRefundEvent,
  aStatusEvent,
  bothWays,
  currentSecret,
  errorOf,
  foreignSecret,
  signed,
  verdict,
} from './fixtures.js'

/** Signatures from `openssl dgst -sha256 -hmac <secret> -binary | openssl base64 -A`, and the same for other hashes. */
const vector = {
  secret: 'whsec_openssl_vector_0001',
  body: '{"eventType":"PAYMENT.STATUS","date":"2026-01-31T12:00:00.000Z","version":"2.1","payment":{"id":"pay_1","status":"AUTHORIZED","amount":5000,"currencyCode":"EUR"}}',
  sha256: 'HWhZRigfv4HSh7s9KD98oW5iz8cNwIc3+OZXp4dfRUI=',
  sha384: 'VSbEbtnxqrkwLgYiFtqMuK2QV2bYG/39wqDnYLi+g79lePp6X5mqfzaF89zT6RI1',
  sha512: 'NSxnDjVrwX6jf9HghnbOqdIwS3h1Ofno3yzq1CtkYfl4Lb3Iwly9BSeHZEhu7u0RH6Nkk4vGVmBsgVImn4U4fA==',
} as const

describe.each(bothWays)('the function $how', ({ check }) => {
  it('accepts a signature created with openssl', async () => {
    const headers = { 'X-Signature-Primary': vector.sha256 }

    expect(await check(vector.body, headers, vector.secret)).toEqual(JSON.parse(vector.body))
  })

  it('computes the HMAC from the UTF-8 bytes of body and secret', async () => {
    const headers = { 'X-Signature-Primary': 'OD6iTfyAf1FrURLj1bQPNMEOjLXYcB3Uoa71kJNsLks=' }

    const event = await check('{"message":"Ünïcödé €"}', headers, 'clé secrète de dix-neuf €')

    expect(event).toEqual({ eventType: '', payload: { message: 'Ünïcödé €' } })
  })

  it('rejects a shortened, extended or replaced body', async () => {
    const body = JSON.stringify(aStatusEvent())
    const headers = signed(body)
    const tampered = [
      body.slice(0, -1),
      body.slice(1),
      `${body} `,
      ` ${body}`,
      '',
      JSON.stringify(aRefundEvent()),
      body.replace('5000', '5001'),
    ]

    const verdicts = await Promise.all(tampered.map((other) => verdict(() => check(other, headers, currentSecret))))

    expect(verdicts).toEqual(tampered.map(() => 'no-match'))
  })

  it.each(['sha256', 'sha384', 'sha512'] as const)(
    'accepts a signature made with the hash function %s',
    async (hash) => {
      const headers = { 'X-Signature-Primary': vector[hash] }

      const event = await check(vector.body, headers, vector.secret, { hash })

      expect(event.eventType).toBe('PAYMENT.STATUS')
    },
  )

  it('ignores a hash function named in a header', async () => {
    const algorithm = { 'x-signature-algorithm': 'sha512', 'x-hash': 'sha512' }
    const combinations = (['sha256', 'sha384', 'sha512'] as const).flatMap((hash) =>
      (['sha256', 'sha384', 'sha512'] as const).filter((other) => other !== hash).map((other) => ({ hash, other })),
    )

    const verdicts = await Promise.all(
      combinations.map(({ hash, other }) =>
        verdict(() =>
          check(vector.body, { ...algorithm, 'X-Signature-Primary': vector[other] }, vector.secret, { hash }),
        ),
      ),
    )

    expect(verdicts).toEqual(combinations.map(() => 'malformed-signature'))
  })

  it('checks the signature before parsing the body', async () => {
    const invalidUtf8 = new Uint8Array([0x7b, 0xff])
    const verdicts = [
      await verdict(() => check('no JSON', signed('no JSON', foreignSecret), currentSecret)),
      await verdict(() => check(invalidUtf8, signed(invalidUtf8, foreignSecret), currentSecret)),
      await verdict(() => check('{"eventType":"PAYMENT.STATUS"}', signed('{}'), currentSecret)),
    ]

    expect(verdicts).toEqual(['no-match', 'no-match', 'no-match'])
  })

  it('throws a WebhookPayloadError with the payload and the path of an invalid field', async () => {
    const sent = aStatusEvent({ amount: 'a lot', customerId: null })
    const body = JSON.stringify(sent)

    const error = await errorOf(() => check(body, signed(body), currentSecret))

    expect(error).toMatchObject({
      code: 'ERR_WEBHOOK_PAYLOAD',
      payload: sent,
      issues: [{ path: ['payment', 'amount'], message: expect.any(String) }],
    })
    expect(error.message).toContain('The PAYMENT.STATUS event violates its schema (payment.amount must be an integer')
    expect(error.message).not.toContain('a lot')
  })
})

describe('verify', () => {
  it('rejects every single-bit change of a body', () => {
    const body = Buffer.from(JSON.stringify(aStatusEvent()))
    const headers = signed(body)
    const accepted: number[] = []

    for (let bit = 0; bit < body.length * 8; bit++) {
      const changed = Uint8Array.from(body)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      try {
        verify(changed, headers, currentSecret)
        accepted.push(bit)
      } catch (error) {
        expect(error).toMatchObject({ reason: 'no-match' })
      }
    }

    expect(accepted).toEqual([])
    expect(verify(body, headers, currentSecret).eventType).toBe('PAYMENT.STATUS')
  })

  it('accepts only the signed body with the right secret', () => {
    const secrets = fc.string({ minLength: 16, unit: 'grapheme' }).filter((secret) => secret.trim() !== '')
    fc.assert(
      fc.property(fc.json(), fc.json(), secrets, secrets, (body, otherBody, secret, otherSecret) => {
        fc.pre(!body.includes('eventType'))
        const headers = signed(body, secret)

        expect(verify(body, headers, secret)).toEqual({ eventType: '', payload: JSON.parse(body) })
        if (otherBody !== body) expect(() => verify(otherBody, headers, secret)).toThrow(/^No signature matches/)
        if (otherSecret !== secret) expect(() => verify(body, headers, otherSecret)).toThrow('No signature matches')
      }),
    )
  })
})

describe('verifyAsync', () => {
  it('returns the signed event even if the caller overwrites the body during the call', async () => {
    const body = Buffer.from(JSON.stringify(aStatusEvent()))
    const verifying = verifyAsync(body, signed(body), currentSecret)
    body.fill(Buffer.from(JSON.stringify(aRefundEvent())))

    expect(await verifying).toEqual(aStatusEvent())
  })

  it('imports the secret as a non-extractable key', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey')

    await verifyAsync('{}', signed('{}'), currentSecret)

    const extractable = new Set(importKey.mock.calls.map(([, , , extractable]) => extractable))
    importKey.mockRestore()
    expect(extractable).toEqual(new Set([false]))
  })

  it('returns a rejected promise instead of throwing synchronously', () => {
    const verifying = verifyAsync('{}', {}, '')

    return expect(verifying).rejects.toMatchObject({ code: 'ERR_CONFIGURATION' })
  })
})
