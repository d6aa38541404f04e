import { WebhookVerificationError } from '../errors.js'
import { refuseTooOld } from './age.js'
import { readRawBody } from './body.js'
import { readEvent, type WebhookEvent } from './event.js'
import { digestIn, findSignatures, type SignatureHeader } from './headers.js'
import { resolveOptions, type VerifyOptions, type VerifySettings } from './options.js'
import { parsePayload } from './payload.js'
import { readSecrets } from './secrets.js'
import { type Claim, digestBytes } from './signature.js'

/** Everything about a webhook that can be known before its signature is checked. */
export interface Evidence extends Claim {
  readonly settings: VerifySettings
  readonly digests: ReadonlyMap<SignatureHeader, Uint8Array>
  /** Headers that are there, but hold no signature, and what they hold. */
  readonly malformed: ReadonlyMap<SignatureHeader, readonly unknown[]>
}

/** Look at all that is given, the cheap and telling things first. */
export function examine(rawBody: unknown, headers: unknown, secrets: unknown, options?: VerifyOptions): Evidence {
  const settings = resolveOptions(options)
  const keys = readSecrets(secrets)
  const body = readRawBody(rawBody, settings.maxBytes)
  const found = findSignatures(headers)
  if (found.size === 0) {
    throw new WebhookVerificationError(
      'missing-signature',
      'There is neither X-Signature-Primary nor X-Signature-Secondary: anyone may have sent this ' +
        '(is signing switched on?)',
    )
  }

  const digests = new Map<SignatureHeader, Uint8Array>()
  const malformed = new Map<SignatureHeader, readonly unknown[]>()
  for (const [header, values] of found) {
    const digest = digestIn(values, digestBytes[settings.hash])
    if (digest) digests.set(header, digest)
    else malformed.set(header, values)
  }
  return { hash: settings.hash, secrets: keys, body, signatures: [...digests.values()], settings, digests, malformed }
}

/** The event, now that it is known whether a signature agreed. Nothing of the body is read unless one did. */
export function judge({ body, settings, malformed }: Evidence, agreed: boolean): WebhookEvent {
  if (!agreed) throw refusal([...malformed.keys()])
  const payload = parsePayload(body)
  refuseTooOld(payload, settings)
  return readEvent(payload)
}

function refusal(malformed: readonly SignatureHeader[]): WebhookVerificationError {
  return malformed.length > 0
    ? new WebhookVerificationError(
        'malformed-signature',
        `${malformed.join(' and ')} must hold one HMAC in base64; diagnose says what is wrong with it`,
      )
    : new WebhookVerificationError(
        'no-match',
        'No signature agrees: either the secret is not the one of this webhook, or the body is not byte for byte ' +
          'what was received; diagnose says which',
      )
}
