import { type RawBody, readRawBody } from './body.js'
import type { SignatureHeaders } from './headers.js'
import { refuseUnknown, resolveOptions, type VerifyOptions } from './options.js'
import { readSecret, type SigningSecret } from './secrets.js'
import { signature, signatureAsync } from './signature.js'

/** How to sign a webhook. */
export interface SignOptions extends Pick<VerifyOptions, 'hash'> {
  /** The secret that was in use before: signs `X-Signature-Secondary`, as in the 24 hours after a rotation. */
  previousSecret?: SigningSecret
}

/**
 * Make the headers of a webhook, as the service does: for tests of your receiver.
 *
 * @param secret The current secret; signs `X-Signature-Primary`.
 * @throws {ConfigurationError} A bad secret or option, or a runtime without `node:crypto`: use `signAsync` there.
 */
export function sign(rawBody: RawBody, secret: SigningSecret, options?: SignOptions): SignatureHeaders {
  const { hash, body, primary, secondary } = prepare(rawBody, secret, options)
  return headers(signature(hash, primary, body), secondary && signature(hash, secondary, body))
}

/**
 * As `sign`, on Web Crypto: for every runtime.
 *
 * @throws {ConfigurationError} A bad secret or option.
 */
export async function signAsync(
  rawBody: RawBody,
  secret: SigningSecret,
  options?: SignOptions,
): Promise<SignatureHeaders> {
  const { hash, body, primary, secondary } = prepare(rawBody, secret, options)
  return headers(await signatureAsync(hash, primary, body), secondary && (await signatureAsync(hash, secondary, body)))
}

function prepare(rawBody: RawBody, secret: SigningSecret, options: SignOptions = {}) {
  refuseUnknown(options, ['hash', 'previousSecret'])
  const { hash, previousSecret } = options
  return {
    hash: resolveOptions({ hash }).hash,
    body: readRawBody(rawBody),
    primary: readSecret(secret, 'The signing secret'),
    secondary: previousSecret === undefined ? undefined : readSecret(previousSecret, 'The previous secret'),
  }
}

function headers(primary: string, secondary: string | undefined): SignatureHeaders {
  return { 'X-Signature-Primary': primary, ...(secondary !== undefined && { 'X-Signature-Secondary': secondary }) }
}
