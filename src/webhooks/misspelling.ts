import { decode, digestBytes, type SignatureHash } from './signature.js'

export type Misspelling = keyof typeof messages | 'wrong-hash'

const messages = {
  'header-array':
    'A signature header has more than one value (an array, or its name in two spellings): pass one text. Nothing can ' +
    'tell which of them to trust.',
  'header-joined':
    'A signature header holds several values joined by a comma: a proxy or framework merged a header that came twice.',
  'header-whitespace':
    'A signature has white space in or around it: something on the way wrapped or padded the header.',
  'hex-digest': "A signature is a hexadecimal (hex) digest: it must be base64, in Node digest('base64').",
  base64url:
    'A signature is base64url, or base64 without its padding: it must be standard base64, = at the end included.',
  'malformed-signature': 'A signature header holds no HMAC in base64.',
}

/** Length of a digest in bytes: those we take, and those of other hashes. */
const lengths = Object.entries<number>({ md5: 16, sha1: 20, sha224: 28, ...digestBytes })

/** What is wrong with a header that does not hold one digest in canonical base64. */
export function misspelling(values: readonly unknown[], hash: SignatureHash): { code: Misspelling; message: string } {
  const found = (code: keyof typeof messages) => ({ code, message: messages[code] })
  const [value] = values
  if (values.length > 1 || typeof value !== 'string') return found('header-array')
  if (value.includes(',')) return found('header-joined')
  if (/\s/.test(value)) return found('header-whitespace')
  if (/^[\da-f]+$/i.test(value) && lengths.some(([, length]) => value.length === length * 2)) return found('hex-digest')

  const other = lengths.find(([, length]) => decode(value, length))?.[0]
  if (other) {
    const remedy = Object.hasOwn(digestBytes, other) ? `set the option hash to '${other}'` : `it should be ${hash}`
    return { code: 'wrong-hash', message: `A signature is as long as one by ${other}, the wrong hash: ${remedy}.` }
  }
  return found(decode(standardize(value), digestBytes[hash]) ? 'base64url' : 'malformed-signature')
}

/** The standard alphabet and full padding. */
function standardize(base64: string): string {
  const letters = base64.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return letters.padEnd(Math.ceil(letters.length / 4) * 4, '=')
}
