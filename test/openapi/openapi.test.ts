import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Document, OpenAPIBackend, type Options } from 'openapi-backend'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { describe, expect, it, onTestFinished } from 'vitest'
import { carts, type KnownVersion } from '../../src/core/contract/version.js'
import { PaymentsClient } from '../../src/index.js'
import { run } from '../package/consumer.js'
import { operations } from '../support/operations.js'
import { tour } from '../support/tour.js'

const versions = Object.keys(carts) as KnownVersion[]
const sourceOf = (version: string) => readFileSync(`docs/openapi/${version}.json`, 'utf8')

describe.each(versions)('the OpenAPI document of version %s', (version) => {
  const source = sourceOf(version)
  const document: Document = JSON.parse(source)

  it('passes the checks of openapi-schema-validator', async () => {
    expect(await new Validator().validate(JSON.parse(source))).toEqual({ valid: true })
  })

  it('passes Redocly’s recommended rules, including for every example', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'off' } })
    const problems = await lintFromString({ source, absoluteRef: `${version}.json`, config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it.each([
    [{ error: { errorId: 'NotFound' } }, true],
    [{ error: { description: 'There is no such payment' } }, true],
    [{ error: {} }, false],
    [{}, false],
  ])('accepts only error bodies that have an errorId or a description: %j', async (body, isValid) => {
    const api = new OpenAPIBackend({ definition: document, quick: true, customizeAjv })
    await api.init()

    const { errors } = api.validateResponse(body, 'payments.get', 404)

    expect(errors === null).toBe(isValid)
  })

  it('requires a request body for creating a client session', () => {
    expect(document.paths).toMatchObject({ '/client-session': { post: { requestBody: { required: true } } } })
  })

  it('describes all 21 operations', () => {
    const described = Object.values(document.paths ?? {}).flatMap((path) =>
      Object.values(path as object).map(({ operationId }) => operationId),
    )
    expect(described.sort()).toEqual(operations.map(({ name }) => name).sort())
  })

  it('lets a mock server accept every SDK request and send valid responses', async () => {
    const { url, problems, served } = await startMock(document)
    const client = new PaymentsClient({ apiKey: 'key', baseUrl: url, apiVersion: version, responseValidation: 'throw' })

    await tour(client as PaymentsClient, version, { token: () => 'tok_1', resumeToken: () => 'resume_1' })

    expect(problems).toEqual([])
    expect([...served].sort()).toEqual(operations.map(({ name }) => name).sort())
  })
})

it('openapi-typescript generates types that accept every body and result', async () => {
  const folder = 'test/openapi/types/generated'
  mkdirSync(folder, { recursive: true })
  for (const version of versions) {
    // The bodies of requests may have read-only arrays.
    const types = await openapiTypescript(sourceOf(version), { immutable: true })
    writeFileSync(`${folder}/${version}.ts`, astToString(types))
  }
  await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'test/openapi/types'])
})

/** Serves a document's examples, and validates requests and responses against its schemas. */
async function startMock(document: Document) {
  const problems: unknown[] = []
  const served = new Set<string>()
  const api = new OpenAPIBackend({ definition: document, quick: true, customizeAjv })
  // `quick` skips openapi-backend's validation of the document, which supports only OpenAPI 3.0.
  api.registerSecurityHandler('ApiKey', ({ request }) => request.headers['x-api-key'] === 'key')
  api.register({
    unauthorizedHandler: ({ operation }) => {
      problems.push([operation.operationId, 'unauthorized'])
      return { status: 401, body: {} }
    },
    validationFail: ({ validation, operation }) => {
      problems.push([operation.operationId, validation.errors])
      return { status: 400, body: {} }
    },
    notFound: ({ request }) => {
      problems.push([request.method, request.path])
      return { status: 404, body: {} }
    },
    notImplemented: ({ operation }) => {
      const id = operation.operationId as string
      const { status, mock } = api.mockResponseForOperation(id, { code: 200 })
      problems.push(...(api.validateResponse(mock, id, status).errors ?? []))
      served.add(id)
      return { status, body: mock }
    },
  })
  await api.init()
  const server = createServer(async (request, response) => {
    const { status, body } = await api.handleRequest({
      method: request.method as string,
      path: request.url as string,
      headers: request.headers as Record<string, string>,
      body: await textOf(request),
    })
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, problems, served }
}

const customizeAjv: Options['customizeAjv'] = (ajv) =>
  ajv.addFormat('date-time', (value: string) => !Number.isNaN(Date.parse(value)))

async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const text = (await request.toArray()).join('')
  return text === '' ? undefined : text
}
