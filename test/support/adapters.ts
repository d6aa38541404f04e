import { setupServer } from 'msw/node'
import { afterEach, describe } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/testing/index.js'
import { handlers } from '../../src/testing/msw.js'

/** A way to send requests to a sandbox. */
export interface Adapter {
  name: 'fetch' | 'HTTP' | 'msw'
  connect(sandbox: Sandbox): Promise<Connection>
}

interface Connection {
  baseUrl: string
  fetch: (input: Request | string, init?: RequestInit) => Promise<Response>
  close(): Promise<void> | void
}

/** The sandbox's own `fetch`, its HTTP server, and its msw handlers. */
export const adapters: readonly Adapter[] = [
  {
    name: 'fetch',
    connect: async (sandbox) => ({ baseUrl: sandbox.baseUrl, fetch: sandbox.fetch, close: () => {} }),
  },
  {
    name: 'HTTP',
    connect: async (sandbox) => {
      const server = await sandbox.listen()
      return { baseUrl: server.url, fetch, close: server.close }
    },
  },
  {
    name: 'msw',
    connect: async (sandbox) => {
      const server = setupServer(...handlers(sandbox))
      server.listen({ onUnhandledFrame: 'error' })
      return { baseUrl: sandbox.baseUrl, fetch, close: () => server.close() }
    },
  },
]

/** A sandbox with a client that uses the HTTP adapter under test. */
export interface Connected {
  adapter: Adapter['name']
  sandbox: Sandbox
  client: PaymentsClient
  /** Sends a request as given, by default with a valid API key. */
  request(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Response>
}

/** Runs the same tests over every HTTP adapter, and closes the connections after each test. */
export function describeOverEachAdapter(
  name: string,
  tests: (start: (options?: SandboxOptions) => Promise<Connected>) => void,
  chosen = adapters,
): void {
  describe.each(chosen)(`${name} over $name`, (adapter) => {
    const open: Connection[] = []

    afterEach(async () => {
      await Promise.all(open.splice(0).map((connection) => connection.close()))
    })

    tests(async (options) => {
      const sandbox = createSandbox(options)
      const connection = await adapter.connect(sandbox)
      open.push(connection)
      return {
        adapter: adapter.name,
        sandbox,
        client: new PaymentsClient(sandbox.clientOptions({ baseUrl: connection.baseUrl, fetch: connection.fetch })),
        request: (method, path, body, init = {}) => {
          const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json', ...init.headers }
          const text = body === undefined ? null : JSON.stringify(body)
          return connection.fetch(new Request(connection.baseUrl + path, { method, body: text, ...init, headers }))
        },
      }
    })
  })
}
