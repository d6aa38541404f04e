import { describeIssues, nearest } from '../../internal/issues.js'
import { checkOptions, date, oneOf, type Rule, type Rules, rule } from '../../internal/options.js'
import { type Duration, isDuration, milliseconds } from './clock.js'

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

export type Settings = ReturnType<typeof readSettings>

export function readSettings(options: SandboxOptions) {
  const values = requireOptions<SandboxOptions>('createSandbox', options, {
    seed: rule((value) => Number.isFinite(value) || typeof value === 'string', 'must be a number or a string'),
    now: date,
    listDelay: rule(isDuration, "must be milliseconds or a string such as '60s'"),
    idempotency: oneOf('replay', 'conflict', 'conflict-400'),
    sessionUpdate: oneOf('merge', 'replace'),
  })
  const { seed, now, listDelay = 0, idempotency = 'replay', sessionUpdate = 'merge' } = values
  return { seed, now, listDelayMs: milliseconds(listDelay), idempotency, sessionUpdate }
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
    const suggestion = nearest(String(value), known)
    const hint = suggestion === undefined ? '' : `: did you mean "${suggestion}"?`
    return {
      code: 'invalid_value',
      message: `must be the name of ${noun}${hint}`,
      ...(suggestion !== undefined && { suggestion }),
    }
  }
}
