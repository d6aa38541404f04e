import { describeIssues, suggest } from '../../internal/issues.js'
import { checkOptions, date, oneOf, type Rule, type Rules, rule } from '../../internal/options.js'
import { type Duration, isDuration, isTime, milliseconds } from './clock.js'

/** Options for `createSandbox`. */
export interface SandboxOptions {
  /** A seed for the ids, tokens and secrets. The same seed creates the same values in the same order. @default random */
  seed?: number | string
  /** The time of a stopped clock, which only `clock.advance` changes. @default real time */
  now?: Date
  /** The time until a new payment appears in the list: milliseconds, or a string such as `'60s'`. @default 0 */
  listDelay?: Duration
  /**
   * The response to an idempotency key that was used before: `'replay'` returns the first response again, `'conflict'`
   * returns a 409, and `'conflict-400'` returns the 400 of older versions. Both errors contain the payment's id.
   * @default 'replay'
   */
  idempotency?: 'replay' | 'conflict' | 'conflict-400'
  /**
   * The effect of a session update on `customer` and `order`: `'merge'` replaces only the given fields, one level deep, and
   * `'replace'` replaces the whole object. `metadata`, `paymentMethod` and arrays are always replaced.
   * @default 'merge'
   */
  sessionUpdate?: 'merge' | 'replace'
}

/** The current values of all options. */
export interface SandboxSettings extends SandboxOptions {
  /** Milliseconds. */
  listDelay: number
  idempotency: NonNullable<SandboxOptions['idempotency']>
  sessionUpdate: NonNullable<SandboxOptions['sessionUpdate']>
}

export const optionRules: Rules<SandboxOptions> = {
  seed: rule((value) => Number.isFinite(value) || typeof value === 'string', 'must be a number or a string'),
  now: (value) => date(value) ?? time(value),
  listDelay: rule(isDuration, "must be milliseconds or a string such as '60s'"),
  idempotency: oneOf('replay', 'conflict', 'conflict-400'),
  sessionUpdate: oneOf('merge', 'replace'),
}

const time = rule((value) => isTime((value as Date).getTime()), 'must be in the years 1 to 9999', 'out_of_range')

export function readSettings(options: SandboxOptions): SandboxSettings {
  const values = requireOptions<SandboxOptions>('createSandbox', options, optionRules)
  const { seed, now, listDelay = 0, idempotency = 'replay', sessionUpdate = 'merge' } = values
  return { seed, now: now && new Date(now), listDelay: milliseconds(listDelay), idempotency, sessionUpdate }
}

/** Changes settings, except those that are undefined in `options`. */
export function changeSettings(settings: SandboxSettings, options: SandboxOptions): void {
  const { listDelay, ...values } = requireOptions<SandboxOptions>('setOptions', options, optionRules)
  Object.assign(settings, values, listDelay !== undefined && { listDelay: milliseconds(listDelay) })
}

/**
 * Returns the options if all of them are valid.
 *
 * @param of Name of the function that received the options, for the error message.
 * @throws {TypeError} An option is unknown or invalid.
 */
export function requireOptions<T extends object>(of: string, given: unknown, rules: Rules<T>): Partial<T> {
  const { values, issues } = checkOptions<T>(given === undefined ? {} : given, rules)
  if (issues.length > 0) throw new TypeError(`Invalid options for ${of}: ${describeIssues(issues)}`)
  return values
}

export const hostName: Rule = rule(
  (value) => typeof value === 'string' && /^([\w.-]+|\[?[\da-f:.]+\]?)$/i.test(value),
  'must be a host name or IP address, without scheme and port',
)

/** Creates a rule that accepts only known names. For any other name, the rule suggests the most similar one. */
export function knownName(noun: string, known: readonly string[]): Rule {
  return (value) => {
    if (known.includes(value as string)) return undefined
    const { hint, ...suggested } = suggest(String(value), known)
    return { code: 'invalid_value', message: `must be the name of ${noun}${hint}`, ...suggested }
  }
}
