import { createServer } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { type ClientOptions, PaymentsClient, PaymentsError } from 'payments-client'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.js'

/** A payment as the service would return it. */
export const payment = { id: 'pay_1', status: 'AUTHORIZED', amount: 700, currencyCode: 'EUR', orderId: 'order-1' }

/** What may carry requests. Every fault of the wire is tried on each. */
const wires: { wire: string; fetch: ClientOptions['fetch'] }[] = [
  { wire: 'the default wire', fetch: undefined },
  { wire: 'the runtime’s fetch', fetch: (request, init) => globalThis.fetch(request, init) },
]

/** A client of a server. Without retries, unless a test is about them. */
export type ClientOf = (server: { url: string }, options?: ClientOptions) => PaymentsClient

/** The same tests over everything that may carry requests. */
export function describeOverEveryWire(name: string, tests: (clientOf: ClientOf, wire: string) => void): void {
  describe.each(wires)(`${name} over $wire`, ({ wire, fetch }) => {
    tests((server, options) => clientOf(server, { fetch, ...options }), wire)
  })
}

export const clientOf: ClientOf = ({ url }, options) =>
  new PaymentsClient({ apiKey: 'key-1', baseUrl: url, maxRetries: 0, timeout: 5_000, ...options })

/** A client whose requests are answered by a function. */
export function clientAnsweredBy(fetch: (request: Request) => Response | Promise<Response>, options?: ClientOptions) {
  return clientOf({ url: 'https://service.test' }, { fetch: async (request) => fetch(request), ...options })
}

/** A client that finds a whole answer, whatever it asks. */
export function clientAnsweredWith(body: unknown, init?: ResponseInit, options?: ClientOptions) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return clientAnsweredBy(() => new Response(text, init), options)
}

/** A client whose requests succeed, whatever they ask, and are noted. */
export function recordingClient(options?: ClientOptions) {
  const requests: Request[] = []
  const client = clientAnsweredBy((request) => {
    requests.push(request.clone())
    return Response.json({ ...payment, clientToken: 'cli_1', token: 'tok_1', data: [], items: [] })
  }, options)
  return { client, requests }
}

/** A client whose first request fails. */
export function clientFailingOnce(status: number, headers: Record<string, string> = {}, options?: ClientOptions) {
  const counted = { requests: 0 }
  const client = clientAnsweredBy(
    () => {
      counted.requests++
      return counted.requests === 1 ? new Response('', { status, headers }) : Response.json(payment)
    },
    { maxRetries: 2, ...options },
  )
  return { client, counted }
}

/** A server that plays scripts until the test is over. */
export async function serve(...scripts: Script[]): Promise<ScriptedServer> {
  return closedAfterTest(await startScriptedServer(scripts))
}

/** The same over TLS. */
export async function serveSecurely(tls: TlsOptions, ...scripts: Script[]): Promise<ScriptedServer> {
  return closedAfterTest(await startScriptedServer(scripts, tls))
}

function closedAfterTest(server: ScriptedServer): ScriptedServer {
  onTestFinished(() => server.close())
  return server
}

/** A port where nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The error that a call ends with. Anything but an error of this package fails the test. */
export async function failureOf(call: PromiseLike<unknown>): Promise<PaymentsError> {
  const error = await call.then(
    (value) => expect.fail(`It succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof PaymentsError) return error
  throw error
}

/**
 * For tests that demand to be quick. A busy machine may stop this process for a moment; a client that is slow is slow every
 * time.
 */
export const timed = { retry: 2 }

/** How long something takes, in milliseconds. */
export async function elapsed(work: () => PromiseLike<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** A moment to wait for, and the function to call when it is here. */
export function moment() {
  let here = () => {}
  const reached = new Promise<void>((resolve) => {
    here = resolve
  })
  return { reached, here: () => here() }
}

/** The connection of the last answer is free again. */
export const turn = () => new Promise((resolve) => setTimeout(resolve, 10))

/** Retries follow at once, until the test is over. */
export function retryAtOnce(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
}

/** Resolves once `condition` holds, which must be soon. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 5_000
  while (!condition()) {
    if (performance.now() > giveUpAt) expect.fail(`It never came true: ${condition}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
