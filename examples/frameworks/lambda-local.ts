// Runs the functions of docs/guides/frameworks.md on your machine. Like API Gateway, it converts requests to events.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { customer, staff, webhooks } from './functions.ts'

const routes: [path: RegExp, run: (event: any) => Promise<any>][] = [
  [/^\/orders\/(?<id>[^/]+)\/(?<action>\w+)$/, customer],
  [/^\/staff\/orders\/(?<id>[^/]+)\/(?<action>\w+)$/, staff],
  [/^\/webhooks$/, webhooks],
]

const server = createServer(async (request, response) => {
  const { url: rawPath = '', method, headers } = request
  const body = (await text(request)) || undefined // events without a body omit the field
  const [path, run] = routes.find(([path]) => path.test(rawPath)) ?? []
  if (!path || !run) return response.writeHead(404).end()
  const pathParameters = path.exec(rawPath)?.groups
  const requestContext = { http: { method, path: rawPath } }
  const result = await run({
    version: '2.0',
    rawPath,
    pathParameters,
    headers,
    body,
    isBase64Encoded: false,
    requestContext,
  })
  response.writeHead(result.statusCode, result.headers).end(result.body)
})
server.listen(process.env['PORT'] ?? 3000, () => console.log('listening on', server.address()))
