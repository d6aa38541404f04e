import type { LiteralUnion } from 'type-fest'
import * as z from 'zod/mini'
import { isOnCalendar } from '../internal/calendar.js'
import { must, type Schema, scalar, valueThat, type Zod } from './schema.js'

/** A datetime as the service writes it. Without a zone it is UTC: read it with `toDate`. */
export type DateTime = string

/** A three-letter ISO 4217 code, in capitals. */
export type CurrencyCode = LiteralUnion<
  | 'AUD'
  | 'BRL'
  | 'CAD'
  | 'CHF'
  | 'CNY'
  | 'CZK'
  | 'DKK'
  | 'EUR'
  | 'GBP'
  | 'HKD'
  | 'HUF'
  | 'INR'
  | 'JPY'
  | 'KRW'
  | 'KWD'
  | 'MXN'
  | 'NOK'
  | 'NZD'
  | 'PLN'
  | 'SEK'
  | 'SGD'
  | 'TRY'
  | 'USD'
  | 'ZAR',
  string
>

export const text: Schema<string> = scalar(() => z.string())

/** Text that identifies something, so it cannot be empty. */
export const identifier: Schema<string> = scalar(
  () => z.string(),
  () => z.string().check(must((value) => value !== '', 'must not be empty')),
)

/** A boolean. Some answers spell it as the text `"true"` or `"false"`, which would be truthy either way: it is read. */
export const flag: Schema<boolean> = scalar(
  () =>
    z.pipe(
      z.transform((value) => (value === 'true' ? true : value === 'false' ? false : value)),
      z.boolean() as Zod<unknown>,
    ) as Zod<boolean>,
  () => z.boolean(),
)

const safeInteger = () =>
  z
    .number({
      error: ({ input }) => `${input === undefined ? 'is missing or undefined: it ' : ''}must be an integer`,
    })
    .check(must(Number.isInteger, 'must be an integer'), must(Number.isSafeInteger, 'is too large to be exact'))

const noNegativeZero = must<number>((value) => !Object.is(value, -0), 'must not be negative zero')

/** A safe integer. */
export const integer: Schema<number> = scalar(safeInteger, () => safeInteger().check(noNegativeZero))

/** A safe integer within bounds. */
export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Schema<number> {
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `at least ${minimum}` : `${minimum} to ${maximum}`
  return scalar(safeInteger, () =>
    safeInteger().check(must((value) => value >= minimum && value <= maximum, `must be an integer, ${bounds}`)),
  )
}

/** An amount in minor units of its currency; what is sent is not negative. */
export const minorUnits: Schema<number> = scalar(safeInteger, () =>
  safeInteger().check(
    noNegativeZero,
    must((value) => value >= 0, 'must not be less than 0'),
  ),
)

export const decimal: Schema<number> = scalar(() => z.number())

export const currencyCode: Schema<CurrencyCode> = scalar(
  () => z.string() as Zod<CurrencyCode>,
  () => matching(/^[A-Z]{3}$/, 'must be a three-letter ISO 4217 code, such as EUR') as Zod<CurrencyCode>,
)

export const countryCode: Schema<string> = scalar(
  () => z.string(),
  () => matching(/^[A-Z]{2}$/, 'must be a two-letter country code, such as DE'),
)

export const dateTime: Schema<DateTime> = scalar(
  () => z.string(),
  () => z.string().check(must(isUtcDateTime, 'must be an ISO 8601 datetime in UTC, such as 2026-01-31T12:00:00Z')),
)

/** A point in time: a `Date`, or a text that travels as written. */
export const instant: Schema<Date | string> = scalar(() =>
  valueThat(isInstant, 'must be a valid Date or an ISO 8601 datetime'),
)

function isInstant(value: unknown): boolean {
  return value instanceof Date ? !Number.isNaN(value.getTime()) : typeof value === 'string' && isDateTime(value)
}

/** With or without time and zone, as the service itself writes it. */
function isDateTime(value: string): boolean {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?$/.exec(value) ?? []
  return day !== undefined && isOnCalendar(day) && !Number.isNaN(Date.parse(`1970-01-01T${time ?? '00:00'}Z`))
}

/** Text that the specification does not mention, so that nothing is asked of it. */
export const unchecked: Schema<string> = scalar(() => z.unknown() as Zod<string>)

function isUtcDateTime(value: string): boolean {
  return /^.{10}T[\d:.]+(Z|\+00:00)?$/.test(value) && isDateTime(value)
}

/** An enumeration that may grow: every text is accepted, the known ones autocomplete. */
export function openEnum<T extends string>(): Schema<T> {
  return scalar(() => z.string() as unknown as Zod<T>)
}

function matching(pattern: RegExp, words: string) {
  return z.string().check(must((value) => pattern.test(value), words))
}
