import type ts from 'typescript'
import * as z from 'zod'
import type { Cart } from '../../src/core/contract/version.js'
import { returnedMetadata } from '../../src/core/schemas/json.js'
import { requestRules } from '../../src/core/schemas/schema.js'
import { includesArray, includesDate, itemOf, literalsIn, type NamedType, propertyOf, scalarsIn } from './types.js'

export type JsonSchema = { [keyword: string]: unknown }

interface ObjectSchema extends JsonSchema {
  properties: Record<string, JsonSchema>
  required: readonly string[]
}

/**
 * Requests are strict: unknown fields are invalid, and formats are checked. Responses may have additional fields. In
 * partial updates, all fields are optional, and `null` clears a field.
 */
const contexts = ['changes', 'request', 'response'] as const

type Context = (typeof contexts)[number]

const refTo = (name: string) => `#/components/schemas/${name}`

/** Rules for requests that exist only as code in the schema definitions. */
const furtherRules: Record<string, (schema: ObjectSchema) => JsonSchema> = {
  // Lists the properties in each branch of the union, because type generators ignore a branch without properties.
  CreatePaymentBodyV21: ({ description, ...schema }) => ({
    description,
    anyOf: [
      { ...schema, properties: { paymentMethodToken: schema.properties['paymentMethodToken'] } },
      { ...schema, required: [...schema.required, 'orderId', 'currencyCode', 'amount'] },
    ],
  }),
}

const patterns: Record<string, JsonSchema> = {
  identifier: { minLength: 1 },
  'currency-code': { pattern: '^[A-Z]{3}$' },
  'country-code': { pattern: '^[A-Z]{2}$' },
  'utc-date-time': { format: 'date-time' },
}

export class Components {
  /** The components that the document refers to. */
  readonly schemas: Record<string, JsonSchema> = {}
  readonly examples: Record<string, JsonSchema> = {}
  readonly #named: ReadonlyMap<z.ZodType, NamedType>
  readonly #cart: Cart
  readonly #all: Record<string, JsonSchema> = {}

  constructor(named: ReadonlyMap<z.ZodType, NamedType>, cart: Cart) {
    this.#named = named
    this.#cart = cart
    for (const context of contexts) this.#convertAll(context)
  }

  /** Returns a reference to the component of a zod schema. */
  schemaOf(schema: z.ZodType, direction: 'request' | 'response'): JsonSchema {
    return this.#used({ $ref: refTo(this.#nameOf(schema, direction)) })
  }

  /** Returns the JSON Schemas of query parameters. */
  parametersOf(schema: z.ZodType): ObjectSchema {
    return this.#all[this.#nameOf(schema, 'request')] as ObjectSchema
  }

  addExample(schema: JsonSchema, value: unknown): string {
    const name = String(schema['$ref']).replace(/^.*\//, '')
    this.examples[name] ??= { value }
    return name
  }

  #nameOf(schema: z.ZodType, direction: 'request' | 'response'): string {
    const context = requestRules.get(schema)?.changes ? 'changes' : direction
    return this.#componentName((this.#named.get(schema) as NamedType).name, context)
  }

  /** Adds the components that a JSON Schema refers to. */
  #used(schema: JsonSchema): JsonSchema {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in this.schemas) continue
      this.schemas[name] = this.#all[name] as JsonSchema
      this.#used(this.schemas[name])
    }
    return schema
  }

  /**
   * Returns the name of the component for a schema. A schema that requests and responses share has two components, for
   * example `Customer` and `CustomerInput`.
   */
  #componentName(name: string, context: Context): string {
    const plain = this.#cart === 'lineItems' ? name.replace(/V21$/, '') : name
    if (context === 'response') return plain === 'PaymentMethodInput' ? 'SessionPaymentMethod' : plain
    const request = /(Body|Params|Input|Changes)$/.test(plain) ? plain : `${plain}Input`
    return context === 'changes' && !/^Update|Changes$/.test(request)
      ? `${request.replace(/Input$/, '')}Changes`
      : request
  }

  #convertAll(context: Context): void {
    const registry = z.registry<{ id: string }>()
    const all = new Map<string, [NamedType, isPartial: boolean]>()
    for (const [schema, named] of this.#named) {
      const { open, changes } = requestRules.get(schema) ?? {}
      const isObject = schema instanceof z.ZodObject && !open && !named.name.endsWith('Changes')
      const isPartial = context === 'changes' && (changes === true || isObject)
      const id = this.#componentName(named.name, context === 'changes' && !isPartial ? 'request' : context)
      registry.add(schema, { id })
      all.set(id, [named, isPartial])
    }
    const { schemas } = z.toJSONSchema(registry, {
      io: 'input',
      unrepresentable: 'any',
      uri: refTo,
      override: ({ zodSchema, jsonSchema }) => applyRules(zodSchema, jsonSchema, context),
    })
    for (const [id, [{ name, type, description }, isPartial]] of all) {
      if (context === 'changes' && !isPartial) continue
      const { $schema, $id, ...converted } = schemas[id] as JsonSchema
      const component = { ...described(description), ...annotated(converted, type, isPartial) }
      const withRules = context === 'response' ? undefined : furtherRules[name]
      this.#all[id] ??= withRules?.(component as ObjectSchema) ?? component
    }
  }
}

