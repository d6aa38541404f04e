import { version } from '../../version.js'
import { actions } from './actions.js'
import { type JsonSchema, objectSchema, type Parameters } from './parameters.js'
import { routes } from './routes.js'

export function openApi(): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the payments sandbox',
      version,
      description:
        'Reads and changes the sandbox of payments-client. Amounts are integers in minor units. A POST request needs the content type application/json.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/__sandbox/api' }],
    security: [],
    paths: { ...routePaths(), ...actionPaths() },
    components: {
      responses: {
        Error: {
          description: 'The request was rejected.',
          content: json(
            objectSchema({ error: objectSchema({ code: { type: 'string' }, message: { type: 'string' } }) }),
          ),
        },
      },
    },
  }
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Resumes the stream after this event. If it is unknown or no longer kept, the first event is `reset`.',
  schema: { type: 'string' },
}

function routePaths(): Record<string, JsonSchema> {
  const documentRoute = {
    name: 'getOpenApi',
    path: 'openapi.json',
    summary: 'Returns this document',
    query: {},
    response: { type: 'object' },
  }
  const entries = [...routes, documentRoute].map(({ name, path, summary, query, response }) => {
    const isStream = path === 'events'
    const operation = {
      operationId: name,
      summary,
      parameters: [...pathParameters(path), ...queryParameters(query), ...(isStream ? [lastEventId] : [])],
      responses: {
        200: {
          description: isStream ? 'The stream, until the client disconnects.' : 'The current state.',
          content: isStream ? { 'text/event-stream': { schema: response } } : json(response),
        },
        '4XX': { $ref: '#/components/responses/Error' },
      },
    }
    return [`/${path.replace(':id', '{id}')}`, { get: operation }] as const
  })
  return Object.fromEntries(entries)
}

function actionPaths(): Record<string, JsonSchema> {
  const entries = Object.entries(actions).map(([name, { summary, arguments: parameters, result }]) => {
    const operation = {
      operationId: name,
      summary,
      requestBody: { required: true, content: json(argumentsSchema(parameters)) },
      responses: {
        200: { description: 'The change was made.', content: json(result) },
        '4XX': { $ref: '#/components/responses/Error' },
      },
    }
    return [`/actions/${name}`, { post: operation }] as const
  })
  return Object.fromEntries(entries)
}

function argumentsSchema(parameters: Parameters): JsonSchema {
  const properties = Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema]))
  const optionalNames = Object.keys(parameters).filter((name) => parameters[name]?.optional)
  return { ...objectSchema(properties, ...optionalNames), additionalProperties: false }
}

function pathParameters(path: string): JsonSchema[] {
  return path.includes(':id') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []
}

function queryParameters(query: Parameters): JsonSchema[] {
  return Object.entries(query).map(([name, { schema }]) => ({ name, in: 'query', schema }))
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}
