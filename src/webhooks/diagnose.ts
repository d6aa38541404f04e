import type { Except } from 'type-fest'
import { ConfigurationError } from '../core/errors.js'
import { copyOf } from '../core/internal/bytes.js'
import { type BodyChange, possibleBodies, possibleSecrets, type SecretChange } from './diagnose-candidates.js'
import { WebhookPayloadError, WebhookVerificationError } from './errors.js'
import { decode, type SignatureHeader } from './headers.js'
import { type VerifyOptions, verifySettings } from './options.js'
import { readSecrets } from './secrets.js'
import { digestBytes, matches, type SignatureHash } from './signature.js'
import { type Delivery, openDelivery, readDelivery } from './verify.js'

/** The result of `diagnose`: success, the reason that `verify` rejects the webhook, or the recognized mistake. */
export type DiagnosisCode =
  | 'configuration'
  | 'not-json'
  | 'breaks-schema'
  | 'wrong-hash'
  | WebhookVerificationError['reason']
  | keyof typeof messages

export interface Diagnosis {
  /** Whether `verify` accepts the webhook. */
  readonly verified: boolean
  /** A stable code for programs. */
  readonly code: DiagnosisCode
  /** The problem and its solution. Contains no part of the secrets, the signatures or the body. */
  readonly message: string
}

const messages = {
  verified: 'The webhook is valid: the signature matches.',
  'secondary-only':
    'Only X-Signature-Secondary matches: the secret was rotated and yours is the previous one. verify accepts it, but ' +
    'the service stops sending this header 24 hours after the rotation: configure the new secret in addition to yours.',
  swapped:
    'The signatures match, but the secrets are swapped: the previous secret comes before the new one in your array. ' +
    'verify accepts this; put the new secret first.',
  'no-match':
    'No signature matches, and no common mistake explains it: the secret belongs to another webhook or account, or the ' +
    'body was changed, for example parsed and formatted again with other spaces or key order.',
  'header-array':
    'A signature header has more than one value (an array, or two headers whose names differ only in case), so the ' +
    'signature is ambiguous: pass one string.',
  'header-joined':
    'A signature header contains several values joined by a comma: a proxy or framework merged a duplicate header.',
  'header-whitespace': 'A signature contains white space: a proxy or framework wrapped or padded the header.',
  'hex-digest': "A signature is a hexadecimal (hex) digest: encode it as base64 (in Node: digest('base64')).",
  base64url: 'A signature is base64url, or base64 without padding: it must be standard base64, including the final =.',
  'malformed-signature': 'A signature header does not contain an HMAC in base64.',
  'body-bom':
    'A byte order mark (BOM) was added to the body or removed from it; request.text() removes it: pass the bytes.',
  'body-newline': 'A trailing newline, or other white space around the body, was added or removed: pass the raw bytes.',
  'body-gzip': 'The body is still compressed with gzip: decompress it before verification.',
  'body-base64': 'The body is still base64-encoded, as API gateways and other proxies provide it: decode it first.',
  'body-charset': 'The body was decoded as Latin-1: decode it as UTF-8, or better pass the bytes.',
  'body-restringified': 'The body was parsed and re-stringified: pass the raw bytes, before any JSON parser.',
  'secret-padded': 'The secret is padded with white space or quotes: trim the value in your configuration.',
  'secret-encoded':
    'The secret was decoded from, or encoded in, base64 or hexadecimal: use the string exactly as the dashboard shows it.',
} satisfies Record<BodyChange | SecretChange, string> & Record<string, string>

/**
 * Finds the mistake that prevents the verification of a webhook.
 *
 * Use it in development and support, but not for every request, because it tries many combinations. It never reveals
 * the correct signature.
 *
 * @param rawBody The value that you passed to `verify`, of any type.
 * @param headers The value that you passed to `verify`, of any type.
 * @param secrets The value that you passed to `verify`, of any type.
 * @example
 * console.log(diagnose(rawBody, request.headers, secret).message)
 */
