/** The zod types that the service's JSON needs in addition to the types in `zod/mini`. */
import * as z from 'zod/mini'
import * as core from 'zod/v4/core'
import { isObject } from '../internal/objects.js'

type Payload = core.ParsePayload

/** `inPlace` allows the parser to change the parsed value. By default, the parser changes a copy. */
export type Context = core.ParseContextInternal & { readonly inPlace?: true }

/**
 * Maximum number of issues. `list` and `map` stop at this number, because an array of a million invalid items would
 * otherwise exhaust memory.
 */
export const maxIssues = 1_000

/**
 * Defines a zod type.
 *
 * @param type Must differ from the names of zod's own types. Otherwise, `z.compile` would replace the parser.
 */
// @__NO_SIDE_EFFECTS__
function defineType<Definition>(
  type: string,
  parserOf: (definition: Definition, schema: z.ZodMiniType) => (payload: Payload, context: Context) => Payload,
) {
  const initialize: (schema: z.ZodMiniType, definition: core.$ZodTypeDef) => void = z.ZodMiniType.init
  const Type = core.$constructor<z.ZodMiniType>(type, (schema, definition) => {
    initialize(schema, definition)
    schema._zod.parse = parserOf(definition as Definition, schema)
  })
  return (definition?: Definition) => new Type({ ...definition, type } as never)
}

/** A safe integer. `z.int()` is slower. */
export const safeInteger = /* @__PURE__ */ defineType('int', (_definition, schema) => (payload) => {
  const input = payload.value
  if (Number.isSafeInteger(input)) return payload
  if (!Number.isInteger(input)) return addTypeIssue(payload, 'int', schema)
  const range =
    (input as number) > 0
      ? ({ code: 'too_big', maximum: Number.MAX_SAFE_INTEGER } as const)
      : ({ code: 'too_small', minimum: Number.MIN_SAFE_INTEGER } as const)
  payload.issues.push({ ...range, origin: 'int', inclusive: true, input, inst: schema })
  return payload
})

/** A boolean. The strings `true` and `false` become booleans. */
export const flag = /* @__PURE__ */ defineType('flag', (_definition, schema) => (payload) => {
  const input = payload.value
  if (input === 'true' || input === 'false') payload.value = input === 'true'
  else if (typeof input !== 'boolean') addTypeIssue(payload, 'boolean', schema)
  return payload
})

/** A field of an object. In an optional field, `null` means absent. */
export interface Field {
  readonly schema: z.ZodMiniType
  readonly isRequired: boolean
}

/**
 * An object that may have additional fields. Unlike `z.looseObject`, this type copies the object only if a value
 * changes, and does not visit absent fields. So it takes a third of the time, and needs no generated code.
 */
export const looseObject = /* @__PURE__ */ defineType<{ readonly fields: ReadonlyMap<string, Field> }>(
  'looseObject',
  ({ fields }, schema) => {
    const all = [...fields].map(([name, { schema, isRequired }]) => insideOf(schema, isRequired, name))
    const required = all.filter((field) => field.isRequired)
    for (const [index, field] of all.entries()) field.next = all[(index + 1) % all.length]
    return (payload, context) => {
      const input = payload.value
      if (!isObject(input)) return addTypeIssue(payload, 'object', schema)
      // Without fields, there is nothing to check. Iterating is slow for objects whose keys always differ, such as
      // metadata.
      if (all.length === 0) return payload
      let missing = required.length
      let expected = all[0] as Inside
      for (const name in input) {
        const field = findField(name, expected)
        if (field === undefined) continue
        expected = field.next as Inside
        if (field.isRequired) missing--
        parseInside(payload, input, name, field, context)
      }
      if (missing === 0) return payload
      for (const field of required) {
        if (!Object.hasOwn(input, field.name)) parseInside(payload, input, field.name, field, context)
      }
      return payload
    }
  },
)

/**
 * Finds the field with a name. Starts at `expected`, because JSON usually has the same order as the schema: comparing a
 * few names is faster than a lookup.
 */
