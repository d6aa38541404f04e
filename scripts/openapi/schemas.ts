import type ts from 'typescript'
import type { Cart } from '../../src/contract/version.js'
import { type Definition, definitionOf, type RequestRules, requestRules } from '../../src/schemas/schema.js'
import type { Field } from '../../src/schemas/zod.js'
import type { Zod } from '../../src/schemas/zod-type.js'
import { includesArray, includesDate, itemOf, literalsIn, type NamedType, propertyOf } from './types.js'

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
  schemaOf(schema: Zod<unknown>, direction: Direction, type?: ts.Type, partial = false): JsonSchema {
    const rules = requestRules.get(schema) ?? {}
    // Only objects can be updated partially. Arrays and maps are always sent completely.
    const changes = rules.changes === true || (partial && definitionOf(schema).type === 'looseObject' && !rules.open)
    const named = this.#named.get(schema)
    if (named === undefined) return this.#inline(schema, rules, direction, type, changes)
    const name = this.#componentName(named.name, direction, changes)
    if (!(name in this.schemas)) {
      // Reserves the name first, because a schema may refer to itself.
      this.schemas[name] = {}
      const component = {
        ...described(named.description),
        ...this.#inline(schema, rules, direction, named.type, changes),
      }
      const withRules = direction === 'request' ? furtherRules[named.name] : undefined
      this.schemas[name] = withRules === undefined ? component : withRules(component as ObjectSchema)
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
  #componentName(name: string, direction: Direction, changes: boolean): string {
    const plain = this.#cart === 'lineItems' ? name.replace(/V21$/, '') : name
    if (direction === 'response') return plain === 'PaymentMethodInput' ? 'SessionPaymentMethod' : plain
    const request = /(Body|Params|Input|Changes)$/.test(plain) ? plain : `${plain}Input`
    return changes && !/^Update|Changes$/.test(request) ? `${request.replace(/Input$/, '')}Changes` : request
  }

  #inline(
    schema: Zod<unknown>,
    rules: RequestRules,
    direction: Direction,
    type: ts.Type | undefined,
    changes: boolean,
  ): JsonSchema {
    const definition = definitionOf(schema)
    switch (definition.type) {
      case 'looseObject':
        return this.#object(definition.fields, rules, direction, type, changes)
      case 'map':
        return { type: 'object', additionalProperties: this.schemaOf(definition.item, direction, itemOf(type)) }
      case 'list':
        return { type: 'array', items: this.schemaOf(definition.item, direction, itemOf(type)) }
      case 'oneOrMany': {
        const item = this.schemaOf(definition.item, direction, itemOf(type))
        return { anyOf: [item, { type: 'array', items: item }] }
      }
      default:
        return scalar(definition, direction === 'request' ? rules : {}, type)
    }
  }

  #object(
    all: ReadonlyMap<string, Field>,
    rules: RequestRules,
    direction: Direction,
    type: ts.Type | undefined,
    changes: boolean,
  ): JsonSchema {
    const fields = [...all]
      .map(([name, field]) => ({ name, ...field }))
      .filter(({ schema }) => requestRules.get(schema)?.notAllowed === undefined)
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    return {
      type: 'object',
      ...(fields.length > 0 && {
        properties: Object.fromEntries(
          fields.map((field) => [field.name, this.#field(field, direction, type, changes)]),
        ),
      }),
      ...(required.length > 0 && { required }),
      // Responses may have additional fields, which JSON Schema allows by default.
      ...(direction === 'request' && { additionalProperties: rules.open === true }),
      ...(rules.open && { additionalProperties: true }),
    }
  }

  #field(
    { name, schema, isRequired }: Field & { name: string },
    direction: Direction,
    owner: ts.Type | undefined,
    changes: boolean,
  ): JsonSchema {
    const { type, description } = propertyOf(owner, name) ?? {}
    const value = this.schemaOf(schema, direction, type, changes)
    const nullable = changes && !isRequired ? { anyOf: [value, { type: 'null' }] } : value
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
  const names = (type?.isUnion() ? type.types : [type]).map(typeName).filter((name) => name !== undefined)
  // The only numbers here are values in metadata, which must be integers.
  return names.length > 0 ? { type: names.length === 1 ? names[0] : names } : {}
}

function typeName(type: ts.Type | undefined): string | undefined {
  const name = (type as { intrinsicName?: string } | undefined)?.intrinsicName
  return name === 'string' ? name : name === 'number' ? 'integer' : undefined
}

function described(description: string | undefined): JsonSchema {
  return description === undefined ? {} : { description }
}
