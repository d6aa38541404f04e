import { ConfigurationError } from '../errors.js'
import { copyOf } from '../internal/bytes.js'

/** A hash that the HMAC may be built on. */
export type SignatureHash = 'sha256' | 'sha384' | 'sha512'

/** Length of a digest. */
export const digestBytes: Readonly<Record<SignatureHash, number>> = { sha256: 32, sha384: 48, sha512: 64 }

/** What must agree: any of the signatures with the HMAC of the body under any of the secrets. */
export interface Claim {
  readonly hash: SignatureHash
  readonly secrets: readonly (string | Uint8Array)[]
  readonly body: string | Uint8Array
  /** Digests of the length that belongs to `hash`. */
  readonly signatures: readonly Uint8Array[]
}

/** Whether the claim holds. Every pair is compared, so that the time it takes says nothing about which one agreed. */
export function holds({ hash, secrets, body, signatures }: Claim): boolean {
  const { createHmac, timingSafeEqual } = nodeCrypto()
  let agreed = false
  for (const secret of secrets) {
    const expected = createHmac(hash, secret).update(body).digest()
    for (const signature of signatures) agreed = timingSafeEqual(expected, signature) || agreed
  }
  return agreed
}

/** As `holds`, on Web Crypto. */
export async function holdsAsync({
  hash,
  secrets,
  body,
  signatures,
}: Claim & { readonly body: Uint8Array<ArrayBuffer> }): Promise<boolean> {
  const { subtle } = webCrypto()
  let agreed = false
  for (const secret of secrets) {
    const key = await importKey(hash, secret, 'verify')
    for (const signature of signatures) agreed = (await subtle.verify('HMAC', key, copyOf(signature), body)) || agreed
  }
  return agreed
}

/** The signature of a body: its HMAC in base64. */
export function signature(hash: SignatureHash, secret: string | Uint8Array, body: string | Uint8Array): string {
  return encode(nodeCrypto().createHmac(hash, secret).update(body).digest())
}

/** As `signature`, on Web Crypto. */
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

/** The value of each letter, by its character code. */
const sextets = new Int8Array(128).fill(-1)
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  sextets[letter.charCodeAt(0)] = value
}

/**
 * The digest that a signature spells in canonical base64, `undefined` for every other spelling. Decoders that come with
 * the runtimes read the URL alphabet, blanks, missing padding and stray bits as well: a digest would have many spellings.
 */
export function decode(text: string, length: number): Uint8Array | undefined {
  const letters = Math.ceil((length * 8) / 6)
  const padding = '='.repeat((4 - (letters % 4)) % 4)
  if (text.length !== letters + padding.length || !text.endsWith(padding)) return undefined

  const digest = new Uint8Array(length)
  let rest = 0
  let restBits = 0
  let filled = 0
  for (let index = 0; index < letters; index++) {
    const sextet = sextets[text.charCodeAt(index)] ?? -1
    if (sextet < 0) return undefined
    rest = (rest << 6) | sextet
    restBits += 6
    if (restBits >= 8) {
      restBits -= 8
      digest[filled++] = rest >> restBits
      rest &= (1 << restBits) - 1
    }
  }
  return rest === 0 ? digest : undefined
}

/** Asked for when first needed, so that this module loads where there is none. */
function nodeCrypto() {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  if (!crypto) {
    throw new ConfigurationError(
      'This runtime has no node:crypto: use verifyAsync and signAsync, which need Web Crypto',
    )
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