function findField(name: string, expected: Inside): Inside | undefined {
  let field = expected
  while (field.name !== name) {
    field = field.next as Inside
    if (field === expected) return undefined
  }
  return field
}

interface Items {
  readonly item: z.ZodMiniType
}

export const list = /* @__PURE__ */ defineType<Items>('list', ({ item }, schema) => {
  const inside = insideOf(item, true)
  return (payload, context) => {
    const input = payload.value
    if (!Array.isArray(input)) return addTypeIssue(payload, 'array', schema)
    for (let index = 0; index < input.length && payload.issues.length < maxIssues; index++) {
      parseInside(payload, input as unknown as Container, index, inside, context)
    }
    return payload
  }
})

/** An object with arbitrary keys. `null` means absent. */
export const map = /* @__PURE__ */ defineType<Items>('map', ({ item }, schema) => {
  const inside = insideOf(item, false)
  return (payload, context) => {
    const input = payload.value
    if (!isObject(input)) return addTypeIssue(payload, 'object', schema)
    for (const key in input) {
      if (payload.issues.length >= maxIssues) break
      parseInside(payload, input, key, inside, context)
    }
    return payload
  }
})

/** One item, or an array of items. Unlike the issues of a union, its issues have the path of the invalid value. */
export const oneOrMany = /* @__PURE__ */ defineType<Items>('oneOrMany', ({ item }) => {
  const many = list({ item })
  return (payload, context) => (Array.isArray(payload.value) ? many : item)._zod.run(payload, context) as Payload
})

type Container = Record<string | number, unknown>

interface Inside {
  readonly name: string
  /** The next field of the object. The last field refers to the first, so that every field has a next one. */
  next: Inside | undefined
  readonly inner: z.ZodMiniType['_zod']
  readonly isRequired: boolean
  /** The type of the schema. Undefined if the schema has checks, which `isValid` would skip. */
  readonly type: string | undefined
}

function insideOf({ _zod: inner }: z.ZodMiniType, isRequired: boolean, name = ''): Inside {
  const { type, checks } = inner.def as { type: string; checks?: unknown }
  return { name, next: undefined, inner, isRequired, type: checks === undefined ? type : undefined }
}

/**
 * Returns whether a schema of this type accepts a value unchanged, so that the schema's parser need not run. Compares
 * `typeof` with three constants, because V8 does not inline a comparison with a variable.
 */
function isValid(value: unknown, type: string | undefined): boolean {
  if (typeof value === 'string') return type === 'string'
  if (typeof value === 'boolean') return type === 'flag'
  return typeof value === 'number' && type === 'int' && Number.isSafeInteger(value)
}

function parseInside(
  payload: Payload,
  input: Container,
  key: string | number,
  { inner, isRequired, type }: Inside,
  context: Context,
): void {
  const value = input[key]
  if (isValid(value, type)) return
  if (value === undefined && !isRequired) return
  if (value === null && !isRequired) {
    replaceInside(payload, input, key, undefined, context)
    return
  }
  const { issues } = payload
  const before = issues.length
  const result = inner.run({ value, issues }, context) as Payload
  for (let index = before; index < issues.length; index++) {
    const issue = issues[index] as { path?: PropertyKey[] }
    issue.path = [key, ...(issue.path ?? [])]
  }
  if (result.value !== value) replaceInside(payload, input, key, result.value, context)
}

/** Changes one value of the output. Until the first change, the output is the input object. */
function replaceInside(
  payload: Payload,
  input: Container,
  key: string | number,
  value: unknown,
  { inPlace }: Context,
): void {
  if (payload.value === input && !inPlace) payload.value = Array.isArray(input) ? [...input] : { ...input }
  ;(payload.value as Container)[key] = value
}

function addTypeIssue(
  payload: Payload,
  expected: 'array' | 'boolean' | 'int' | 'object',
  schema: z.ZodMiniType,
): Payload {
  payload.issues.push({ code: 'invalid_type', expected, input: payload.value, inst: schema })
  return payload
}
