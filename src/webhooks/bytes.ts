/** The bytes of a `Buffer`, any other view, or an `ArrayBuffer`, without copying; `undefined` for anything else. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined
}

/** Known by its tag: test runners and virtual machines have an `ArrayBuffer` of their own, which `instanceof` misses. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** Bytes of our own, so that nobody can change them while we wait. Text becomes UTF-8. */
export function copyOf(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
