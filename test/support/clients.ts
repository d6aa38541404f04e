import dns from 'node:dns'
import type { TlsOptions } from 'node:tls'
import {
  type ApiVersion,
  type ClientOptions,
  type Payment,
  PaymentsClient,
  PaymentsError,
  type RequestValidationError,
} from 'payments-client'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { anyResponse } from './operations.js'
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.js'

export const apiKey = 'a-key-for-tests'

/** A base URL with a path, which every request URL must keep. */
export const baseUrl = 'https://payments.example.com/api'

export const payment = { id: 'pay_1', status: 'AUTHORIZED', amount: 700, currencyCode: 'EUR', orderId: 'order-1' }

/** A request that the client passed to `fetch`. */
export interface SentRequest {
  /** Method and URL after the base URL, for example `GET /payments?limit=2`. */
  readonly line: string
  readonly headers: Record<string, string>
  /** The body as a string, if the request has one. */
  readonly body: string | undefined
}

type Respond = (request: Request) => Response | Promise<Response>

/**
 * Creates a client with a fake `fetch`, and an array that records its requests.
 *
 * `fetch` returns the given responses in order and then fails, or calls the given function for each request.
 */
export function aClient<V extends ApiVersion = '2021-09-27'>(
  responses: Respond | readonly (object | Response | Respond)[] = [],
  options: ClientOptions<V> = {},
): { client: PaymentsClient<V>; requests: SentRequest[] } {
  const requests: SentRequest[] = []
  const remaining = typeof responses === 'function' ? undefined : responses.values()
  const fetch = async (input: Request | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    requests.push(await record(request.clone()))
    const response = remaining === undefined ? responses : remaining.next().value
    if (response === undefined) throw new Error(`The test provides no response for ${request.method} ${request.url}`)
    if (typeof response === 'function') return response(request)
    return response instanceof Response ? response : Response.json(response)
  }
  const client = new PaymentsClient<V>({ apiKey, baseUrl, fetch, maxRetries: 0, timeout: 60_000, ...options })
  return { client, requests }
}

async function record(request: Request): Promise<SentRequest> {
  return {
    line: `${request.method} ${request.url.replace(baseUrl, '')}`,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? undefined : await request.text(),
  }
}

export function clientWith(respond: Respond, options?: ClientOptions): PaymentsClient {
  return aClient(respond, options).client
}

/** Creates a client that receives the same response to every request. */
export function clientReceiving(body: unknown, init?: ResponseInit, options?: ClientOptions): PaymentsClient {
  const content = typeof body === 'string' ? body : JSON.stringify(body)
  return clientWith(() => new Response(content, init), options)
}

/** Creates a client whose requests all succeed, and an array of these requests. */
export function recordingClient(options?: ClientOptions) {
  return aClient(() => Response.json(anyResponse), options)
}

/** Creates a client whose first request fails with the given status, and whose later requests succeed. */
export function clientFailingOnce(status: number, headers: Record<string, string> = {}, options?: ClientOptions) {
  return aClient([new Response('', { status, headers }), payment], { maxRetries: 2, ...options })
}

/** Matches a generated idempotency key. */
export const aNewKey: string = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)

/** Returns the expected request. Additional headers make the comparison fail. */
export function sent(
  line: string,
  {
    body,
    idempotencyKey,
    version = '2021-09-27',
  }: { body?: object | undefined; idempotencyKey?: string; version?: string } = {},
): SentRequest {
  return {
    line,
    headers: {
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^payments-client\/\d+\.\d+\.\d+$/),
      'x-api-key': apiKey,
      'x-api-version': version,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'x-idempotency-key': idempotencyKey }),
    },
    body: body && JSON.stringify(body),
  }
}

export function errorResponse(status: number, error: object = {}, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers })
}

/** Returns the `PaymentsError` of a call. Fails the test if the call succeeds or throws another error. */
export async function failureOf(call: PromiseLike<unknown>): Promise<PaymentsError> {
  const error = await call.then(
    (value) => expect.fail(`The call succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof PaymentsError) return error
  throw error
}

/** Returns the error of a call whose arguments are rejected before sending. */
export async function rejectionOf<V extends ApiVersion = '2021-09-27'>(
  call: (client: PaymentsClient<V>) => PromiseLike<unknown>,
  options?: ClientOptions<V>,
): Promise<RequestValidationError> {
  const { client, requests } = aClient<V>([], options)
  const error = await failureOf(call(client))
  expect(requests).toEqual([])
  expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent', attempts: [] })
  return error as RequestValidationError
}

/** Returns a rejected call's issues, for example `order.fees.0.amount must be an integer`. */
export async function issuesOf<V extends ApiVersion = '2021-09-27'>(
  call: (client: PaymentsClient<V>) => PromiseLike<unknown>,
  options?: ClientOptions<V>,
): Promise<string[]> {
  const { issues } = await rejectionOf(call, options)
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`)
}

export type ClientOf = (server: { url: string }, options?: ClientOptions) => PaymentsClient

export const clientOf: ClientOf = ({ url }, options) =>
  new PaymentsClient({ apiKey: 'key-1', baseUrl: url, maxRetries: 0, timeout: 60_000, ...options })

type Adapter = 'node:http' | 'fetch'

const runtimeFetch = (input: Request | string, init?: RequestInit) => globalThis.fetch(input, init)

/** Runs the same tests over each HTTP adapter. */
export function describeWithEachAdapter(name: string, tests: (clientOf: ClientOf, adapter: Adapter) => void): void {
  describe.each<Adapter>(['node:http', 'fetch'])(`${name}, over %s`, (adapter) => {
    const fetch = adapter === 'fetch' ? runtimeFetch : undefined
    tests((server, options) => clientOf(server, { ...(fetch && { fetch }), ...options }), adapter)
  })
}

/** Starts a scripted server, and closes it after the test. */
export async function serve(...scripts: Script[]): Promise<ScriptedServer> {
  return closedAfterTest(await startScriptedServer(scripts))
}

/** Starts a scripted server with TLS, and closes it after the test. */
export async function serveWithTls(tls: TlsOptions, ...scripts: Script[]): Promise<ScriptedServer> {
  return closedAfterTest(await startScriptedServer(scripts, tls))
}

function closedAfterTest(server: ScriptedServer): ScriptedServer {
  onTestFinished(() => server.close())
  return server
}

/** Captures a payment on a server that runs this script. */
export async function captureOn(clientOf: ClientOf, ...script: Script): Promise<Payment> {
  return clientOf(await serve(script)).payments.capture('pay_1')
}

/** Makes every DNS lookup fail with this error during the test. */
export function failLookup(error: Error): void {
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((_: string, __: object, done: (error: Error) => void) => done(error)) as never)
  onTestFinished(() => lookup.mockRestore())
}

/** Creates a promise and the function that resolves it. */
export function signalled() {
  let resolve = () => {}
  const reached = new Promise<void>((done) => {
    resolve = done
  })
  return { reached, reach: () => resolve() }
}

/** Makes `Math.random`, which determines the retry delays, constant during the test. */
export function randomIs(value: number): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value)
  onTestFinished(() => random.mockRestore())
}

/** Sets every retry delay to 0 ms during the test. */
export const retryAtOnce = () => randomIs(0)

/** Waits up to a minute for a condition to become true. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  while (!condition()) {
    if (performance.now() > giveUpAt) expect.fail(`The condition stayed false: ${condition}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
