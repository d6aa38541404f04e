import { nearest } from '../internal/suggestions.js'
import { type Duration, milliseconds } from './duration.js'

/** How the sandbox behaves. Everything has a default. */
export interface SandboxOptions {
  /** The same seed makes the same ids, tokens and secrets in the same order. @default a different one each time */
  seed?: number | string
  /** What time it is. The clock then stands still until it is advanced. @default real time, which flows */
  now?: Date
  /** How long a new payment is missing from the list: milliseconds, or a text such as `'60s'`. @default 0 */
  listDelay?: Duration
  /**
   * What a used idempotency key brings: the first answer again, a 409, or the 400 of older versions. The conflicts name
   * the payment.
   * @default 'replay'
   */
  idempotency?: 'replay' | 'conflict' | 'conflict-400'
  /**
   * How a session update treats `customer` and `order`: fields given replace fields there, one level deep, or the object
   * given replaces the whole. `metadata`, `paymentMethod` and lists are always replaced.
   * @default 'merge'
   */
  sessionUpdate?: 'merge' | 'replace'
}

/** The options, checked and completed. */
export interface SandboxSettings {
  seed: number | string | undefined
  now: Date | undefined
  listDelayMs: number
  idempotency: 'replay' | 'conflict' | 'conflict-400'
  sessionUpdate: 'merge' | 'replace'
}

type Rule = readonly [test: (value: unknown) => boolean, words: string]

const rules: { readonly [K in keyof SandboxOptions]-?: Rule } = {
  seed: [(value) => Number.isFinite(value) || typeof value === 'string', 'must be a number or a text'],
  now: [(value) => value instanceof Date && !Number.isNaN(value.getTime()), 'must be a valid Date'],
  listDelay: [(value) => milliseconds(value as Duration) >= 0, 'must be a length of time'],
  idempotency: [
    (value) => ['replay', 'conflict', 'conflict-400'].includes(value as string),
    "must be 'replay', 'conflict' or 'conflict-400'",
  ],
  sessionUpdate: [(value) => ['merge', 'replace'].includes(value as string), "must be 'merge' or 'replace'"],
}

/** @throws {TypeError} An unknown option, or a value that makes no sense. */
export function settle(options: SandboxOptions): SandboxSettings {
  requireOptions('option', options, Object.keys(rules))
  for (const [name, value] of Object.entries(options)) {
    const [test, words] = rules[name as keyof SandboxOptions]
    if (value !== undefined && !test(value)) throw new TypeError(`The sandbox's option "${name}" ${words}`)
  }
  return {
    seed: options.seed,
    now: options.now,
    listDelayMs: milliseconds(options.listDelay ?? 0),
    idempotency: options.idempotency ?? 'replay',
    sessionUpdate: options.sessionUpdate ?? 'merge',
  }
}

/** @throws {TypeError} It is no object, or has a name that is not among these. */
export function requireOptions(kind: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`The ${kind}s must be an object. It may have ${known.join(', ')}`)
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(unknown(kind, name, known))
  }
}

/** `The sandbox knows no option "sede". Did you mean "seed"?` */
export function unknown(kind: string, name: unknown, known: readonly string[]): string {
  const suggestion = nearest(String(name), known)
  return `The sandbox knows no ${kind} "${name}"${suggestion ? `. Did you mean "${suggestion}"?` : ''}`
}
