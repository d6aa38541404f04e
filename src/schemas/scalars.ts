import type { LiteralUnion } from 'type-fest'
import { isOnCalendar } from '../internal/calendar.js'
import { integer as integerRule, oneOf } from '../internal/options.js'
import type { Schema } from './schema.js'

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

/** Any string in a response; in a request, a string for which the test holds. */
const stringThat = (test: (value: string) => boolean, message: string): Schema<string> => ({
  type: 'string',
  rule: (value) => (test(value as string) ? undefined : { code: 'invalid_value', message }),
})

export const text: Schema<string> = { type: 'string' }

/** A string that identifies something, so a request cannot have an empty one. */
export const identifier = stringThat((value) => value !== '', 'must not be empty')

/** A boolean. Some responses have the string `true` or `false` instead. */
export const flag: Schema<boolean> = { type: 'boolean' }

/** A safe integer. */
export const integer: Schema<number> = { type: 'integer' }

/** A safe integer; in a request, one within limits. */
export const integerFrom = (minimum: number, maximum?: number): Schema<number> => ({
  type: 'integer',
  rule: integerRule(minimum, maximum),
})

/** An amount in minor units of its currency. */
export const minorUnits: Schema<number> = {
  type: 'integer',
  rule: (value) => ((value as number) >= 0 ? undefined : { code: 'out_of_range', message: 'must not be less than 0' }),
}

export const decimal: Schema<number> = { type: 'number' }

export const currencyCode: Schema<CurrencyCode> = stringThat(
  (value) => /^[A-Z]{3}$/.test(value),
  'must be a three-letter ISO 4217 code, such as EUR',
)

export const countryCode = stringThat(
  (value) => /^[A-Z]{2}$/.test(value),
  'must be a two-letter country code, such as DE',
)

export const dateTime: Schema<DateTime> = stringThat(
  (value) => /^.{10}T[\d:.]+(Z|\+00:00)?$/.test(value) && isDateTime(value),
  'must be an ISO 8601 datetime in UTC, such as 2026-01-31T12:00:00Z',
)

/** A point in time. A string is sent as it is. */
export const instant: Schema<Date | string> = {
  type: 'any',
  rule: (value) =>
    isInstant(value) ? undefined : { code: 'invalid_value', message: 'must be a valid Date or an ISO 8601 datetime' },
}

function isInstant(value: unknown): boolean {
  return value instanceof Date ? !Number.isNaN(value.getTime()) : typeof value === 'string' && isDateTime(value)
}

/** Accepts dates with or without a time and a zone, because the service uses all of these forms. */
function isDateTime(value: string): boolean {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?$/.exec(value) ?? []
  return day !== undefined && isOnCalendar(day) && !Number.isNaN(Date.parse(`1970-01-01T${time ?? '00:00'}Z`))
}

/** A string that the specification does not describe, so it is not checked. */
export const unchecked: Schema<string> = { type: 'any' }

/** An enumeration that may grow: known values autocomplete, every string is valid. */
export const openEnum = <T extends string>(): Schema<T> => ({ type: 'string' })

/** An enumeration that the specification closes for requests. */
export const closedEnum = <T extends string>(...values: readonly T[]): Schema<T> => ({
  type: 'string',
  rule: oneOf(...values),
})
