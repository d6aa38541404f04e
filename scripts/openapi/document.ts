import { readdirSync, readFileSync } from 'node:fs'
import type * as z from 'zod'
import type { AnyOperation } from '../../src/core/contract/operation.js'
import { allOperations } from '../../src/core/contract/operations.js'
import { cartOf, type KnownVersion } from '../../src/core/contract/version.js'
import { eventSchemas } from '../../src/core/schemas/event.js'
import { type Examples, recordExamples } from './examples.js'
import { rulesOf, type SafetyRules } from './rules.js'
import { Components, type JsonSchema } from './schemas.js'
import { type NamedType, namedTypesIn } from './types.js'

const named = await namedSchemas()

/** The parts of the document that are written by hand. */
const { components: shared, ...base } = JSON.parse(readFileSync('scripts/openapi/base.json', 'utf8'))

/** Returns the OpenAPI 3.1 document of an API version. */
export async function openApi(version: KnownVersion): Promise<string> {
  return `${JSON.stringify(documentOf(version, await recordExamples(version)), null, '\t')}\n`
}

function documentOf(version: KnownVersion, examples: Examples): JsonSchema {
  const components = new Components(named, cartOf(version))
  const paths: Record<string, JsonSchema> = {}
  for (const operation of allOperations()) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: operationObject(operation, version, components, examples),
    }
  }
  const { ApiVersion, ...parameters } = shared.parameters
  return {
    ...base,
    info: { ...base.info, version, summary: `API version ${version}` },
    paths,
    webhooks: webhooksOf(version, components, examples),
    components: {
      schemas: { ...sorted(components.schemas), ...shared.schemas },
      examples: sorted(components.examples),
      parameters: {
        ApiVersion: { ...ApiVersion, schema: { ...ApiVersion.schema, enum: [version] } },
        ...parameters,
      },
      responses: shared.responses,
      securitySchemes: shared.securitySchemes,
    },
  }
}

const retries: Record<SafetyRules['x-retry'], string> = {
  always: 'Safe to retry: a second request has no further effect.',
  'same-key': 'Safe to retry with the same idempotency key.',
  'unless-verify': 'Safe to retry unless `verify` is true: the verification may run twice.',
  never: 'Not safe to retry after an ambiguous failure: the operation may take effect twice.',
}

function operationObject(
  operation: AnyOperation,
  version: KnownVersion,
  components: Components,
  examples: Examples,
): JsonSchema {
  const { name, summary, scope, beta, body, bodyOptional, response } = operation
  const rules = rulesOf(operation)
  const example = examples.operations.get(name)
  const result = components.schemaOf(response[cartOf(version)], 'response')
  const exampleName = example && components.addExample(result, example.response)
  const bodySchema = body && components.schemaOf(body[cartOf(version)], 'request')
  return {
    operationId: name,
    tags: [name.slice(0, name.indexOf('.'))],
    summary: beta ? `${summary} (beta)` : summary,
    description: retries[rules['x-retry']],
    ...rules,
    ...(scope && { security: [{ ApiKey: [scope] }] }),
    parameters: [...parametersOf(operation, components), ...headersOf(rules)],
    ...(bodySchema && {
      requestBody: {
        required: !bodyOptional,
        content: json({ schema: bodySchema, ...(example?.body !== undefined && { example: example.body }) }),
      },
    }),
    responses: {
      200: {
        description: 'The operation took effect.',
        content: json({
          schema: result,
          ...(exampleName && { examples: { [exampleName]: { $ref: `#/components/examples/${exampleName}` } } }),
        }),
      },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function parametersOf({ path, query }: AnyOperation, components: Components): JsonSchema[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }))
  if (query === undefined) return inPath
  const { properties, required = [] } = components.parametersOf(query.schema)
  const inQuery = Object.entries(properties).map(([field, { description, ...schema }]) => ({
    name: (query.names as Record<string, string>)[field],
    in: 'query',
    ...(required.includes(field) && { required: true }),
    ...(description !== undefined && { description }),
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    schema,
  }))
  return [...inPath, ...inQuery]
}

function headersOf(rules: SafetyRules): JsonSchema[] {
  const names = rules['x-idempotency-key'] ? ['ApiVersion', 'IdempotencyKey'] : ['ApiVersion']
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function webhooksOf(version: KnownVersion, components: Components, examples: Examples): JsonSchema {
  return Object.fromEntries(
    Object.entries<z.ZodType>(eventSchemas).map(([type, schema]) => [
      type,
      {
        post: {
          operationId: `webhooks.${type}`,
          tags: ['webhooks'],
          summary: `An event of type ${type}`,
          description: `Sent to the receivers of API version ${version}. Verify the signature of the raw body before you parse it.`,
          security: [],
          parameters: [
            header('X-Signature-Primary', 'The base64 HMAC of the body.', true),
            header(
              'X-Signature-Secondary',
              'The signature with the previous secret, for 24 hours after a rotation.',
              false,
            ),
          ],
          requestBody: {
            required: true,
            content: json({
              schema: components.schemaOf(schema, 'response'),
              example: examples.events.get(type),
            }),
          },
          responses: {
            200: { description: 'Confirms receipt. After any other status the service sends the event again.' },
            '4XX': { description: 'Rejects the request, for example because of an invalid signature.' },
          },
        },
      },
    ]),
  )
}

function header(name: string, description: string, required: boolean): JsonSchema {
  return { name, in: 'header', required, description, schema: { type: 'string' } }
}

function json(media: JsonSchema): JsonSchema {
  return { 'application/json': media }
}

async function namedSchemas(): Promise<Map<z.ZodType, NamedType>> {
  const schemas = new Map<z.ZodType, NamedType>()
  for (const file of readdirSync('src/core/schemas')) {
    const exports: Record<string, z.ZodType> = await import(`../../src/core/schemas/${file}`)
    for (const named of namedTypesIn(`src/core/schemas/${file}`)) {
      schemas.set(exports[`${named.name}Schema`] as z.ZodType, named)
    }
  }
  return schemas
}

function sorted(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}
