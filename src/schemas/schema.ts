import type { LiteralUnion } from 'type-fest'
import type { Issue } from '../internal/issues.js'
import type { Rule } from '../internal/options.js'

declare const type: unique symbol

/** A description of the JSON for type `T`. `validate` checks requests against it, and `normalize` checks responses. */
export type Schema<T> = Definition & { readonly [type]?: T }

export type Definition =
  | ScalarDefinition
  | ObjectDefinition
  /** A `map` is an object with arbitrary keys. */
  | { readonly type: 'map' | 'array' | 'oneOrMany'; readonly item: Definition }
  | { readonly type: 'changes'; readonly inner: Definition }
  /** A field that is not allowed in requests. `reason` names its replacement. */
  | { readonly type: 'never'; readonly reason: string }

/** The rules for a value. Requests must satisfy all of them, responses only `type`. */
export type ScalarDefinition =
  | { readonly type: 'string'; readonly format?: Format; readonly values?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'number' | 'boolean' }
  | { readonly type: 'literal'; readonly value: string }
  | { readonly type: 'any'; readonly rule?: Rule }

export type Format = 'identifier' | 'currency-code' | 'country-code' | 'utc-date-time'

export interface ObjectDefinition {
  readonly type: 'object'
  fields(): FieldTable
  /** Whether requests may have additional fields with any JSON values. */
  readonly open?: boolean
  /** An additional rule for requests. */
  readonly rule?: (value: Readonly<Record<string, unknown>>) => readonly Issue[]
}

export interface FieldTable {
  readonly byName: ReadonlyMap<string, Field>
  /** The names of the required fields. */
  readonly required: readonly string[]
}

/** A field of an object. All `Field` objects are created with the same properties, so V8 reads them quickly. */
export interface Field {
  readonly type: Definition['type']
  readonly schema: Definition
  readonly isRequired: boolean
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never

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
  [K in keyof T]?: [NonNullable<T[K]>] extends [NotInThisVersion]
    ? T[K]
    : T[K] extends string | number | boolean | unknown[] | Record<string, unknown> | undefined
      ? T[K] | null
      : Changes<NonNullable<T[K]>> | null
}

/** A schema for each field of `T`. `required` wraps the schema of a required field. */
export type Fields<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? Schema<Exclude<T[K], undefined>> : RequiredSchema<T[K]>
}

export interface RequiredSchema<T> {
  readonly type: 'required'
  readonly inner: Schema<T>
}

/**
 * Describes an object. Responses may have additional fields. Requests may have them only if the object is `open`.
 *
 * @param fields Called once, when the schema is first used.
 */
// @__NO_SIDE_EFFECTS__
export function object<T extends object>(
  fields: () => Fields<T>,
  options: Pick<ObjectDefinition, 'open' | 'rule'> = {},
): Schema<T> {
  let table: FieldTable | undefined
  return {
    type: 'object',
    ...options,
    fields() {
      table ??= tableOf(Object.entries<Definition | RequiredSchema<unknown>>(fields()))
      return table
    },
  }
}

function tableOf(fields: [string, Definition | RequiredSchema<unknown>][]): FieldTable {
  const byName = new Map<string, Field>()
  for (const [name, field] of fields) {
    const isRequired = field.type === 'required'
    const schema = isRequired ? field.inner : field
    byName.set(name, { type: schema.type, schema, isRequired })
  }
  return { byName, required: [...byName.keys()].filter((name) => byName.get(name)?.isRequired) }
}

/** Describes a required field. It cannot be `null`. In an optional field of a response, `null` means absent. */
// @__NO_SIDE_EFFECTS__
export function required<T>(inner: Schema<T>): RequiredSchema<T> {
  return { type: 'required', inner }
}

// @__NO_SIDE_EFFECTS__
export function list<T>(item: Schema<T>): Schema<T[]> {
  return { type: 'array', item }
}

// @__NO_SIDE_EFFECTS__
export function oneOrMany<T>(item: Schema<T>): Schema<T | T[]> {
  return { type: 'oneOrMany', item }
}

// @__NO_SIDE_EFFECTS__
export function map<T>(item: Schema<T>): Schema<Record<string, T>> {
  return { type: 'map', item }
}

/** Describes the body of a request that changes an object: all fields are optional, and `null` clears a field. */
// @__NO_SIDE_EFFECTS__
export function changesOf<T>(inner: Schema<T>): Schema<Changes<T>> {
  return { type: 'changes', inner }
}

// @__NO_SIDE_EFFECTS__
export function never<Message>(reason: string): Schema<Message> {
  return { type: 'never', reason }
}

/** A datetime in the service's format, in UTC if it has no zone. Parse it with `toDate`. */
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

/** A string that identifies a resource. Must not be empty in a request. */
export const identifier: Schema<string> = { type: 'string', format: 'identifier' }

/** A boolean. Some responses contain the string `true` or `false` instead. */
export const flag: Schema<boolean> = { type: 'boolean' }

export const integer: Schema<number> = { type: 'integer' }

/** A safe integer. In requests, it must be within the limits. */
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

/** A string that is not checked, because the specification does not describe it. */
export const unchecked: Schema<string> = { type: 'any' }

/** An enumeration to which the service may add values, so every string is valid. Editors suggest the known values. */
export const openEnum: Schema<never> = { type: 'string' }

/** An enumeration whose values are complete according to the specification. Requests with other values are rejected. */
// @__NO_SIDE_EFFECTS__
export const closedEnum = <T extends string>(...values: readonly T[]): Schema<T> => ({ type: 'string', values })
