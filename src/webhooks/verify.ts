import { ConfigurationError } from '../core/errors.js'
import { copyOf } from '../core/internal/bytes.js'
import { prototypeProblem } from '../core/internal/plain-data.js'
import { type RawBody, readRawBody } from './body.js'
import { WebhookVerificationError } from './errors.js'
import { readEvent, type WebhookEvent } from './event.js'
import { type ReceivedSignature, readSignatures, type WebhookHeaders } from './headers.js'
import { type VerifyOptions, type VerifySettings, verifySettings } from './options.js'
import { isPadded, type Keys, readSecrets, type SigningSecrets } from './secrets.js'
import { digestBytes, matches, matchesAsync, type SignatureCheck } from './signature.js'

/**
 * Verifies the signature of a webhook and returns its event, narrowed by `eventType`.
 *
 * Either signature header may match any of the secrets, so verification works during a secret rotation. A payload of an
 * unknown type with a valid signature is returned as an `UnrecognizedEvent`. Duplicate deliveries are accepted: use
 * `createHandler` to handle each delivery once.
 *
 * @param rawBody The body exactly as it was received. Do not parse and re-stringify it, because this changes its bytes.
 * @param headers The headers as your framework provides them. Names are case-insensitive.
 * @param secrets One or several signing secrets of at least 16 bytes.
 * @throws {WebhookVerificationError} The webhook cannot be trusted: `reason` states why. Respond 400.
 * @throws {WebhookPayloadError} The signature matches, but the body is not JSON, or a known event violates its schema.
 * @throws {ConfigurationError} A secret or option is invalid, or there is no `node:crypto`: use `verifyAsync` then.
 * @example
 * const event = verify(rawBody, request.headers, secret)
 * if (event.eventType === 'PAYMENT.REFUND') await recordRefund(event.payment)
 */
export function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: SigningSecrets,
  options?: VerifyOptions,
): WebhookEvent {
  return verifyPrepared(rawBody, headers, verifySettings(options), readSecrets(secrets))
}

/** Works like `verify`, but expects settings and secrets that were already checked. */
export function verifyPrepared(rawBody: unknown, headers: unknown, settings: VerifySettings, keys: Keys): WebhookEvent {
  const delivery = readDelivery(rawBody, headers, settings, keys)
  return openDelivery(delivery, matches(delivery))
}

/**
 * Works like `verify`, but uses Web Crypto, which is available in every runtime.
 *
 * @param rawBody The body exactly as it was received.
 * @param headers The headers as your framework provides them. Names are case-insensitive.
 * @param secrets One or several signing secrets of at least 16 bytes.
 * @throws {WebhookVerificationError} The webhook cannot be trusted: `reason` states why. Respond 400.
 * @throws {WebhookPayloadError} The signature matches, but the body is not JSON, or a known event violates its schema.
 * @throws {ConfigurationError} A secret or option is invalid.
 */
export async function verifyAsync(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: SigningSecrets,
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  return verifyPreparedAsync(rawBody, headers, verifySettings(options), readSecrets(secrets))
}

/** Works like `verifyAsync`, but expects settings and secrets that were already checked. */
export async function verifyPreparedAsync(
  rawBody: unknown,
  headers: unknown,
  settings: VerifySettings,
  keys: Keys,
): Promise<WebhookEvent> {
  const given = readDelivery(rawBody, headers, settings, keys)
  // Copies the body, because the caller may overwrite the buffer while the signature is checked.
  const delivery = { ...given, body: copyOf(given.body) }
  return openDelivery(delivery, await matchesAsync(delivery))
}

/** A delivery before its signature is checked. */
export interface Delivery extends SignatureCheck {
  readonly settings: VerifySettings
  readonly received: readonly ReceivedSignature[]
}

export function readDelivery(rawBody: unknown, headers: unknown, settings: VerifySettings, keys: Keys): Delivery {
  rejectPollutedPrototype()
  const body = readRawBody(rawBody, settings.maxBytes)
  const received = readSignatures(headers, digestBytes[settings.hash])
  if (received.length === 0) {
    throw new WebhookVerificationError(
      'missing-signature',
      'The request has neither X-Signature-Primary nor X-Signature-Secondary: is signing enabled in the dashboard?',
    )
  }
  const signatures = received.map(({ digest }) => digest).filter((digest) => digest !== undefined)
  return { hash: settings.hash, secrets: keys, body, signatures, settings, received }
}

export function openDelivery({ body, settings, received, secrets }: Delivery, matched: boolean): WebhookEvent {
  if (matched) return readEvent(body, settings)
  const malformed = received.filter(({ digest }) => digest === undefined).map(({ header }) => header)
  if (malformed.length > 0) {
    throw new WebhookVerificationError(
      'malformed-signature',
      `${malformed.join(' and ')} must contain one HMAC in base64; diagnose() explains the problem`,
    )
  }
  throw new WebhookVerificationError(
    'no-match',
    secrets.some(isPadded)
      ? 'No signature matches, and a configured secret begins or ends with white space, such as the line break of a file: remove it'
      : 'No signature matches: the secret belongs to another webhook, or the body was changed; diagnose() finds the cause',
  )
}

export function rejectPollutedPrototype(): void {
  const problem = prototypeProblem()
  if (problem !== undefined) throw new ConfigurationError(problem)
}
