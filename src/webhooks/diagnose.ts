import { ConfigurationError, WebhookPayloadError, type WebhookRefusal, WebhookVerificationError } from '../errors.js'
import { type Evidence, examine, judge } from './evidence.js'
import type { SignatureHeader } from './headers.js'
import { type BodyMishap, bodiesBefore, type SecretMishap, secretsBefore } from './mishaps.js'
import { type Misspelling, misspelling } from './misspelling.js'
import type { VerifyOptions } from './options.js'
import { holds } from './signature.js'

/** What `diagnose` can tell apart: nothing wrong in one of three ways, why `verify` refuses it, and what was done to it. */
export type DiagnosisCode =
  | 'verified'
  | 'secondary-only'
  | 'swapped'
  | 'configuration'
  | 'not-json'
  | 'breaks-schema'
  | WebhookRefusal
  | Misspelling
  | BodyMishap
  | SecretMishap

/** What is wrong with a webhook. */
export interface Diagnosis {
  /** Whether `verify` accepts it. */
  readonly verified: boolean
  /** Stable, for programs. */
  readonly code: DiagnosisCode
  /** For people: what it is, and what to do. Holds no secret, no signature and nothing of the body. */
  readonly message: string
}

type Guess = 'verified' | 'secondary-only' | 'swapped' | 'no-match' | BodyMishap | SecretMishap

const messages: Record<Guess, string> = {
  verified: 'Nothing is wrong: the signature agrees.',
  'secondary-only':
    'Only X-Signature-Secondary agrees: the secret was rotated and yours is the previous one. verify accepts it, but ' +
    'the header goes away 24 hours after the rotation: configure the new secret beside yours.',
  swapped:
    'The signatures agree, but the secrets are swapped: the primary one is by a later secret of your list than the ' +
    'secondary one. verify does not mind; list the new secret first.',
  'no-match':
    'No signature agrees, and nothing simple explains it: the secret is that of another webhook or account, or the ' +
    'body was changed beyond repair, for example parsed and written again with other spaces or key order.',
  'body-bom':
    'A byte order mark (BOM) was added to the body or taken from it; request.text() does that: pass the bytes.',
  'body-newline':
    'A trailing newline, or other white space around the body, was added or taken away: pass the raw bytes.',
  'body-base64': 'The body is still base64-encoded, as API gateways and other proxies hand it over: decode it first.',
  'body-charset': 'The body was read as Latin-1: read it as UTF-8, or better pass the bytes.',
  'body-restringified':
    'The body was parsed and re-stringified: pass the raw bytes, as they were before any JSON parser.',
  'secret-padded': 'The secret is padded with white space or quotes: trim the value where it is configured.',
  'secret-encoded':
    'The secret was decoded from, or encoded in, base64 or hexadecimal: use its text exactly as the dashboard shows it.',
}

/**
 * Say which mistake keeps a webhook from being verified. For development and support: it tries many combinations, so
 * keep it out of the request path. It never reveals what the right signature would have been.
 *
 * @param rawBody What you passed to `verify`; anything is taken.
 * @param headers What you passed to `verify`; anything is taken.
 * @param secrets What you passed to `verify`; anything is taken.
 */
export function diagnose(rawBody: unknown, headers: unknown, secrets: unknown, options?: VerifyOptions): Diagnosis {
  try {
    const evidence = examine(rawBody, headers, secrets, options)
    if (!holds(evidence)) return { verified: false, ...disagreement(evidence) }
    judge(evidence, true)
    return { verified: true, ...guess(agreement(evidence)) }
  } catch (error) {
    return { verified: false, code: codeOf(error), message: (error as Error).message }
  }
}

type Finding = Omit<Diagnosis, 'verified'>

function guess(code: Guess): Finding {
  return { code, message: messages[code] }
}

/** Which signature agreed with which secret. */
function agreement(evidence: Evidence): Guess {
  const secretOf = (header: SignatureHeader) => {
    const signatures = [evidence.digests.get(header)].filter((digest) => digest !== undefined)
    return evidence.secrets.findIndex((secret) => holds({ ...evidence, secrets: [secret], signatures }))
  }
  const primary = secretOf('X-Signature-Primary')
  const secondary = secretOf('X-Signature-Secondary')
  if (primary === -1) return 'secondary-only'
  return secondary !== -1 && secondary < primary ? 'swapped' : 'verified'
}

/** What would have had to be otherwise for a signature to agree. */
function disagreement(evidence: Evidence): Finding {
  const [malformed] = evidence.malformed.values()
  if (malformed) return misspelling(malformed, evidence.hash)
  for (const [code, body] of bodiesBefore(evidence.body)) {
    if (holds({ ...evidence, body })) return guess(code)
  }
  for (const [code, secret] of evidence.secrets.flatMap((secret) => [...secretsBefore(secret)])) {
    if (holds({ ...evidence, secrets: [secret] })) return guess(code)
  }
  return guess('no-match')
}

function codeOf(error: unknown): DiagnosisCode {
  if (error instanceof ConfigurationError) return 'configuration'
  if (error instanceof WebhookVerificationError) return error.reason
  if (error instanceof WebhookPayloadError) return error.issues.length > 0 ? 'breaks-schema' : 'not-json'
  throw error
}
