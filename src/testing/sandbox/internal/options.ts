import * as z from 'zod'
import { describeIssues, suggest } from '../../../core/internal/issues.js'
import {
  custom,
  type OptionsSchema,
  optionsOf,
  requireOptions as requireValid,
  type Shape,
} from '../../../core/internal/validation.js'
import { type Duration, isDuration, isTime, milliseconds } from './clock.js'

/** Options for `createSandbox`. */
export interface SandboxOptions {
  /** A seed for the IDs, tokens and secrets. The same seed creates the same sequence of values. @default random */
  seed?: number | string
  /** The time of a stopped clock, which only `clock.advance` changes. @default real time */
  now?: Date
  /** The time until a new payment appears in the list: milliseconds, or a string such as `'60s'`. @default 0 */
  listDelay?: Duration
  /**
   * The response to an idempotency key that was used before: `'replay'` returns the first response again, `'conflict'`
   * returns a 409, and `'conflict-400'` returns a 400, as older versions of the service do. Both errors contain the
   * payment's ID.
   * @default 'replay'
   */
  idempotency?: 'replay' | 'conflict' | 'conflict-400'
  /** The lifetime of idempotency keys: milliseconds, or a string such as `'24h'`. @default forever */
  keyLifetime?: Duration
  /**
   * The effect of a session update on `customer` and `order`: `'merge'` replaces only the given fields, one level deep,
   * and `'replace'` replaces the whole object. `metadata`, `paymentMethod` and arrays are always replaced.
   * @default 'merge'
   */
  sessionUpdate?: 'merge' | 'replace'
}

/** The current values of all options. */
export interface SandboxSettings extends SandboxOptions {
  /** Milliseconds until a new payment appears in the list. */
  listDelay: number
  /** The lifetime of idempotency keys, in milliseconds. */
  keyLifetime?: number
  idempotency: NonNullable<SandboxOptions['idempotency']>
  sessionUpdate: NonNullable<SandboxOptions['sessionUpdate']>
}

/** @param example A string for the error message. */
export const duration = (example: Duration) =>
  custom<Duration>(isDuration, `must be milliseconds or a string such as '${example}'`).meta({
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$' },
    ],
  })

export const optionShape = {
  seed: z.union([z.number(), z.string()], 'must be a number or a string'),
  now: z.date('must be a valid Date').refine((value) => isTime(value.getTime()), 'must be in the years 1 to 9999'),
  listDelay: duration('60s'),
  idempotency: z.enum(['replay', 'conflict', 'conflict-400']),
  keyLifetime: duration('24h'),
  sessionUpdate: z.enum(['merge', 'replace']),
} satisfies Shape<SandboxOptions>

const sandboxOptions = optionsOf<SandboxOptions>(optionShape)

export function readSettings(options: SandboxOptions): SandboxSettings {
  const values = requireOptions('createSandbox', options, sandboxOptions)
  const { seed, now, listDelay = 0, idempotency = 'replay', keyLifetime, sessionUpdate = 'merge' } = values
  const settings = { seed, now: now && new Date(now), listDelay: milliseconds(listDelay), idempotency, sessionUpdate }
  return keyLifetime === undefined ? settings : { ...settings, keyLifetime: milliseconds(keyLifetime) }
}

/** Changes settings, except those that are undefined in `options`. */
export function changeSettings(settings: SandboxSettings, options: SandboxOptions): void {
  const values = requireOptions('setOptions', options, sandboxOptions)
  const { listDelay, keyLifetime } = values
  Object.assign(
    settings,
    values,
    listDelay !== undefined && { listDelay: milliseconds(listDelay) },
    keyLifetime !== undefined && { keyLifetime: milliseconds(keyLifetime) },
  )
}

/** An option is unknown, invalid or missing. */
export class InvalidOptionsError extends TypeError {}

/**
 * Returns the options if all of them are valid.
 *
 * @param of The name of the function that received the options. It appears in the error message.
 * @throws {TypeError} An option is unknown, invalid or missing.
 */
export function requireOptions<T extends object>(of: string, given: unknown, schema: OptionsSchema<T>): Partial<T> {
  return requireValid(given, schema, {
    fail: (issues) => new InvalidOptionsError(`Invalid options for ${of}: ${describeIssues(issues)}`),
  })
}

/** Accepts only known names. The message for any other name suggests the most similar one. */
export const knownName = <const Name extends string>(noun: string, names: readonly Name[]) =>
  z.enum(names, { error: ({ input }) => `must be the name of ${noun}${suggest(String(input), names).hint}` })

export const hostName = custom<string>(
  (value) => typeof value === 'string' && /^([\w.-]+|\[?[\da-f:.]+\]?)$/i.test(value),
  'must be a host name or IP address, without scheme and port',
)
