import type { LiteralUnion } from 'type-fest'
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

export const text: Schema<string> = { type: 'string' }

/** A string that identifies something: a request cannot have an empty one. */
export const identifier: Schema<string> = { type: 'string', format: 'identifier' }

/** A boolean. Some responses have the string `true` or `false` instead. */
export const flag: Schema<boolean> = { type: 'boolean' }

/** A safe integer. */
export const integer: Schema<number> = { type: 'integer' }

/** A safe integer; in a request, one within limits. */
export const integerFrom = (minimum: number, maximum?: number): Schema<number> => ({
  type: 'integer',
  minimum,
  maximum,
})

/** An amount in minor units of its currency. */
export const minorUnits: Schema<number> = { type: 'integer', minimum: 0 }

export const decimal: Schema<number> = { type: 'number' }

export const currencyCode: Schema<CurrencyCode> = { type: 'string', format: 'currency-code' }

export const countryCode: Schema<string> = { type: 'string', format: 'country-code' }

export const dateTime: Schema<DateTime> = { type: 'string', format: 'utc-date-time' }

/** A string that the specification does not describe, so it is not checked. */
export const unchecked: Schema<string> = { type: 'any' }

/** An enumeration that may grow: known values autocomplete, every string is valid. Fits every string type. */
export const openEnum: Schema<never> = { type: 'string' }

/** An enumeration that the specification closes for requests. */
// @__NO_SIDE_EFFECTS__
export const closedEnum = <T extends string>(...values: readonly T[]): Schema<T> => ({ type: 'string', values })
