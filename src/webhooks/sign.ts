import { type RawBody, readRawBody } from './body.js'
import type { SignatureHeaders } from './headers.js'
import { checked, hashRule, type VerifyOptions } from './options.js'
import { readSecret, type SigningSecret } from './secrets.js'
import { signature, signatureAsync } from './signature.js'

/** Options of `sign`. */
export interface SignOptions extends Pick<VerifyOptions, 'hash'> {
  /** The secret before the rotation: signs `X-Signature-Secondary`, as in the 24 hours after a rotation. */
  previousSecret?: SigningSecret
}

/**
 * Creates the signature headers of a webhook as the service does, for tests of your receiver.
 *
 * @param rawBody The body that you will send.
 * @param secret The current secret; signs `X-Signature-Primary`.
 * @throws {ConfigurationError} An invalid secret or option, or a runtime without `node:crypto`: use `signAsync` there.
 */
export function sign(rawBody: RawBody, secret: SigningSecret, options?: SignOptions): SignatureHeaders {
  const { hash, body, primary, secondary } = prepare(rawBody, secret, options)
  return toHeaders(signature(hash, primary, body), secondary && signature(hash, secondary, body))
}

/**
 * Does the same as `sign`, with Web Crypto: for every runtime.
 *
 * @param rawBody The body that you will send.
 * @param secret The current secret; signs `X-Signature-Primary`.
 * @throws {ConfigurationError} An invalid secret or option.
 */
export async function signAsync(
  rawBody: RawBody,
  secret: SigningSecret,
  options?: SignOptions,
): Promise<SignatureHeaders> {
  const { hash, body, primary, secondary } = prepare(rawBody, secret, options)
  const primarySignature = await signatureAsync(hash, primary, body)
  return toHeaders(primarySignature, secondary && (await signatureAsync(hash, secondary, body)))
}

function prepare(rawBody: RawBody, secret: SigningSecret, options?: SignOptions) {
  // readSecret() checks the previous secret.
  const rules = { hash: hashRule, previousSecret: () => undefined }
  const { hash = 'sha256', previousSecret } = checked<SignOptions>(options, rules)
  return {
    hash,
    body: readRawBody(rawBody),
    primary: readSecret(secret, 'The signing secret'),
    secondary: previousSecret === undefined ? undefined : readSecret(previousSecret, 'The previous secret'),
  }
}

function toHeaders(primary: string, secondary: string | undefined): SignatureHeaders {
  return { 'X-Signature-Primary': primary, ...(secondary !== undefined && { 'X-Signature-Secondary': secondary }) }
}
