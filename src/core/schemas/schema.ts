import * as z from 'zod/mini'
import type { Issue } from '../internal/issues.js'
import type { Problem } from '../internal/validation.js'
import * as types from './zod.js'
import type { Zod } from './zod-type.js'

/**
 * A zod schema for the JSON of type `T`. `parse` applies it to responses, and `validate` to requests. The first call
 * creates the schema, because creating all schemas at once would make importing the package slow.
 */
export type Schema<T> = () => Zod<T>

// @__NO_SIDE_EFFECTS__
function lazy<T>(create: () => z.ZodMiniType, rules?: RequestRules): Schema<T> {
  let schema: z.ZodMiniType | undefined
  return () => {
    schema ??= rules === undefined ? create() : create().register(requestRules, rules)
    return schema as Zod<T>
  }
}

type Rule = (value: unknown) => Problem | undefined

/** Rules that only requests must satisfy. */
export interface RequestRules {
  readonly format?: Format
  readonly values?: readonly string[]
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

export const requestRules = /* @__PURE__ */ z.registry<RequestRules>()

/** The structure of a schema, for functions that walk through schemas. */
export type Definition =
  | { readonly type: 'looseObject'; readonly fields: ReadonlyMap<string, types.Field> }
  | { readonly type: 'list' | 'map' | 'oneOrMany'; readonly item: Zod<unknown> }
  | { readonly type: 'literal'; readonly values: readonly string[] }
  | { readonly type: 'string' | 'int' | 'number' | 'flag' | 'unknown' }

export function definitionOf(schema: Zod<unknown>): Definition {
  return schema.def as object as Definition
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never

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
 * `T` with all fields optional. `null` clears a field. Arrays and maps must be complete, because they replace the previous
 * value.
 */
export type Changes<T> = {
  [K in keyof T]?: T[K] extends NotInThisVersion | undefined
    ? T[K]
    : T[K] extends string | number | boolean | readonly unknown[] | Record<string, unknown> | undefined
      ? T[K] | null
      : Changes<NonNullable<T[K]>> | null
}

/** A schema for each field of `T`. `required` wraps the schema of a required field. */
export type Fields<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? Schema<Exclude<T[K], undefined>> : RequiredSchema<T[K]>
}

export interface RequiredSchema<T> {
  readonly required: Schema<T>
}

/**
 * Describes an object. Responses may have additional fields. Requests may have them only if the object is `open`.
 *
 * @param fields Called once, when the schema is first used.
 */
// @__NO_SIDE_EFFECTS__
export function object<T extends object>(
  fields: () => Fields<NoInfer<T>>,
  rules: Pick<RequestRules, 'open' | 'fieldsRule' | 'changes'> = {},
): Schema<T> {
  return lazy(() => {
    const entries = Object.entries<Schema<unknown> | RequiredSchema<unknown>>(fields())
    return types.looseObject({ fields: new Map(entries.map(([name, field]) => [name, fieldOf(field)])) })
  }, rules)
}

function fieldOf(field: Schema<unknown> | RequiredSchema<unknown>): types.Field {
  return 'required' in field ? { schema: field.required(), isRequired: true } : { schema: field(), isRequired: false }
}

/** Describes a required field. It cannot be `null`. In an optional field of a response, `null` means absent. */
// @__NO_SIDE_EFFECTS__
export function required<T>(schema: Schema<T>): RequiredSchema<T> {
  return { required: schema }
}

// @__NO_SIDE_EFFECTS__
export function list<T>(item: Schema<T>): Schema<T[]> {
  return lazy(() => types.list({ item: item() }))
}

// @__NO_SIDE_EFFECTS__
export function oneOrMany<T>(item: Schema<T>): Schema<T | T[]> {
  return lazy(() => types.oneOrMany({ item: item() }))
}

// @__NO_SIDE_EFFECTS__
export function map<T>(item: Schema<T>): Schema<Record<string, T>> {
  return lazy(() => types.map({ item: item() }))
}

/** Describes the body of a request that changes an object: all fields are optional, and `null` clears a field. */
// @__NO_SIDE_EFFECTS__
export function changesOf<T extends object>(fields: () => Fields<T>): Schema<Changes<T>> {
  return object(fields, { changes: true }) as Schema<unknown> as Schema<Changes<T>>
}

// @__NO_SIDE_EFFECTS__
export function never<Message>(reason: string): Schema<Message> {
  return lazy(z.unknown, { notAllowed: reason })
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

export const text: Schema<string> = /* @__PURE__ */ lazy(z.string)

/** A string that identifies a resource. Must not be empty in a request. */
export const identifier: Schema<string> = /* @__PURE__ */ lazy(z.string, { format: 'identifier' })

/** A boolean. Some responses contain the string `true` or `false` instead. */
export const flag = /* @__PURE__ */ lazy<boolean>(types.flag)

export const integer = /* @__PURE__ */ lazy<number>(types.safeInteger)

/** A safe integer. In requests, it must be between `minimum` and `maximum`. */
// @__NO_SIDE_EFFECTS__
export const integerFrom = (minimum: number, maximum?: number): Schema<number> =>
  lazy(types.safeInteger, { minimum, maximum })

/** An amount in minor units of its currency. In requests, it must be at least 0. */
export const minorUnits = /* @__PURE__ */ lazy<number>(types.safeInteger, { minimum: 0, isAmount: true })

/** An amount in minor units of its currency. It may be negative. */
export const signedMinorUnits = /* @__PURE__ */ lazy<number>(types.safeInteger, { isAmount: true })

export const decimal: Schema<number> = /* @__PURE__ */ lazy(z.number)

export const currencyCode: Schema<CurrencyCode> = /* @__PURE__ */ lazy(z.string, { format: 'currency-code' })

export const countryCode: Schema<string> = /* @__PURE__ */ lazy(z.string, { format: 'country-code' })

export const dateTime: Schema<DateTime> = /* @__PURE__ */ lazy(z.string, { format: 'utc-date-time' })

/** A value of any type. In requests, the value must satisfy `rule`. */
// @__NO_SIDE_EFFECTS__
export const anyValue = <T>(rule?: Rule): Schema<T> => lazy(z.unknown, { rule })

/** An enumeration to which the service may add values, so every string is valid. Editors suggest the known values. */
export const openEnum = /* @__PURE__ */ lazy<never>(z.string)

/** An enumeration whose values are complete according to the specification. Requests with other values are rejected. */
// @__NO_SIDE_EFFECTS__
export const closedEnum = <T extends string>(...values: readonly T[]): Schema<T> => lazy(z.string, { values })

/** A string with one possible value. */
// @__NO_SIDE_EFFECTS__
export const exactly = <T extends string>(value: T): Schema<T> => lazy(() => z.literal(value))
