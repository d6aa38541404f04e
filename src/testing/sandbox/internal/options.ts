import * as z from 'zod/mini'
import { type Duration, isDuration, isTime, milliseconds } from './clock.js'
import { custom, oneOf, requireFields, type Shape } from './schema.js'

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
   * returns a 409, and `'conflict-400'` returns a 400, as older versions of the service do. Both errors contain the
   * payment's id.
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
  /** Milliseconds until a new payment appears in the list. */
  listDelay: number
  idempotency: NonNullable<SandboxOptions['idempotency']>
  sessionUpdate: NonNullable<SandboxOptions['sessionUpdate']>
}

/** @param example A string for the error message. */
export function duration(example: Duration) {
  return custom<Duration>(isDuration, `must be milliseconds or a string such as '${example}'`, {
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$' },
    ],
  })
}

export const optionShape: Shape<SandboxOptions> = {
  seed: custom<number | string>(
    (value) => Number.isFinite(value) || typeof value === 'string',
    'must be a number or a string',
    {
      type: ['number', 'string'],
    },
  ),
  now: z
    .date('must be a valid Date')
    .check(z.refine((value) => isTime(value.getTime()), 'must be in the years 1 to 9999')),
  listDelay: duration('60s'),
  idempotency: oneOf('replay', 'conflict', 'conflict-400'),
  sessionUpdate: oneOf('merge', 'replace'),
}

export function readSettings(options: SandboxOptions): SandboxSettings {
  const values = requireOptions<SandboxOptions>('createSandbox', options, optionShape)
  const { seed, now, listDelay = 0, idempotency = 'replay', sessionUpdate = 'merge' } = values
  return { seed, now: now && new Date(now), listDelay: milliseconds(listDelay), idempotency, sessionUpdate }
}

/** Changes settings, except those that are undefined in `options`. */
export function changeSettings(settings: SandboxSettings, options: SandboxOptions): void {
  const { listDelay, ...values } = requireOptions<SandboxOptions>('setOptions', options, optionShape)
  Object.assign(settings, values, listDelay !== undefined && { listDelay: milliseconds(listDelay) })
}

/** An option is unknown, invalid or missing. */
export class InvalidOptionsError extends TypeError {}

/**
 * Returns the options if all of them are valid.
 *
 * @param of The name of the function that received the options. It appears in the error message.
 * @param required The options that must be given.
 * @throws {TypeError} An option is unknown, invalid or missing.
 */
export function requireOptions<T extends object>(
  of: string,
  given: unknown,
  shape: Shape<T>,
  required: readonly (keyof T)[] = [],
): Partial<T> {
  const fail = (problems: string) => new InvalidOptionsError(`Invalid options for ${of}: ${problems}`)
  const fields = { ...optional(shape), ...Object.fromEntries(required.map((name) => [name, shape[name]])) }
  return requireFields(fields, given === undefined ? {} : given, fail, 'option') as Partial<T>
}

/** Makes all fields of a shape optional. */
export function optional<S extends object>(shape: S) {
  const fields = Object.entries(shape).map(([name, schema]) => [name, z.optional(schema)])
  return Object.fromEntries(fields) as {
    [Name in keyof S]: S[Name] extends z.ZodMiniType ? z.ZodMiniOptional<S[Name]> : never
  }
}

export const hostName = custom<string>(
  (value) => typeof value === 'string' && /^([\w.-]+|\[?[\da-f:.]+\]?)$/i.test(value),
  'must be a host name or IP address, without scheme and port',
)
