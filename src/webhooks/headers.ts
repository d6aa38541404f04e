import { fromLatin1 } from '../core/internal/bytes.js'
import { isHeaders } from '../core/internal/headers.js'

/** Headers in the format of any framework: `Headers`, a `Map`, or an object. Names are case-insensitive. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [name: string, value: string | readonly string[]]>
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The signature headers of a webhook. Assignable to `HeadersInit`. */
export type SignatureHeaders = {
  'X-Signature-Primary': string
  /** The signature with the previous secret. Sent for 24 hours after a rotation. */
  'X-Signature-Secondary'?: string
}

export type SignatureHeader = keyof SignatureHeaders

const signatureHeaders = new Map<string, SignatureHeader>([
  ['x-signature-primary', 'X-Signature-Primary'],
  ['x-signature-secondary', 'X-Signature-Secondary'],
])

/** A signature header of a request. */
export interface ReceivedSignature {
  readonly header: SignatureHeader
  /** The values of the header. More than one if the header was received several times. */
  readonly values: readonly unknown[]
  /** The digest, if the header has exactly one value and this value is canonical base64. */
  readonly digest: Uint8Array | undefined
}

export function readSignatures(headers: unknown, digestLength: number): ReceivedSignature[] {
  return findSignatures(headers).map(({ header, values }) => {
    const [value] = values
    const digest = values.length === 1 && typeof value === 'string' ? decode(value, digestLength) : undefined
    return { header, values, digest }
  })
}

type Found = { header: SignatureHeader; values: unknown[] }[]

function findSignatures(headers: unknown): Found {
  const found: Found = []
  if (typeof headers !== 'object' || headers === null) return found
  if (isHeaders(headers)) {
    for (const name of signatureHeaders.keys()) collect(found, name, headers.get(name))
  } else if (Symbol.iterator in headers) {
    for (const entry of headers as Iterable<unknown>) if (Array.isArray(entry)) collect(found, entry[0], entry[1])
  } else {
    for (const name of Object.keys(headers)) collect(found, name, (headers as Record<string, unknown>)[name])
  }
  return found
}

function collect(found: Found, name: unknown, value: unknown): void {
  if (typeof name !== 'string' || value === undefined || value === null || value === '') return
  const header = signatureHeaders.get(name.toLowerCase())
  if (header === undefined) return
  const known = found.find((signature) => signature.header === header)
  if (known) known.values.push(value)
  else found.push({ header, values: [value] })
}

/**
 * Decodes a digest from canonical base64. Returns undefined for any other encoding.
 *
 * Built-in decoders accept many encodings of one digest: the URL alphabet, spaces, missing padding and stray bits.
 */
export function decode(base64: string, length: number): Uint8Array | undefined {
  if (base64.length !== 4 * Math.ceil(length / 3)) return undefined
  try {
    const bytes = atob(base64)
    return bytes.length === length && btoa(bytes) === base64 ? fromLatin1(bytes) : undefined
  } catch {
    return undefined
  }
}
