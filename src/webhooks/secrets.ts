import { ConfigurationError } from '../core/errors.js'
import { bytesOf, copyOf } from '../core/internal/bytes.js'

/**
 * The signing secret from the dashboard, at least 16 bytes. A string is used as UTF-8, even if it looks like base64 or
 * hexadecimal.
 */
export type SigningSecret = string | ArrayBufferView | ArrayBuffer

/** One signing secret, or several: during a rotation, the new secret and the previous one. */
export type SigningSecrets = SigningSecret | readonly SigningSecret[]

/** Valid secrets as HMAC keys. */
export type Keys = readonly (string | Uint8Array)[]

const minimumBytes = 16

/** Returns the secrets as HMAC keys. Throws if any secret is invalid, even if another secret would match. */
export function readSecrets(secrets: unknown): Keys {
  if (!Array.isArray(secrets)) return [readSecret(secrets, 'The signing secret')]
  if (secrets.length === 0)
    throw new ConfigurationError('The array of signing secrets is empty: add the secret from the dashboard')
  return secrets.map((secret, index) => readSecret(secret, `Signing secret ${index + 1} of ${secrets.length}`))
}

/**
 * Returns a secret as an HMAC key. Copies bytes, because the caller may overwrite them later.
 *
 * @param name Describes the secret in messages.
 */
export function readSecret(secret: unknown, name: string): string | Uint8Array {
  const fail = (problem: string) => new ConfigurationError(`${name} ${problem}`)
  if (secret === undefined || secret === null) throw fail(`is ${secret}: is the environment variable set?`)
  const bytes = typeof secret === 'string' ? undefined : bytesOf(secret)
  const key = typeof secret === 'string' ? secret : bytes && copyOf(bytes)
  if (key === undefined) throw fail('must be a string or bytes')
  if (key.length === 0) throw fail('is empty')
  if (isBlank(key)) throw fail('contains only white space')
  // A string has at least as many bytes as characters, so only the bytes of short strings are counted.
  if (key.length < minimumBytes && copyOf(key).length < minimumBytes) {
    throw fail(`is too short: it must have at least ${minimumBytes} bytes`)
  }
  if (repeatsOneByte(key)) throw fail('consists of one repeated byte: was the buffer overwritten?')
  return key
}

/** Returns whether a secret starts or ends with white space, such as the line break at the end of a file. */
export function isPadded(key: string | Uint8Array): boolean {
  const text = typeof key === 'string' ? key : new TextDecoder('latin1').decode(key)
  return text !== text.trim()
}

function isBlank(key: string | Uint8Array): boolean {
  return typeof key === 'string' ? key.trim() === '' : key.every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))
}

function repeatsOneByte(key: string | Uint8Array): boolean {
  // Only an ASCII string can consist of one repeated byte, because UTF-8 encodes other characters as several different
  // bytes.
  if (typeof key === 'string' && key >= '\x80') return false
  for (let index = 1; index < key.length; index++) if (key[index] !== key[0]) return false
  return true
}