export function diagnose(rawBody: unknown, headers: unknown, secrets: unknown, options?: VerifyOptions): Diagnosis {
  try {
    const delivery = readDelivery(rawBody, headers, verifySettings(options), readSecrets(secrets))
    if (!matches(delivery)) return { verified: false, ...explainMismatch(delivery) }
    openDelivery(delivery, true)
    return { verified: true, ...finding(describeMatch(delivery)) }
  } catch (error) {
    return { verified: false, code: codeOf(error), message: (error as Error).message }
  }
}

type Finding = Except<Diagnosis, 'verified'>

function finding(code: keyof typeof messages): Finding {
  return { code, message: messages[code] }
}

function describeMatch(delivery: Delivery): 'verified' | 'secondary-only' | 'swapped' {
  const secretOf = (header: SignatureHeader) => {
    const signatures = delivery.received.flatMap((signature) =>
      signature.header === header ? (signature.digest ?? []) : [],
    )
    return delivery.secrets.findIndex((secret) => matches({ ...delivery, secrets: [secret], signatures }))
  }
  const primary = secretOf('X-Signature-Primary')
  const secondary = secretOf('X-Signature-Secondary')
  if (primary === -1) return 'secondary-only'
  return secondary !== -1 && secondary < primary ? 'swapped' : 'verified'
}

function explainMismatch(delivery: Delivery): Finding {
  const malformed = delivery.received.find(({ digest }) => digest === undefined)
  if (malformed) return explainHeader(malformed.values, delivery.hash)
  if (isGzip(delivery.body)) return finding('body-gzip')
  for (const [code, body] of possibleBodies(delivery.body)) {
    if (matches({ ...delivery, body })) return finding(code)
  }
  for (const [code, secret] of delivery.secrets.flatMap((secret) => [...possibleSecrets(secret)])) {
    if (matches({ ...delivery, secrets: [secret] })) return finding(code)
  }
  return finding('no-match')
}

/** Returns whether a body starts with the bytes 1F 8B of gzip. Decoding as UTF-8 replaces the second byte by U+FFFD. */
function isGzip(body: string | Uint8Array): boolean {
  const start = new TextDecoder().decode(copyOf(body).subarray(0, 4))
  return start.startsWith('\x1f\ufffd') || start.startsWith('\x1f\x8b')
}

/** Digest lengths of unsupported hash functions, in bytes. */
const otherDigestBytes = { md5: 16, sha1: 20, sha224: 28 }

function explainHeader(values: readonly unknown[], hash: SignatureHash): Finding {
  const [value] = values
  if (values.length > 1 || typeof value !== 'string') return finding('header-array')
  if (value.includes(',')) return finding('header-joined')
  if (/\s/.test(value)) return finding('header-whitespace')
  const lengths = Object.entries<number>({ ...otherDigestBytes, ...digestBytes })
  const isHex = /^[\da-f]+$/i.test(value) && lengths.some(([, length]) => value.length === length * 2)
  if (isHex) return finding('hex-digest')

  const other = lengths.find(([, length]) => decode(value, length))?.[0]
  if (other) {
    const remedy = other in digestBytes ? `set the option hash to '${other}'` : `it should be ${hash}`
    return { code: 'wrong-hash', message: `A signature has the length of ${other}, the wrong hash: ${remedy}.` }
  }
  return finding(decode(toStandardBase64(value), digestBytes[hash]) ? 'base64url' : 'malformed-signature')
}

function toStandardBase64(base64: string): string {
  const letters = base64.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return letters.padEnd(Math.ceil(letters.length / 4) * 4, '=')
}

function codeOf(error: unknown): DiagnosisCode {
  if (error instanceof ConfigurationError) return 'configuration'
  if (error instanceof WebhookVerificationError) return error.reason
  if (error instanceof WebhookPayloadError) return error.issues.length > 0 ? 'breaks-schema' : 'not-json'
  throw error
}
