import { readFileSync } from 'node:fs'
import http from 'node:http'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { PaymentsClient } from '../../../src/client.js'

const { stackTraceLimit } = Error

afterEach(() => {
  vi.restoreAllMocks()
  Error.stackTraceLimit = stackTraceLimit
})

it('the call stacks of payments.capture match those in docs/project/architecture.md', async () => {
  const baseUrl = await startService()
  const moments = new Map<string, string[]>()
  const record = (moment: string) => {
    const files = filesOnStack()
    if (files.length > 0) moments.set(moment, files)
  }
  const client = new PaymentsClient({
    apiKey: 'key-1',
    baseUrl,
    idempotency: () => {
      record('create the idempotency key')
      return 'capture-1'
    },
  })
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  callBefore(JSON, 'stringify', () => record('encode the body'))
  callBefore(http, 'request', () => record('send the request'))
  callBefore(JSON, 'parse', () => record('parse the response'))

  await client.payments.capture('pay-1', { amount: 2000 })
  vi.restoreAllMocks()

  expect(Object.fromEntries(moments)).toEqual(documentedStacks())
  const union = (...names: string[]) => new Set(names.flatMap((name) => moments.get(name) ?? []))
  expect(union('encode the body', 'send the request').size).toBeLessThanOrEqual(6)
  expect(union(...moments.keys()).size).toBeLessThanOrEqual(14)
})

/** Starts a server that responds to every request with a payment, and returns its URL. */
async function startService(): Promise<string> {
  const server = http.createServer((_, response) => response.end('{"id":"pay-1","status":"SETTLED"}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

/**
 * Returns the files in `src` that are on the call stack, with the outermost caller first. Includes asynchronous frames.
 * Ignores calls by zod, which encodes the names of fields when it first uses a schema.
 */
function filesOnStack(): string[] {
  const stack = String(new Error().stack)
  if (stack.includes('/node_modules/zod/')) return []
  const files = [...stack.matchAll(/\/src\/([\w/-]+\.ts):/g)].map(([, file]) => file as string)
  return [...new Set(files.reverse())]
}

function callBefore<T extends object>(object: T, method: keyof T, callback: () => void): void {
  const original = object[method] as (...args: unknown[]) => unknown
  vi.spyOn(object, method as never).mockImplementation(((...args: unknown[]) => {
    callback()
    return original.apply(object, args)
  }) as never)
}

/** Parses the table rows `| moment | `file` → `file` |` of docs/project/architecture.md. */
function documentedStacks(): Record<string, string[]> {
  const page = readFileSync('docs/project/architecture.md', 'utf8')
  const rows = [...page.matchAll(/^\| ([\w ]+) \| ((?:`[\w/-]+\.ts`(?: → )?)+) \|$/gm)]
  return Object.fromEntries(
    rows.map(([, moment, files]) => [moment, [...String(files).matchAll(/`(.+?)`/g)].map(([, file]) => file)]),
  ) as Record<string, string[]>
}
