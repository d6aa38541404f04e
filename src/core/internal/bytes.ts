import { builtinModule } from './builtin.js'

/**
 * Returns the bytes of a `Buffer`, another view or an `ArrayBuffer`, without copying them. Returns undefined for other
 * values.
 */
export function bytesOf(value: unknown): Uint8Array | undefined {
  try {
    if (ArrayBuffer.isView(value)) {
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    }
    if (isArrayBuffer(value)) return new Uint8Array(value)
  } catch {
    // Creating a view of a detached buffer throws.
  }
  return undefined
}

/** Does not use `instanceof`, because test runners and `node:vm` contexts have a different `ArrayBuffer` class. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** Copies bytes, so the caller cannot change them later. Encodes a string as UTF-8. */
export function copyOf(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
}

/** Encodes a string, such as the result of `atob`, as Latin-1. */
export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function sha256(value: string | Uint8Array): Promise<string> {
  // Web Crypto is only the fallback, because switching to its thread pool takes longer than computing the hash.
  return sha256Sync(value) ?? toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', copyOf(value))))
}

/** Loads `node:crypto` on first use, because some runtimes do not have it. */
export function findNodeCrypto() {
  return builtinModule<typeof import('node:crypto')>('node:crypto')
}

/** Returns the SHA-256 as hexadecimal digits, or undefined in runtimes without `node:crypto`. */
export function sha256Sync(value: string | Uint8Array): string | undefined {
  return findNodeCrypto()?.createHash('sha256').update(value).digest('hex')
}