/** Adapts the JSON Schema of a zod schema to its use. */
function applyRules(schema: z.core.$ZodType, json: JsonSchema, context: Context): void {
  const isRequest = context !== 'response'
  const { open, format, minimum, maximum } = requestRules.get(schema) ?? {}
  // Unlike the client, the document accepts only the values that the specification allows in updates.
  if (schema === returnedMetadata) Object.assign(json, { type: undefined, $ref: refTo('MetadataInput') })
  if (schema instanceof z.ZodRecord) json['propertyNames'] = undefined
  // Responses may have additional fields, which JSON Schema allows by default.
  if (schema instanceof z.ZodObject) json['additionalProperties'] = open || (isRequest ? false : undefined)
  if (schema instanceof z.ZodNumberFormat)
    Object.assign(json, isRequest ? { minimum, maximum } : { minimum: undefined, maximum: undefined })
  if (z.globalRegistry.get(schema)?.['type']) Object.assign(json, { type: 'object', additionalProperties: true })
  if (isRequest && format) Object.assign(json, patterns[format])
}

/**
 * Adds the information that only a TypeScript type has: descriptions, known values, and the types of the values that zod
 * checks with code.
 *
 * @param isPartial Whether the value is a partial update.
 */
function annotated(schema: JsonSchema, type: ts.Type | undefined, isPartial: boolean): JsonSchema {
  const { $ref, properties, items, additionalProperties, anyOf, required } = schema
  if ($ref) return { $ref }
  // Arrays and maps are always sent completely.
  const complete = (item: unknown) =>
    annotated(JSON.parse(JSON.stringify(item).replaceAll(/Changes"/g, 'Input"')), itemOf(type), false)
  if (items) return { ...schema, items: complete(items) }
  if (anyOf) return { anyOf: (anyOf as JsonSchema[]).map((option) => annotated(option, type, isPartial)) }
  if (typeof additionalProperties === 'object')
    return { ...schema, additionalProperties: complete(additionalProperties) }
  if (!properties) return { ...schema, ...scalar(schema, type) }
  const fields = Object.entries(properties as ObjectSchema['properties']).flatMap(([name, field]) => {
    // `not` excludes the fields that exist only in the types.
    if (field['not']) return []
    const { type: fieldType, description } = propertyOf(type, name) ?? {}
    const value = annotated(field, fieldType, isPartial)
    const isNullable = isPartial && !(required as string[] | undefined)?.includes(name)
    return [[name, { ...described(description), ...(isNullable ? { anyOf: [value, { type: 'null' }] } : value) }]]
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}

/** Longer lists of known values, such as currencies, are omitted to keep the documents small. */
const maxExamples = 12

/** Returns the keywords that the TypeScript type of a value adds to its JSON Schema. */
function scalar(schema: JsonSchema, type: ts.Type | undefined): JsonSchema {
  const known = literalsIn(type)
  const examples = known.length > 0 && known.length <= maxExamples && { examples: known }
  if (schema['type']) return (schema['type'] === 'string' && !schema['enum'] && !schema['const'] && examples) || {}
  if (includesDate(type)) return { type: 'string', format: 'date-time' }
  if (includesArray(type)) return { type: 'array', items: { type: 'string', ...examples }, minItems: 1 }
  const [first, ...others] = scalarsIn(type)
  return first === undefined ? {} : { type: others.length === 0 ? first : [first, ...others] }
}

function described(description: string | undefined): JsonSchema {
  return description === undefined ? {} : { description }
}
