import type { Definition } from '../../src/schemas/schema.js'

/** Creates a value that has every field of a schema, including all nested fields. */
export function completeValue(schema: Definition): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries([...schema.fields().byName].map(([name, field]) => [name, completeValue(field.schema)]))
    case 'array':
      return [completeValue(schema.item), completeValue(schema.item)]
    case 'map':
      return { name: completeValue(schema.item) }
    case 'oneOrMany':
      return completeValue(schema.item)
    case 'changes':
      return completeValue(schema.inner)
    case 'literal':
      return schema.value
    case 'integer':
    case 'number':
      return 700
    case 'boolean':
      return true
    case 'string':
    case 'any':
      return 'text'
    case 'never':
      return undefined
  }
}
