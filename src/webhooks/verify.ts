import { copyOf } from '../internal/bytes.js'
import type { RawBody } from './body.js'
import type { WebhookEvent } from './event.js'
import { examine, judge } from './evidence.js'
import type { WebhookHeaders } from './headers.js'
import type { VerifyOptions } from './options.js'
import type { SigningSecrets } from './secrets.js'
import { holds, holdsAsync } from './signature.js'

/**
 * Check who sent a webhook, and read it.
 *
 * Either signature header may agree with any of the secrets, so that a rotation goes unnoticed. The event is narrowed by
 * `eventType`; one that is properly signed but not modelled is an `UnrecognizedEvent`, not an error.
 *
 * A repeated delivery passes every time, since nothing in it says that it is one: `createHandler` sees to that.
 *
 * @param rawBody The body exactly as it was received. Parsing it and writing it again changes its bytes.
 * @param headers The headers as your framework hands them over, names in any case.
 * @param secrets The signing secret, or several; at least 16 bytes each.
 * @throws {WebhookVerificationError} It must not be trusted; `reason` says why. Answer 400.
 * @throws {WebhookPayloadError} It is genuine, but is not JSON, or a known event that breaks its schema.
 * @throws {ConfigurationError} A bad secret or option, or a runtime without `node:crypto`: use `verifyAsync` there.
 */
export function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: SigningSecrets,
  options?: VerifyOptions,
): WebhookEvent {
  const evidence = examine(rawBody, headers, secrets, options)
  return judge(evidence, holds(evidence))
}

/**
 * As `verify`, on Web Crypto: for every runtime.
 *
 * @throws {WebhookVerificationError} It must not be trusted; `reason` says why. Answer 400.
 * @throws {WebhookPayloadError} It is genuine, but is not JSON, or a known event that breaks its schema.
 * @throws {ConfigurationError} A bad secret or option.
 */
export async function verifyAsync(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: SigningSecrets,
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  const evidence = examine(rawBody, headers, secrets, options)
  // What is read must be what was signed, even if the caller reuses the buffer while we wait.
  const body = copyOf(evidence.body)
  return judge({ ...evidence, body }, await holdsAsync({ ...evidence, body }))
}
