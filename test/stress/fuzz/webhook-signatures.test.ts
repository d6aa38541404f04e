import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WebhookPayloadError, WebhookVerificationError } from '../../../src/webhooks/errors.js'
import { type RawBody, type SignatureHash, verify, type WebhookHeaders } from '../../../src/webhooks/index.js'
import { anyCharacter } from '../../support/characters.js'
import { mutated } from './mutated.js'

const current = 'the current secret, 32 bytes long'
const previous = new TextEncoder().encode('the secret before it')
const maxBytes = 512

/** Functions that convert bytes to each type of body. */
const bodies: readonly ((bytes: Uint8Array) => string | Uint8Array)[] = [
  (bytes) => bytes,
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (bytes) => Buffer.concat([Uint8Array.of(1, 2, 3), bytes, Uint8Array.of(4)]).subarray(3, 3 + bytes.length),
  // The decoded string may contain unpaired surrogates.
  (bytes) => Buffer.from(bytes).toString('utf16le'),
]

type CreateSignature = (body: Uint8Array, hash: SignatureHash) => unknown

const hmac =
  (secret: string | Uint8Array, encoding: 'base64' | 'base64url' | 'hex' = 'base64') =>
  (body: Uint8Array, hash: SignatureHash) =>
    createHmac(hash, secret).update(body).digest(encoding)

/** Changes a valid signature. */
const changed =
  (change: (signature: string) => unknown): CreateSignature =>
  (body, hash) =>
    change(hmac(current)(body, hash))

/** Header values that the service or an attacker might send for a body. */
const signatures: fc.Arbitrary<CreateSignature> = fc.oneof(
  {
    arbitrary: fc.constantFrom<CreateSignature[]>(hmac(current), hmac(previous), hmac('the secret of someone else')),
    weight: 5,
  },
  fc.constantFrom<CreateSignature[]>(
    hmac(current, 'base64url'),
    hmac(current, 'hex'),
    (body) => hmac(current)(body, 'sha1' as SignatureHash),
    changed((one) => [one]),
    changed((one) => [one, one]),
    changed((one) => `${one}, ${one}`),
    ...[undefined, null, 1, ''].map((value) => () => value),
  ),
  fc
    .tuple(fc.nat(100), fc.nat(2), fc.string({ maxLength: 2 }))
    .map(([at, removed, inserted]) => changed((one) => one.slice(0, at) + inserted + one.slice(at + removed))),
  // The last letter of a base64 signature has unused bits, so a lenient decoder may accept other letters in its place.
  fc
    .base64String({ minLength: 4, maxLength: 4 })
    .map(([letter]) => changed((one) => one.replace(/.(=*)$/, `${letter}$1`))),
  fc.string({ unit: anyCharacter }).map((value) => () => value),
)

/**
 * Functions that build the headers objects of different frameworks. They return `undefined` for values that the
 * framework does not allow.
 */
const containers: readonly ((entries: [string, unknown][]) => WebhookHeaders | undefined)[] = [
  (entries) => Object.fromEntries(entries) as WebhookHeaders,
  (entries) => new Map(entries) as Iterable<[string, string]>,
  (entries) => entries as [string, string][],
  (entries) => {
    try {
      return new Headers(entries.filter(([, value]) => typeof value === 'string') as [string, string][])
    } catch {
      return undefined
    }
  },
]

const event = '{"eventType":"PAYMENT.STATUS","date":"2026-01-31T12:00:00Z","payment":{"id":"pay_1","status":"SETTLED"}}'
const texts = [event, event.replace('PAYMENT', 'DISPUTE'), 'not JSON', 'x'.repeat(maxBytes + 1)]

const deliveries = fc.record({
  hash: fc.constantFrom<SignatureHash[]>('sha256', 'sha384', 'sha512'),
  secrets: fc.constantFrom<(string | Uint8Array)[][]>([current], [current, previous], [previous]),
  body: fc.tuple(fc.constantFrom(...bodies), mutated(texts, ['\ufeff', '"eventType":', '"payment":'])),
  inHeaders: fc.constantFrom(...containers),
  names: fc.tuple(
    fc.constantFrom('X-Signature-Primary', 'x-signature-primary'),
    fc.constantFrom('X-Signature-Secondary', 'X-SIGNATURE-PRIMARY'),
  ),
  values: fc.tuple(signatures, signatures),
})

it('verify accepts a body only if a signature matches a configured secret', () => {
  fc.assert(
    fc.property(deliveries, ({ hash, secrets, body: [convert, given], inHeaders, names, values }) => {
      const body = convert(given)
      const bytes = Buffer.from(body)
      const headers = inHeaders(names.map((name, at) => [name, values[at]?.(bytes, hash)]))
      fc.pre(headers !== undefined)
      const expected = secrets.map((secret) => createHmac(hash, secret).update(bytes).digest('base64'))
      const isReadable = bytes.length <= maxBytes && (typeof body !== 'string' || body.isWellFormed())
      const isGenuine = isReadable && signaturesIn(headers).some((value) => expected.includes(value as string))

      expect(isAccepted(body, headers, secrets, hash)).toBe(isGenuine)
    }),
  )
})

/** Returns whether `verify` finds a valid signature. Rethrows unexpected errors. */
function isAccepted(body: RawBody, headers: WebhookHeaders, secrets: (string | Uint8Array)[], hash: SignatureHash) {
  try {
    verify(body, headers, secrets, { hash, maxBytes })
    return true
  } catch (error) {
    if (error instanceof WebhookPayloadError) return true
    if (error instanceof WebhookVerificationError) return false
    throw error
  }
}

/** Returns the values of both signature headers. Omits a header with several values. */
function signaturesIn(headers: WebhookHeaders): unknown[] {
  const entries: [string, unknown][] =
    Symbol.iterator in headers ? [...(headers as Iterable<[string, unknown]>)] : Object.entries(headers)
  return ['x-signature-primary', 'x-signature-secondary'].flatMap((name) => {
    const values = entries.filter(([key, value]) => key.toLowerCase() === name && (value ?? '') !== '')
    return values.length === 1 ? values.map(([, value]) => value) : []
  })
}
