import { ConfigurationError } from '../errors.js'
import { nearest } from '../internal/suggestions.js'
import { digestBytes, type SignatureHash } from './signature.js'

/** How to check a webhook. */
export interface VerifyOptions {
  /** Hash of the HMAC, as agreed with the service. Never taken from the request. @default 'sha256' */
  hash?: SignatureHash
  /** Largest body to look at, in bytes. @default 1048576 */
  maxBytes?: number
  /**
   * Oldest event to accept, in seconds, measured on its `signedAt`, else its `date`. An event with neither (a dispute)
   * is accepted. The service repeats deliveries that failed, so leave room for that.
   * @default no limit
   */
  tolerance?: number
  /** The time that `tolerance` is measured from. @default the clock */
  now?: Date | (() => Date)
}

export type VerifySettings = Required<Omit<VerifyOptions, 'tolerance'>> & Pick<VerifyOptions, 'tolerance'>

/** What an option must be: a test, and its words. */
export type Rule = readonly [test: (value: unknown) => boolean, words: string]

export const positiveInteger: Rule = [
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
  'must be a positive integer',
]

const defaults: VerifySettings = { hash: 'sha256', maxBytes: 1024 * 1024, now: () => new Date() }

export const verifyRules: Readonly<Record<keyof VerifyOptions, Rule>> = {
  hash: [(value) => Object.hasOwn(digestBytes, String(value)), "must be 'sha256', 'sha384' or 'sha512'"],
  maxBytes: positiveInteger,
  tolerance: [(value) => Number.isFinite(value) && (value as number) > 0, 'must be a positive number of seconds'],
  now: [(value) => value instanceof Date || typeof value === 'function', 'must be a Date or a function returning one'],
}

/** How to verify, checked and complete. */
export function resolveOptions(options: VerifyOptions | undefined): VerifySettings {
  return options === undefined ? defaults : resolve(options, defaults, verifyRules)
}

/** Options with their defaults, each held against its rule. Only own ones that are not undefined count as given. */
export function resolve<Settings extends object>(
  options: object,
  defaults: Settings,
  rules: Readonly<Record<string, Rule>>,
): Settings {
  refuseUnknown(options, Object.keys(rules))
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    const [test, words] = rules[name] as Rule
    if (!test(value)) throw new ConfigurationError(`Option ${name} ${words}`)
  }
  return { ...defaults, ...Object.fromEntries(given) }
}

/** Names we do not know are refused: a misspelt `tolerance` would protect nobody. */
export function refuseUnknown(options: object, known: readonly string[], what = 'option'): void {
  if (typeof options !== 'object' || options === null) throw new ConfigurationError(`The ${what}s must be an object`)
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const suggestion = nearest(name, known)
    throw new ConfigurationError(`Unknown ${what} "${name}"${suggestion ? `. Did you mean "${suggestion}"?` : ''}`)
  }
}
