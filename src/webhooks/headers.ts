import { decode } from './signature.js'

/** Headers as any framework hands them over: Fetch's `Headers`, a `Map`, or an object with names in any case. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [name: string, value: string | readonly string[]]>
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The headers that a signed webhook carries. Assignable to whatever takes headers. */
export type SignatureHeaders = {
  'X-Signature-Primary': string
  /** With a previous secret, in the 24 hours after a rotation. */
  'X-Signature-Secondary'?: string
}

export type SignatureHeader = keyof SignatureHeaders

const canonical = new Map<string, SignatureHeader>([
  ['x-signature-primary', 'X-Signature-Primary'],
  ['x-signature-secondary', 'X-Signature-Secondary'],
])

/** Everything that was found under the two names. One text each is a signature; more than one value is never chosen from. */
export type FoundSignatures = Map<SignatureHeader, unknown[]>

export function findSignatures(headers: unknown): FoundSignatures {
  const found: FoundSignatures = new Map()
  if (typeof headers !== 'object' || headers === null) return found
  if (Symbol.iterator in headers) {
    for (const entry of headers as Iterable<unknown>) if (Array.isArray(entry)) note(found, entry[0], entry[1])
  } else {
    for (const name of Object.keys(headers)) note(found, name, (headers as Record<string, unknown>)[name])
  }
  return found
}

function note(found: FoundSignatures, name: unknown, value: unknown): void {
  const header = typeof name === 'string' ? canonical.get(name.toLowerCase()) : undefined
  if (header === undefined || value === undefined || value === null || value === '') return
  const values = found.get(header)
  if (values) values.push(value)
  else found.set(header, [value])
}

/** The digest in a header, `undefined` unless there is exactly one value and it is canonical base64. */
export function digestIn(values: readonly unknown[], length: number): Uint8Array | undefined {
  const [value] = values
  return values.length === 1 && typeof value === 'string' ? decode(value, length) : undefined
}
