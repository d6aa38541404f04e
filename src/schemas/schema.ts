import * as z from 'zod/mini'
import type { Issue } from '../internal/issues.js'
import { isPlainObject } from '../internal/objects.js'
import { unpolluted } from '../internal/prototype.js'
import { nearest } from '../internal/suggestions.js'
import type { Guard } from './normalizer.js'

/** A zod schema whose output is `T`. */
export type Zod<T> = z.ZodMiniType<T>

/**
 * How a value looks on the wire, in the three ways it travels. Each is a zod schema built when first asked for.
 */
export interface Schema<T> {
  /** From the service: unknown fields stay, `null` in place of an optional field reads as `undefined`. */
  readonly received: Zod<T>
  /** To the service: unknown fields are refused, and so is a number that is present but undefined. */
  readonly sent: Zod<T>
  /** To the service, changing what is there: as `sent`, and `null` clears any field. */
  readonly changed: Zod<Changes<T>>
  /** Does what `received` does, quickly, but cannot say what is wrong. */
  readonly guard?: Guard | undefined
}

/** `T` with any field left out (it stays as it is) or `null` (it is cleared). Lists and maps are sent complete. */
export type Changes<T> = {
  [K in keyof T]?: [T[K]] extends [undefined]
    ? T[K]
    : T[K] extends unknown[] | Record<string, unknown> | undefined
      ? T[K] | null
      : Changes<NonNullable<T[K]>> | null
}

type Direction = 'received' | 'sent' | 'changed'

/** The fields of `T`, none forgotten and none invented. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> }

/** A schema from one function per direction, each called once, when first needed. */
function directed<T>(build: (direction: Direction) => Zod<unknown>, guard?: Guard): Schema<T> {
  const built: Partial<Record<Direction, Zod<unknown>>> = {}
  const get = (direction: Direction) => {
    // zod builds on plain objects, and would take what was put on their prototype for its own.
    built[direction] ??= unpolluted(() => build(direction))
    return built[direction] as Zod<never>
  }
  return {
    guard,
    get received() {
      return get('received')
    },
    get sent() {
      return get('sent')
    },
    get changed() {
      return get('changed')
    },
  }
}

/** A check that a value is what the words say. (zod's own checks do the same, and weigh more.) */
export function must<T>(test: (value: T) => boolean, words: string): z.core.CheckFn<T> {
  return ({ value, issues }) => {
    if (!test(value)) issues.push({ code: 'custom', message: words, input: value })
  }
}

/** Any value that is what the words say. */
export function valueThat<T>(test: (value: unknown) => boolean, words: string): Zod<T> {
  return z.unknown().check(must(test, words)) as Zod<T>
}

/** A value that is no object. `sent` may ask for more than `received` does. */
export function scalar<T>(received: () => Zod<T>, sent: () => Zod<T> = received): Schema<T> {
  return directed((direction) => (direction === 'received' ? received() : sent()))
}

/** An object with the fields of the interface `T`. */
export function object<T extends object>(
  fields: () => Fields<T>,
  { guard, rule }: { guard?: Guard; rule?: z.core.CheckFn<T> } = {},
): Schema<T> {
  return directed((direction) => {
    const shape = Object.fromEntries(
      Object.entries<Schema<unknown>>(fields()).map(([name, field]) => [name, field[direction]]),
    )
    if (direction === 'received') return z.looseObject(shape)
    const strict = z.strictObject(shape)
    return rule ? strict.check(rule as z.core.CheckFn<object>) : strict
  }, guard)
}

/** A field that may be left out. */
export function optional<T>(field: Schema<T>): Schema<T | undefined> {
  return directed((direction) => {
    const inner = field[direction]
    if (direction === 'received') return nullAsAbsent(z.optional(inner))
    // An amount that was meant but is missing would become "everything": refuse it. Other fields may be undefined.
    const present = inner._zod.def.type === 'number' ? z.exactOptional(inner) : z.optional(inner)
    return direction === 'changed' ? z.nullable(present) : present
  })
}

const nullAsAbsent = (inner: Zod<unknown>) =>
  z.pipe(
    z.transform((value: unknown): unknown => (value === null ? undefined : value)),
    inner,
  )

/** The same value in a request that changes it: every field is optional, and `null` clears it. */
export function changesOf<T>(schema: Schema<T>): Schema<Changes<T>> {
  return scalar(() => schema.changed)
}

/** Either of two shapes. */
export function anyOf<A, B>(a: Schema<A>, b: Schema<B>): Schema<A | B> {
  return directed((direction) => z.union([a[direction], b[direction]] as Zod<unknown>[]))
}

/** A list, sent complete. */
export function list<T>(item: Schema<T>): Schema<T[]> {
  return directed((direction) => z.array(direction === 'changed' ? item.sent : item[direction]))
}

/** An object whose keys are data. From the service, an entry that is `null` is absent, as a field would be. */
export function map<T>(value: Schema<T>): Schema<Record<string, T>> {
  return directed((direction) => {
    if (direction === 'received') return z.catchall(z.object({}), optional(value).received)
    // zod leaves `__proto__` out of what it looks at without a word, so the keys come first.
    const safe = z.unknown().check(must(isPlainObject, 'must be a record'), safeKeys) as Zod<Record<string, unknown>>
    return z.pipe(safe, z.catchall(z.object({}), value.sent))
  })
}

const safeKeys: z.core.CheckFn<unknown> = ({ value, issues }) => {
  for (const key of Object.keys(Object(value)).filter((name) => unsafeKeys.includes(name))) {
    issues.push({ code: 'custom', path: [key], message: 'must not be the name of a prototype', input: value })
  }
}

const unsafeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** A field that this request does not have; `reason` names the right one. */
export function never(reason: string): Schema<undefined> {
  return scalar(
    () => z.optional(z.unknown()) as Zod<undefined>,
    () => z.optional(z.never({ error: reason })) as Zod<undefined>,
  )
}

/** Either the value as the schema reads it, or what is wrong with it. */
export type Checked<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

/** Hold a value against a schema. */
export function check<T>(schema: Zod<T>, value: unknown): Checked<T> {
  try {
    const result = unpolluted(() => schema.safeParse(value, { error: explain }))
    return result.success ? { value: result.data } : { issues: result.error.issues.flatMap(toIssues) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // zod hands issues on as arguments of a call, and runs out of stack where there are very many.
    return { issues: [{ path: [], message: 'is wrong in too many places' }] }
  }
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
  const messages = issue.message.split('\n')
  return issue.keys.map((key, index) => ({ path: [...path, key], message: messages[index] ?? notAField }))
}

export const notAField = 'is not a field of this request'

/** A line for each key that there is no field for, with the field that was probably meant. */
function explainKeys({ keys, inst }: z.core.$ZodRawIssue & { keys: string[] }): string {
  const fields = Object.keys((inst as z.ZodMiniObject | undefined)?._zod.def.shape ?? {})
  return keys.map((key) => `${notAField}${suggest(nearest(key, fields))}`).join('\n')
}

function suggest(field: string | undefined): string {
  return field === undefined ? '' : `: did you mean "${field}"?`
}

/** The rule in words, where the schema does not bring its own. */
function explain(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return explainKeys(issue)
  if (issue.code !== 'invalid_type') return 'is not valid'
  const wanted = issue.expected === 'int' ? 'integer' : issue.expected
  return `${issue.input === undefined ? 'is missing: it ' : ''}must be ${/^[aeiou]/.test(wanted) ? 'an' : 'a'} ${wanted}`
}
