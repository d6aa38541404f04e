import type ts from 'typescript'
import type { Cart } from '../../src/core/contract/version.js'
import { type Definition, definitionOf, type RequestRules, requestRules } from '../../src/core/schemas/schema.js'
import type { Field } from '../../src/core/schemas/zod.js'
import type { Zod } from '../../src/core/schemas/zod-type.js'
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
  readonly #named: ReadonlyMap<Zod<unknown>, NamedType>
  readonly #cart: Cart

  constructor(named: ReadonlyMap<Zod<unknown>, NamedType>, cart: Cart) {
    this.#named = named
    this.#cart = cart
  }

  /** Returns the JSON Schema of a zod schema, or a reference to it if the schema has a name. */
  schemaOf(schema: Zod<unknown>, { direction, type, changes = false }: Use): JsonSchema {
    const rules = requestRules.get(schema) ?? {}
    // Only objects can be updated partially. Arrays and maps are always sent completely.
    const isPartial = changes && definitionOf(schema).type === 'looseObject' && !rules.open
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

  #inline(schema: Zod<unknown>, rules: RequestRules, use: Use): JsonSchema {
    const definition = definitionOf(schema)
    if (definition.type === 'looseObject') return this.#object(definition.fields, rules, use)
    if (!('item' in definition)) return scalar(definition, use.direction === 'request' ? rules : {}, use.type)
    const item = this.schemaOf(definition.item, { direction: use.direction, type: itemOf(use.type) })
    if (definition.type === 'map') return { type: 'object', additionalProperties: item }
    const items = { type: 'array', items: item }
    return definition.type === 'list' ? items : { anyOf: [item, items] }
  }

  #object(all: ReadonlyMap<string, Field>, rules: RequestRules, use: Use): JsonSchema {
    const fields = [...all].filter(([, { schema }]) => requestRules.get(schema)?.notAllowed === undefined)
    const required = fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
    return {
      type: 'object',
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map(([name, field]) => [name, this.#field(name, field, use)])),
      }),
      ...(required.length > 0 && { required }),
      // Responses may have additional fields, which JSON Schema allows by default.
      ...(use.direction === 'request' && { additionalProperties: rules.open === true }),
      ...(rules.open && { additionalProperties: true }),
    }
  }

  #field(name: string, { schema, isRequired }: Field, { type: owner, ...use }: Use): JsonSchema {
    const { type, description } = propertyOf(owner, name) ?? {}
    const value = this.schemaOf(schema, { ...use, type })
    const nullable = use.changes && !isRequired ? { anyOf: [value, { type: 'null' }] } : value
    return { ...described(description), ...nullable }
  }
}

/** Longer lists of known values, such as currencies, are omitted to keep the documents small. */
const maxExamples = 12

/** @param rules The rules for requests. Empty for a response. */
function scalar({ type: kind, ...definition }: Definition, rules: RequestRules, type: ts.Type | undefined): JsonSchema {
  const known = rules.format ? [] : literalsIn(type)
  const examples = known.length > 0 && known.length <= maxExamples && { examples: known }
  switch (kind) {
    case 'string':
      if (rules.values) return { type: 'string', enum: rules.values }
      return { type: 'string', ...(rules.format && patterns[rules.format]), ...examples }
    case 'int':
      return {
        type: 'integer',
        ...(rules.minimum !== undefined && { minimum: rules.minimum }),
        ...(rules.maximum !== undefined && { maximum: rules.maximum }),
      }
    case 'flag':
      return { type: 'boolean' }
    case 'literal':
      return { type: 'string', const: (definition as { values: readonly string[] }).values[0] }
    case 'unknown':
      return unchecked(type, examples)
    default:
      return { type: kind }
  }
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
