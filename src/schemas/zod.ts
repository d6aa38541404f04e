/** The zod types that the service's JSON needs in addition to those of `zod/mini`. */
import * as z from 'zod/mini'
import * as core from 'zod/v4/core'
import { isObject } from '../internal/objects.js'

type Payload = core.ParsePayload
type Context = core.ParseContextInternal

/**
 * Maximum number of issues. `list` and `map` stop at it, because an array of a million invalid items would otherwise
 * exhaust memory.
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
  const Type = core.$constructor<z.ZodMiniType>(type, (schema, definition) => {
    initialize(schema, definition, z.ZodMiniType)
    schema._zod.parse = parserOf(definition as Definition, schema)
  })
  return (definition?: Definition) => new Type({ ...definition, type } as never)
}

/** Initializes a schema as each of several zod types. */
function initialize(schema: z.ZodMiniType, definition: object, ...types: readonly { init: unknown }[]): void {
  for (const { init } of types) (init as (schema: z.ZodMiniType, definition: object) => void)(schema, definition)
}

/** An object that zod parses with generated code, where the runtime allows that. `z.looseObject` is slower. */
const FastObject = /* @__PURE__ */ core.$constructor<z.ZodMiniObject>('FastObject', (schema, definition) => {
  initialize(schema, definition, core.$ZodObjectJIT, z.ZodMiniObject)
})

/** An object that may have additional fields. */
export function looseObject(shape: Record<string, core.$ZodType>): z.ZodMiniObject {
  return new FastObject({ type: 'object', shape, catchall: z.unknown() })
}

/** An optional value. `null` becomes `undefined`. */
export const nullish = /* @__PURE__ */ defineType<{ innerType: core.$ZodType }>('nullish', (definition, schema) => {
  const inner = definition.innerType._zod
  schema._zod.optin = 'optional'
  schema._zod.optout = 'optional'
  return (payload, context) => {
    if (payload.value === null) payload.value = undefined
    return payload.value === undefined ? payload : (inner.run(payload, context) as Payload)
  }
})

/** A safe integer. `z.int()` is slower. */
export const integer = /* @__PURE__ */ defineType('int', (_definition, schema) => (payload) => {
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

interface Items {
  readonly item: core.$ZodType
}

export const list = /* @__PURE__ */ defineType<Items>('list', ({ item }, schema) => (payload, context) => {
  if (!Array.isArray(payload.value)) return addTypeIssue(payload, 'array', schema)
  const items = payload.value.slice()
  payload.value = items
  for (let index = 0; index < items.length && payload.issues.length < maxIssues; index++) {
    items[index] = parseInside(payload, index, item, items[index], context)
  }
  return payload
})

/** An object with arbitrary keys. */
export const map = /* @__PURE__ */ defineType<Items>('map', ({ item }, schema) => (payload, context) => {
  if (!isObject(payload.value)) return addTypeIssue(payload, 'object', schema)
  const entries = { ...payload.value }
  payload.value = entries
  for (const key in entries) {
    if (payload.issues.length >= maxIssues) break
    entries[key] = parseInside(payload, key, item, entries[key], context)
  }
  return payload
})

/** One item, or an array of items. Unlike the issues of a union, its issues have the path of the invalid value. */
export const oneOrMany = /* @__PURE__ */ defineType<Items>('oneOrMany', ({ item }) => {
  const many = list({ item })
  return (payload, context) => (Array.isArray(payload.value) ? many : item)._zod.run(payload, context) as Payload
})

function parseInside(
  payload: Payload,
  key: string | number,
  schema: core.$ZodType,
  value: unknown,
  context: Context,
): unknown {
  const result = schema._zod.run({ value, issues: [] }, context) as Payload
  for (const issue of result.issues) payload.issues.push({ ...issue, path: [key, ...(issue.path ?? [])] })
  return result.value
}

function addTypeIssue(
  payload: Payload,
  expected: 'array' | 'boolean' | 'int' | 'object',
  schema: z.ZodMiniType,
): Payload {
  payload.issues.push({ code: 'invalid_type', expected, input: payload.value, inst: schema })
  return payload
}
