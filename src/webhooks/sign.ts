import { anyValue, optionsOf, requireOptions } from '../core/internal/validation.js'
import { type RawBody, readRawBody } from './body.js'
import type { SignatureHeaders } from './headers.js'
import { verifyShape } from './options.js'
import { readSecret, type SigningSecret } from './secrets.js'
import { type SignatureHash, signature, signatureAsync } from './signature.js'

/** Options for `sign`. */
export interface SignOptions {
  /** Hash function of the HMAC, as agreed with the service. @default 'sha256' */
  hash?: SignatureHash
  /**
   * The previous secret. It signs `X-Signature-Secondary`, the header that the service sends for 24 hours after a
   * rotation.
   */
  previousSecret?: SigningSecret
}

/**
 * Creates the signature headers of a webhook as the service does. Use it to test your receiver.
 *
 * @param rawBody The body that you will send.
 * @param secret The current secret. It signs the header `X-Signature-Primary`.
 * @throws {ConfigurationError} A secret or option is invalid, or there is no `node:crypto`: use `signAsync` then.
 */
export function sign(rawBody: RawBody, secret: SigningSecret, options?: SignOptions): SignatureHeaders {
  const { hash, body, primary, secondary } = prepare(rawBody, secret, options)
  return toHeaders(signature(hash, primary, body), secondary && signature(hash, secondary, body))
}

/**
 * Works like `sign`, but uses Web Crypto, which is available in every runtime.
 *
 * @param rawBody The body that you will send.
 * @param secret The current secret. It signs the header `X-Signature-Primary`.
 * @throws {ConfigurationError} A secret or option is invalid.
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

// `readSecret` checks `previousSecret`.
const signOptions = optionsOf<SignOptions>({ hash: verifyShape.hash, previousSecret: anyValue })

function prepare(rawBody: RawBody, secret: SigningSecret, options?: SignOptions) {
  const { hash = 'sha256', previousSecret } = requireOptions(options, signOptions)
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
