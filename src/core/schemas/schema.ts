import * as z from 'zod'
import type { Issue } from '../internal/issues.js'
import type { Problem } from '../internal/validation.js'
import { absent } from './zod.js'

export { absent, map, object } from './zod.js'

/** A zod object for `T`. The compiler checks a schema that is declared with this type against the interface `T`. */
export type ObjectSchema<T> = z.ZodObject<Fields<T>, z.core.$strip>

/** A zod type for `T`. The first union member makes the compiler infer the interface's name instead of its fields. */
export type Schema<T> = ObjectSchema<T> | z.ZodType<T>

/** A zod type for each field of `T`. */
export type Fields<T> = {
  [K in keyof T]-?: undefined extends T[K] ? z.ZodExactOptional<FieldOf<Exclude<T[K], undefined>>> : FieldOf<T[K]>
}

type FieldOf<V> = [V] extends [string | number | boolean | null | NotInThisVersion]
  ? z.ZodType<V, V>
  : [V] extends [(infer Item)[]]
    ? z.ZodArray<FieldOf<Item>>
    : [Extract<V, readonly unknown[] | Date | null | Record<string, unknown>>] extends [never]
      ? ObjectSchema<V>
      : z.ZodType<V, V>

type Rule = (value: unknown) => Problem | undefined

/** Rules that only requests must satisfy. */
export interface RequestRules {
  readonly format?: Format
  readonly minimum?: number
  readonly maximum?: number
  /** Whether the value is an amount in minor units. The message about a fraction then explains minor units. */
  readonly isAmount?: boolean
  readonly rule?: Rule
  /** Whether an object may have additional fields with any JSON values. */
  readonly open?: boolean
  /** Whether the object is a partial update: all fields are optional, and `null` clears a field. */
  readonly changes?: boolean
  /** A rule for the fields of an object. */
  readonly fieldsRule?: (value: Readonly<Record<string, unknown>>) => readonly Issue[]
  /** The reason that a field is not allowed, with the field that replaces it. */
  readonly notAllowed?: string
}

export type Format = 'identifier' | 'currency-code' | 'country-code' | 'utc-date-time'

export const requestRules = z.registry<RequestRules>()

/**
 * Any string. In a union with known values, editors still suggest these values, because the compiler does not simplify
 * the union to `string`.
 */
export type OtherString = string & Record<never, never>

declare const brand: unique symbol

/**
 * The type of a field that does not exist in this API version. Its subinterfaces are named after the replacement, so
 * compile errors show the replacement.
 */
export interface NotInThisVersion {
  readonly [brand]: never
}

/**
 * `T` with all fields optional. `null` clears a field. Arrays and maps must be complete, because they replace the
 * previous value.
 */
export type Changes<T> = {
  [K in keyof T]?: T[K] extends NotInThisVersion | undefined
    ? T[K]
    : T[K] extends string | number | boolean | readonly unknown[] | Record<string, unknown> | undefined
      ? T[K] | null
      : Changes<NonNullable<T[K]>> | null
}

/** A datetime in the service's format, in UTC if it has no zone. Parse it with `toDate`. */
export type DateTime = string

/** A three-letter ISO 4217 code, in capitals. */
export type CurrencyCode =
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
  | 'ZAR'
  | OtherString

const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
])

/** A boolean. Some responses contain the string `true` or `false` instead. */
export const flag = z.preprocess((value: boolean) => booleans.get(value) ?? value, z.boolean())

/** A string that identifies a resource. Must not be empty in a request. */
export const identifier = z.string().register(requestRules, { format: 'identifier' })

export const currencyCode = z.string().register(requestRules, { format: 'currency-code' })

export const countryCode = z.string().register(requestRules, { format: 'country-code' })

export const dateTime = z.string().register(requestRules, { format: 'utc-date-time' })

/** A safe integer. In requests, it must be between `minimum` and `maximum`. */
export const integerFrom = (minimum: number, maximum?: number) => z.int().register(requestRules, { minimum, maximum })

/** An amount in minor units of its currency. Must not be negative in a request. */
export const minorUnits = z.int().register(requestRules, { minimum: 0, isAmount: true })

/** An amount in minor units of its currency. It may be negative. */
export const signedMinorUnits = z.int().register(requestRules, { isAmount: true })

/** A value of any type. In requests, the value must satisfy `rule`. */
export function anyValue<T>(rule?: Rule): z.ZodType<T, T> {
  return z.unknown().register(requestRules, { rule }) as z.ZodType as z.ZodType<T, T>
}

/** A field that exists only in the types, because requests must not have it. */
export const never = (reason: string) => absent(z.never().register(requestRules, { notAllowed: reason }))
