import * as z from 'zod/mini'
import { version } from '../../../core/version.js'
import { type AnyShape, toJsonSchema } from '../internal/schema.js'
import { actions } from './actions.js'
import type { Endpoint } from './endpoint.js'
import { view, views } from './views.js'

type Json = Readonly<Record<string, unknown>>

/** The control API's GET endpoints by path, including the OpenAPI document. */
export const reads = {
  ...views,
  'openapi.json': view('getOpenApi', 'Returns this document', {}, z.looseObject({}), openApi),
}

export function openApi(): Json {
  const error = toJsonSchema(z.object({ error: z.object({ code: z.string(), message: z.string() }) }))
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
    paths: Object.fromEntries([
      ...Object.entries(reads).map(([path, read]) => readOf(path, read as Endpoint)),
      ...Object.entries(actions).map(([name, action]) => actionOf(name, action as Endpoint)),
    ]),
    components: { responses: { Error: { description: 'The request was rejected.', content: json(error) } } },
  }
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Resumes the stream after this event. If it is no longer stored, the first event is `reset`.',
  schema: { type: 'string' },
}

function readOf(path: string, endpoint: Endpoint): [path: string, item: Json] {
  const isStream = path === 'events'
  const schema = toJsonSchema(endpoint.output)
  const parameters = [
    ...(path.includes(':id') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
    ...Object.entries(propertiesOf(endpoint.input)).map(([name, schema]) => ({ name, in: 'query', schema })),
    ...(isStream ? [lastEventId] : []),
  ]
  const description = isStream ? 'The stream, until the client disconnects.' : 'The current state.'
  const content = isStream ? { 'text/event-stream': { schema } } : json(schema)
  return [`/${path.replace(':id', '{id}')}`, { get: operation(endpoint, { parameters }, description, content) }]
}

function actionOf(name: string, endpoint: Endpoint): [path: string, item: Json] {
  const requestBody = { required: true, content: json(toJsonSchema(z.strictObject(endpoint.input))) }
  const content = json(toJsonSchema(endpoint.output))
  return [
    `/actions/${name}`,
    { post: operation({ ...endpoint, name }, { requestBody }, 'The change was made.', content) },
  ]
}

function operation({ name, summary }: Endpoint, request: Json, description: string, content: Json): Json {
  const responses = { 200: { description, content }, '4XX': { $ref: '#/components/responses/Error' } }
  return { operationId: name, summary, ...request, responses }
}

function propertiesOf(shape: AnyShape): Json {
  return toJsonSchema(z.object(shape))['properties'] as Json
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}
