import type ts from 'typescript'
import * as z from 'zod'
import type { Cart } from '../../src/core/contract/version.js'
import { type RequestRules, requestRules } from '../../src/core/schemas/schema.js'
import { includesArray, includesDate, itemOf, literalsIn, type NamedType, propertyOf, scalarsIn } from './types.js'

export type JsonSchema = { [keyword: string]: unknown }

/** Requests are strict: unknown fields are invalid, and formats are checked. Responses may have additional fields. */
export type Direction = 'request' | 'response'

interface ObjectSchema extends JsonSchema {
  properties: Record<string, JsonSchema>
  required: readonly string[]
}

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

/** How a schema is used. */
interface Use {
  readonly direction: Direction
  /** The TypeScript type of the value. */
  readonly type?: ts.Type | undefined
  /** Whether the value is a partial update: all fields are optional, and `null` clears a field. */
  readonly changes?: boolean
}

export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly examples: Record<string, JsonSchema> = {}
  readonly #named: ReadonlyMap<z.ZodType, NamedType>
  readonly #cart: Cart

  constructor(named: ReadonlyMap<z.ZodType, NamedType>, cart: Cart) {
    this.#named = named
    this.#cart = cart
  }

  /** Returns the JSON Schema of a zod schema, or a reference to it if the schema has a name. */
  schemaOf(schema: z.ZodType, { direction, type, changes = false }: Use): JsonSchema {
    const rules = requestRules.get(schema) ?? {}
    // Only objects can be updated partially. Arrays and maps are always sent completely.
    const isPartial = changes && schema instanceof z.ZodObject && !rules.open
    const use = { direction, type, changes: rules.changes === true || isPartial }
    const named = this.#named.get(schema)
    if (named === undefined) return this.#inline(schema, rules, use)
    const name = this.#componentName(named.name, use)
    if (!(name in this.schemas)) {
      // Reserves the name first, because a schema may refer to itself.
      this.schemas[name] = {}
      const inline = this.#inline(schema, rules, { ...use, type: named.type })
      const component = { ...described(named.description), ...inline }
      const withRules = direction === 'request' ? furtherRules[named.name] : undefined
      this.schemas[name] = withRules?.(component as ObjectSchema) ?? component
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  addExample(schema: JsonSchema, value: unknown): string {
    const name = String(schema['$ref']).replace(/^.*\//, '')
    this.examples[name] ??= { value }
    return name
  }

  /**
   * Returns the name of the component for a schema. A schema that requests and responses share has two components, for
   * example `Customer` and `CustomerInput`.
   */
  #componentName(name: string, { direction, changes }: Use): string {
    const plain = this.#cart === 'lineItems' ? name.replace(/V21$/, '') : name
    if (direction === 'response') return plain === 'PaymentMethodInput' ? 'SessionPaymentMethod' : plain
    const request = /(Body|Params|Input|Changes)$/.test(plain) ? plain : `${plain}Input`
    return changes && !/^Update|Changes$/.test(request) ? `${request.replace(/Input$/, '')}Changes` : request
  }

  #inline(schema: z.ZodType, rules: RequestRules, use: Use): JsonSchema {
    if (schema instanceof z.ZodObject) return this.#object(schema, rules, use)
    const itemUse = { direction: use.direction, type: itemOf(use.type) }
    if (schema instanceof z.ZodRecord) {
      return { type: 'object', additionalProperties: this.schemaOf(innerOf(schema.valueType), itemUse) }
    }
    if (schema instanceof z.ZodArray) return { type: 'array', items: this.schemaOf(innerOf(schema.element), itemUse) }
    if (schema instanceof z.ZodUnion)
      return { anyOf: schema.options.map((option) => this.schemaOf(innerOf(option), use)) }
    return scalar(schema, use.direction === 'request' ? rules : {}, use.type)
  }

  #object(schema: z.ZodObject, rules: RequestRules, use: Use): JsonSchema {
    const fields = fieldsOf(schema).filter(({ schema }) => requestRules.get(schema)?.notAllowed === undefined)
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#field(field, use)])),
      ...(required.length > 0 && { required }),
      // Responses may have additional fields, which JSON Schema allows by default.
      ...(use.direction === 'request' && { additionalProperties: rules.open === true }),
      ...(rules.open && { additionalProperties: true }),
    }
  }

  #field({ name, schema, isRequired }: Field, { type: owner, ...use }: Use): JsonSchema {
    const { type, description } = propertyOf(owner, name) ?? {}
    const value = this.schemaOf(schema, { ...use, type })
    const nullable = use.changes && !isRequired ? { anyOf: [value, { type: 'null' }] } : value
    return { ...described(description), ...nullable }
  }
}

interface Field {
  readonly name: string
  readonly schema: z.ZodType
  readonly isRequired: boolean
}

export function fieldsOf({ shape }: z.ZodObject): Field[] {
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    schema: innerOf(schema),
    isRequired: !(schema instanceof z.ZodExactOptional),
  }))
}

/** Returns the type of an optional field's value. */
function innerOf(schema: z.core.$ZodType): z.ZodType {
  return (schema instanceof z.ZodExactOptional ? schema.unwrap() : schema) as z.ZodType
}

/** Longer lists of known values, such as currencies, are omitted to keep the documents small. */
const maxExamples = 12

/** @param rules The rules for requests. Empty for a response. */
function scalar(schema: z.ZodType, rules: RequestRules, type: ts.Type | undefined): JsonSchema {
  const known = rules.format ? [] : literalsIn(type)
  const examples = known.length > 0 && known.length <= maxExamples && { examples: known }
  if (schema instanceof z.ZodString) return { type: 'string', ...(rules.format && patterns[rules.format]), ...examples }
  if (schema instanceof z.ZodEnum) return { type: 'string', enum: schema.options }
  if (schema instanceof z.ZodLiteral) return { type: 'string', const: schema.value }
  if (schema instanceof z.ZodPreprocess) return { type: 'boolean' }
  if (schema instanceof z.ZodNumberFormat) {
    return {
      type: 'integer',
      ...(rules.minimum !== undefined && { minimum: rules.minimum }),
      ...(rules.maximum !== undefined && { maximum: rules.maximum }),
    }
  }
  if (schema instanceof z.ZodNumber) return { type: 'number' }
  return schema.meta()?.['type'] === 'object'
    ? { type: 'object', additionalProperties: true }
    : unchecked(type, examples)
}

/**
 * Derives a JSON Schema from the TypeScript type of a value, because the zod definition checks the value with code that
 * cannot be converted.
 */
function unchecked(type: ts.Type | undefined, examples: JsonSchema | false): JsonSchema {
  if (includesDate(type)) return { type: 'string', format: 'date-time' }
  if (includesArray(type)) return { type: 'array', items: { type: 'string', ...examples }, minItems: 1 }
  const [first, ...others] = scalarsIn(type)
  return first === undefined ? {} : { type: others.length === 0 ? first : [first, ...others] }
}

function described(description: string | undefined): JsonSchema {
  return description === undefined ? {} : { description }
}
