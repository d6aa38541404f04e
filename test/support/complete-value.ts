import type * as z from 'zod/mini'
import type { Zod } from '../../src/schemas/schema.js'

/** What a zod schema says of itself, as far as schemas of answers use it. */
interface Definition {
  readonly type: string
  readonly shape: Record<string, z.ZodMiniType>
  readonly element: z.ZodMiniType
  readonly innerType: z.ZodMiniType
  readonly out: z.ZodMiniType
  readonly values: readonly unknown[]
}

/** A value with every field that the schema names, at every depth. */
export function completeValue(schema: Zod<unknown>): unknown {
  const { type, shape, element, innerType, out, values } = schema._zod.def as unknown as Definition
  switch (type) {
    case 'object':
      return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, completeValue(field)]))
    case 'array':
      return [completeValue(element), completeValue(element)]
    case 'optional':
      return completeValue(innerType)
    case 'pipe':
      return completeValue(out)
    case 'literal':
      return values[0]
    case 'number':
      return 700
    case 'boolean':
      return true
    case 'string':
    case 'unknown':
      return 'text'
    default:
      throw new Error(`No value is known for ${type}`)
  }
}
