import { createHmac } from 'node:crypto'
import { WebhookPayloadError, WebhookVerificationError } from '../../../src/webhooks/errors.js'
import { type RawBody, type SignatureHash, verify, type WebhookHeaders } from '../../../src/webhooks/index.js'
import { anyText, Decisions, seed } from './decisions.js'

const current = 'the current secret, 32 bytes long'
const previous = new TextEncoder().encode('the secret before it')
const strangers = 'the secret of someone else'

const maxBytes = 512

/**
 * Checks that `verify` accepts a webhook if and only if a signature header is the body's HMAC with a configured secret.
 *
 * The expected HMAC comes from `node:crypto`. If no signature is valid, `verify` must throw a
 * `WebhookVerificationError`. If a signature is valid but the content is not, it must throw a `WebhookPayloadError`.
 */
export function fuzz(input: Uint8Array): void {
  const decisions = new Decisions(input)
  const hash = decisions.choose<SignatureHash>(['sha256', 'sha384', 'sha512'])
  const secrets = decisions.choose([[current], [current, previous], [previous]])
  const asBody = decisions.choose(bodies)
  const asHeaders = decisions.choose(containers)
  const writePrimary = decisions.choose(signatures)
  const writeSecondary = decisions.choose(signatures)
  const edits = new Decisions(decisions.bytes())
  const body = asBody(decisions.rest())
  const bytes = bytesOf(body)
  const entries: [string, unknown][] = [
    [edits.choose(['X-Signature-Primary', 'x-signature-primary']), writePrimary(bytes, hash, edits)],
    [edits.choose(['X-Signature-Secondary', 'X-SIGNATURE-PRIMARY']), writeSecondary(bytes, hash, edits)],
  ]
  const headers = asHeaders(entries)
  if (headers === undefined) return

  const expected = secrets.map((secret) => createHmac(hash, secret).update(bytes).digest('base64'))
  const isGenuine = signaturesIn(headers).some((signature) => expected.includes(signature)) && isSound(body)
  const verdict = verdictOn(body, headers, secrets, hash)

  if (verdict !== (isGenuine ? 'genuine' : 'rejected'))
    throw new Error(`The webhook is ${verdict}, with the headers ${describe(headers)}`)
}

/** Returns whether `verify` finds a valid signature. Rethrows unexpected errors, which the fuzzer reports. */
function verdictOn(body: RawBody, headers: WebhookHeaders, secrets: (string | Uint8Array)[], hash: SignatureHash) {
  try {
    verify(body, headers, secrets, { hash, maxBytes })
    return 'genuine'
  } catch (error) {
    if (error instanceof WebhookPayloadError) return 'genuine'
    if (error instanceof WebhookVerificationError) return 'rejected'
    throw error
  }
}

/** Functions that convert bytes to each type of body. */
const bodies: readonly ((bytes: Uint8Array) => string | Uint8Array)[] = [
  (bytes) => bytes,
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (bytes) => Buffer.concat([Uint8Array.of(1, 2, 3), bytes, Uint8Array.of(4)]).subarray(3, 3 + bytes.length),
  anyText,
]

/** Functions that create header values as the service or an attacker might. */
const signatures: readonly ((body: Uint8Array, hash: SignatureHash, edits: Decisions) => unknown)[] = [
  () => undefined,
  (body, hash) => createHmac(hash, current).update(body).digest('base64'),
  (body, hash) => createHmac(hash, previous).update(body).digest('base64'),
  (body, hash) => createHmac(hash, strangers).update(body).digest('base64'),
  (body, hash, edits) => edited(createHmac(hash, current).update(body).digest('base64'), edits),
  (body, hash, edits) => respelled(createHmac(hash, current).update(body).digest('base64'), edits),
  (body, hash) => createHmac(hash, current).update(body).digest('base64url'),
  (body, hash) => createHmac(hash, current).update(body).digest('hex'),
  (body) => createHmac('sha1', current).update(body).digest('base64'),
  (_body, _hash, edits) => Buffer.from(edits.bytes()).toString('latin1'),
  (body, hash, edits) => {
    const signature = createHmac(hash, current).update(body).digest('base64')
    return edits.choose([[signature], [signature, signature], `${signature}, ${signature}`, 1, null, ''])
  },
]

/** Replaces some characters of a signature. */
function edited(signature: string, edits: Decisions): string {
  const at = edits.number() % (signature.length + 1)
  const removed = edits.number() % 3
  return signature.slice(0, at) + Buffer.from(edits.bytes()).toString('latin1') + signature.slice(at + removed)
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Replaces the last letter of a signature. A lenient base64 decoder may decode both to the same digest. */
function respelled(signature: string, edits: Decisions): string {
  return signature.replace(/(.)(=*)$/, (_, last: string, padding: string) => {
    return letters[letters.indexOf(last) ^ (1 + (edits.number() % 63))] + padding
  })
}

/** Functions that build headers objects of different frameworks, or return `undefined` for an unsupported value. */
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

/** Returns the values of both signature headers. Omits a header with several values. */
function signaturesIn(headers: WebhookHeaders): string[] {
  const entries: [string, unknown][] =
    Symbol.iterator in headers ? [...(headers as Iterable<[string, unknown]>)] : Object.entries(headers)
  return ['x-signature-primary', 'x-signature-secondary'].flatMap((name) => {
    const values = entries.filter(([key, value]) => key.toLowerCase() === name && !isNothing(value))
    const [[, value] = []] = values
    return values.length === 1 && typeof value === 'string' ? [value] : []
  })
}

const isNothing = (value: unknown) => value === undefined || value === null || value === ''

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** Returns whether the body is well-formed and within the size limit. */
function isSound(body: string | Uint8Array): boolean {
  return bytesOf(body).length <= maxBytes && (typeof body !== 'string' || body.isWellFormed())
}

function describe(headers: WebhookHeaders): string {
  return JSON.stringify(headers instanceof Headers || headers instanceof Map ? [...headers] : headers)
}

const event = '{"eventType":"PAYMENT.STATUS","date":"2026-01-31T12:00:00Z","payment":{"id":"pay_1","status":"SETTLED"}}'

export const seeds = [
  // Each kind of signature, in each type of headers.
  ...signatures.flatMap((_, way) => containers.map((_, container) => seed(0, 1, 0, container, way, 0, [''], event))),
  // Each type of body, with each hash.
  ...bodies.flatMap((_, form) => [0, 1, 2].map((hash) => seed(hash, 1, form, 0, 1, 2, [''], event))),
  // One changed character, and an inserted line break.
  seed(0, 0, 0, 0, 4, 0, ['\u0003\u0001\u0001A'], event),
  seed(0, 0, 0, 1, 4, 2, ['\u0007\u0000\u0001\n'], event),
  // A last letter that differs only in unused base64 bits.
  ...[0, 1, 2].map((bits) => seed(0, 0, 0, 0, 5, 0, [String.fromCharCode(0, 0, bits)], event)),
  // A lone surrogate.
  seed(0, 0, 3, 0, 1, 0, [''], 0x00, 0xd8),
  seed(0, 0, 1, 0, 1, 1, [''], 'not JSON'),
  seed(0, 0, 1, 0, 1, 1, [''], 'x'.repeat(maxBytes + 1)),
]

export const words = [
  '\ufeff',
  '"eventType":',
  '"payment":',
  '"PAYMENT.REFUND"',
  '"DISPUTE.STATUS"',
  '==',
  '=',
  '+',
  '_',
]
