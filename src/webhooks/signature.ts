import { ConfigurationError } from '../core/errors.js'
import { copyOf, findNodeCrypto } from '../core/internal/bytes.js'

/** The hash function of the HMAC. */
export type SignatureHash = 'sha256' | 'sha384' | 'sha512'

export const digestBytes: Readonly<Record<SignatureHash, number>> = { sha256: 32, sha384: 48, sha512: 64 }

export const signatureHashes = /* @__PURE__ */ Object.keys(digestBytes) as SignatureHash[]

export interface SignatureCheck {
  readonly hash: SignatureHash
  readonly secrets: readonly (string | Uint8Array)[]
  readonly body: string | Uint8Array
  readonly signatures: readonly Uint8Array[]
}

/**
 * Returns whether any signature matches the body with any secret. Compares all pairs, so that the duration does not
 * reveal which pair matches.
 */
export function matches({ hash, secrets, body, signatures }: SignatureCheck): boolean {
  const { createHmac, timingSafeEqual } = nodeCrypto()
  let isMatch = false
  for (const secret of secrets) {
    const expected = createHmac(hash, secret).update(body).digest()
    for (const signature of signatures) isMatch = timingSafeEqual(expected, signature) || isMatch
  }
  return isMatch
}

export async function matchesAsync({ hash, secrets, body, signatures }: SignatureCheck): Promise<boolean> {
  const { subtle } = webCrypto()
  const bytes = copyOf(body)
  let isMatch = false
  for (const secret of secrets) {
    const key = await importKey(hash, secret, 'verify')
    for (const signature of signatures)
      isMatch = (await subtle.verify('HMAC', key, copyOf(signature), bytes)) || isMatch
  }
  return isMatch
}

export function signature(hash: SignatureHash, secret: string | Uint8Array, body: string | Uint8Array): string {
  return encode(nodeCrypto().createHmac(hash, secret).update(body).digest())
}

export async function signatureAsync(
  hash: SignatureHash,
  secret: string | Uint8Array,
  body: string | Uint8Array,
): Promise<string> {
  const key = await importKey(hash, secret, 'sign')
  return encode(new Uint8Array(await webCrypto().subtle.sign('HMAC', key, copyOf(body))))
}

function encode(digest: Uint8Array): string {
  return btoa(String.fromCharCode(...digest))
}

function nodeCrypto() {
  const crypto = findNodeCrypto()
  if (!crypto) {
    throw new ConfigurationError('This runtime has no node:crypto: use verifyAsync and signAsync, which use Web Crypto')
  }
  return crypto
}

export function webCrypto(): Crypto {
  const { crypto } = globalThis
  if (!crypto?.subtle) throw new ConfigurationError('This runtime has no Web Crypto (crypto.subtle)')
  return crypto
}

function importKey(hash: SignatureHash, secret: string | Uint8Array, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: hash.replace('sha', 'SHA-') }
  return webCrypto().subtle.importKey('raw', copyOf(secret), algorithm, false, [use])
}
