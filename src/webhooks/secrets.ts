import { ConfigurationError } from '../errors.js'
import { bytesOf } from '../internal/bytes.js'

/** The shared secret from the dashboard: text (its UTF-8 bytes are the key), or bytes. At least 16 bytes. */
export type SigningSecret = string | ArrayBufferView | ArrayBuffer

/** One secret, or several: during a rotation the new one and the one before. */
export type SigningSecrets = SigningSecret | readonly SigningSecret[]

const minimumBytes = 16

/** The keys to check with. A list with one bad secret is refused as a whole: it would hide a broken configuration. */
export function readSecrets(secrets: unknown): (string | Uint8Array)[] {
  if (!Array.isArray(secrets)) return [readSecret(secrets, 'The signing secret')]
  if (secrets.length === 0) throw new ConfigurationError('The list of signing secrets is empty')
  return secrets.map((secret, index) => readSecret(secret, `Signing secret ${index + 1} of ${secrets.length}`))
}

/** One key to sign with. `name` is what messages call it. */
export function readSecret(secret: unknown, name: string): string | Uint8Array {
  if (secret === undefined || secret === null) {
    throw new ConfigurationError(`${name} is ${secret}: is the environment variable set?`)
  }
  const key = typeof secret === 'string' ? secret : bytesOf(secret)
  if (key === undefined) throw new ConfigurationError(`${name} must be text or bytes`)
  if (key.length === 0) throw new ConfigurationError(`${name} is empty`)
  if (isBlank(key)) throw new ConfigurationError(`${name} is nothing but white space`)
  if (byteLength(key) < minimumBytes) {
    throw new ConfigurationError(`${name} is too short: it must have at least ${minimumBytes} bytes`)
  }
  return key
}

function isBlank(key: string | Uint8Array): boolean {
  return typeof key === 'string' ? key.trim() === '' : key.every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))
}

function byteLength(key: string | Uint8Array): number {
  // Text has at least as many bytes as characters.
  if (typeof key !== 'string' || key.length >= minimumBytes) return key.length
  return new TextEncoder().encode(key).byteLength
}
