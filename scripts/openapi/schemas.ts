import type ts from 'typescript'
import type { Shape } from '../../src/contract/version.js'
import type { Definition, Field, ObjectDefinition, ScalarDefinition } from '../../src/schemas/schema.js'
import { includesArray, includesDate, itemOf, literalsIn, type NamedType, propertyOf } from './types.js'

export type JsonSchema = { [keyword: string]: unknown }

/** Requests are strict: unknown fields are invalid, and formats are checked. Responses may have additional fields. */
export type Direction = 'request' | 'response'

interface ObjectSchema extends JsonSchema {
  properties: Record<string, JsonSchema>
  required: readonly string[]
}

/** Rules for requests that the definitions contain only as code. */
const furtherRules: Record<string, (schema: ObjectSchema) => JsonSchema> = {
  // Each branch has its own properties, because tools that generate types ignore branches without any.
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
  readonly #named: ReadonlyMap<Definition, NamedType>
  readonly #shape: Shape

  constructor(named: ReadonlyMap<Definition, NamedType>, shape: Shape) {
    this.#named = named
    this.#shape = shape
  }

  /** Returns the JSON Schema of a definition, or a reference to it if the definition has a name. */
  schemaOf(definition: Definition, direction: Direction, type?: ts.Type, partial = false): JsonSchema {
    // Only objects can be updated partially. Arrays and maps are always sent completely.
    const changes = partial && definition.type === 'object' && !definition.open
    const named = this.#named.get(definition)
    if (named === undefined) return this.#inline(definition, direction, type, changes)
    const name = this.#componentName(named.name, direction, changes)
    if (!(name in this.schemas)) {
      // Reserves the name first, because a schema may refer to itself.
      this.schemas[name] = {}
      const schema = {
        ...described(named.description),
        ...this.#inline(definition, direction, named.type, changes),
      }
      const withRules = direction === 'request' ? furtherRules[named.name] : undefined
      this.schemas[name] = withRules === undefined ? schema : withRules(schema as ObjectSchema)
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
    const plain = this.#shape === '2.1' ? name.replace(/V21$/, '') : name
    if (direction === 'response') return plain === 'PaymentMethodInput' ? 'SessionPaymentMethod' : plain
    const request = /(Body|Params|Input|Changes)$/.test(plain) ? plain : `${plain}Input`
    return changes && !/^Update|Changes$/.test(request) ? `${request.replace(/Input$/, '')}Changes` : request
  }

  #inline(definition: Definition, direction: Direction, type: ts.Type | undefined, changes: boolean): JsonSchema {
    switch (definition.type) {
      case 'object':
        return this.#object(definition, direction, type, changes)
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.schemaOf(definition.item, direction, itemOf(type)),
        }
      case 'array':
        return { type: 'array', items: this.schemaOf(definition.item, direction, itemOf(type)) }
      case 'oneOrMany': {
        const item = this.schemaOf(definition.item, direction, itemOf(type))
        return { anyOf: [item, { type: 'array', items: item }] }
      }
      case 'changes':
        return this.#inline(definition.inner, direction, type, true)
      case 'never':
        throw new Error('Fields that are not allowed in requests must be omitted')
      default:
        return scalar(definition, direction, type)
    }
  }

  #object(definition: ObjectDefinition, direction: Direction, type: ts.Type | undefined, changes: boolean): JsonSchema {
    const { byName, required } = definition.fields()
    const fields = [...byName].filter(([, field]) => field.type !== 'never')
    return {
      type: 'object',
      ...(fields.length > 0 && {
        properties: Object.fromEntries(
          fields.map(([name, field]) => [name, this.#field(name, field, direction, type, changes)]),
        ),
      }),
      ...(required.length > 0 && { required }),
      // Responses may have additional fields, which JSON Schema allows by default.
      ...(direction === 'request' && { additionalProperties: definition.open === true }),
      ...(definition.open && { additionalProperties: true }),
    }
  }

  #field(
    name: string,
    { schema, isRequired }: Field,
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

function scalar(definition: ScalarDefinition, direction: Direction, type: ts.Type | undefined): JsonSchema {
  const isRequest = direction === 'request'
  const known = direction === 'request' && definition.type === 'string' && definition.format ? [] : literalsIn(type)
  const examples = known.length > 0 && known.length <= maxExamples && { examples: known }
  switch (definition.type) {
    case 'string':
      if (isRequest && definition.values) return { type: 'string', enum: definition.values }
      return {
        type: 'string',
        ...(isRequest && definition.format && patterns[definition.format]),
        ...examples,
      }
    case 'integer':
      return {
        type: 'integer',
        ...(isRequest && definition.minimum !== undefined && { minimum: definition.minimum }),
        ...(isRequest && definition.maximum !== undefined && { maximum: definition.maximum }),
      }
    case 'number':
    case 'boolean':
      return { type: definition.type }
    case 'literal':
      return { type: 'string', const: definition.value }
    case 'any':
      return unchecked(type, examples)
  }
}

/** Derives a JSON Schema from the TypeScript type of a value, because the definition checks the value with code. */
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
