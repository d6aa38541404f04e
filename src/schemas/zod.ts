import * as z from 'zod/mini'
import type { Definition, ObjectDefinition, Schema } from './schema.js'

export type Zod<T> = z.ZodMiniType<T>

/** Converts a schema to a zod schema that parses responses. The zod schema is built on first use. */
// @__NO_SIDE_EFFECTS__
export function toZod<T>(schema: Schema<T>): Zod<T> {
  return z.lazy(() => build(schema)) as Zod<T>
}

const responseSchemas = new WeakMap<Definition, Zod<unknown>>()

export function isValidResponse(schema: Definition, value: unknown): boolean {
  const known = responseSchemas.get(schema) ?? build(schema)
  responseSchemas.set(schema, known)
  return z.safeParse(known, value).success
}

function build(schema: Definition): Zod<unknown> {
  switch (schema.type) {
    case 'string':
      return z.string()
    case 'integer':
      return z.int()
    case 'number':
      return z.number()
    case 'boolean':
      return z.pipe(z.transform(booleanOf), z.boolean() as Zod<unknown>)
    case 'literal':
      return z.literal(schema.value)
    case 'object':
      return objectOf(schema)
    case 'map':
      return z.catchall(z.object({}), nullAsAbsent(build(schema.item)))
    case 'array':
      return z.array(build(schema.item))
    case 'oneOrMany':
      return z.union([build(schema.item), z.array(build(schema.item))])
    case 'changes':
      return build(schema.inner)
    case 'any':
    case 'never':
      return z.unknown()
  }
}

function objectOf(schema: ObjectDefinition): Zod<unknown> {
  const fields = [...schema.fields().byName].map(([name, field]) => {
    const value = build(field.schema)
    return [name, field.isRequired ? value : nullAsAbsent(value)]
  })
  return z.looseObject(Object.fromEntries(fields))
}

function nullAsAbsent(inner: Zod<unknown>): Zod<unknown> {
  return z.pipe(
    z.transform((value: unknown): unknown => (value === null ? undefined : value)),
    z.optional(inner),
  )
}

function booleanOf(value: unknown): unknown {
  if (value === 'true') return true
  return value === 'false' ? false : value
}
