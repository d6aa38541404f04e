import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.js'
import type { Terminal } from '../../src/cli/terminal.js'
import { PaymentsClient } from '../../src/client.js'
import type { CreatePaymentBody } from '../../src/core/schemas/payment.js'
import { createSandbox, type SandboxOptions } from '../../src/testing/index.js'
import { listen } from '../support/listen.js'
import { aPayment } from '../support/start-sandbox.js'

/** Creates a terminal that records the output of commands. */
export function fakeTerminal({
  env = {},
  files = {},
  load = () => undefined,
  ...tty
}: {
  env?: Terminal['env']
  files?: Record<string, string | Uint8Array<ArrayBuffer>>
  load?: Terminal['load']
  columns?: number
  redraw?: Terminal['redraw']
} = {}) {
  const interrupted = new AbortController()
  const output: string[] = []
  const notes: string[] = []
  const opened: string[] = []
  const listeners: (() => void)[] = []
  const written: string[] = []
  let unfinished = ''
  const bytesOf = (data: string | Uint8Array<ArrayBuffer>) =>
    typeof data === 'string' ? new TextEncoder().encode(data) : data
  const writeTo =
    (target: string[]) =>
    (...lines: string[]) => {
      target.push(...lines)
      for (const listener of listeners) listener()
    }
  const terminal: Terminal = {
    env,
    print: writeTo(output),
    write: async (text) => {
      written.push(text)
      const lines = `${unfinished}${text}`.split('\n')
      unfinished = lines.pop() ?? ''
      writeTo(output)(...lines)
    },
    note: writeTo(notes),
    read: async (path) => bytesOf(files[path] ?? ''),
    open: (url) => void opened.push(url),
    load,
    interrupted: interrupted.signal,
    ...tty,
  }
  return {
    /** Lines written to standard output. */
    output,
    /** The text that `write` wrote to standard output. */
    written: () => written.join(''),
    /** Lines written to standard error. */
    notes,
    /** URLs opened in the browser. */
    opened,
    terminal,
    interrupt: () => interrupted.abort(),
    run: (...args: string[]) => run(args, terminal),
    /** Resolves with the first match in either stream. */
    line: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        const search = () => {
          const found = [...output, ...notes].map((line) => pattern.exec(line)).find((match) => match !== null)
          if (found) resolve(found)
        }
        listeners.push(search)
        search()
      }),
  }
}

/** Starts a sandbox over HTTP with a payment for each order, and a terminal with the sandbox's URL and API key. */
export async function startService(
  orders: readonly string[] = [],
  { env: changes = {}, files = {}, ...options }: SandboxOptions & Parameters<typeof fakeTerminal>[0] = {},
) {
  const sandbox = createSandbox(options)
  const { url, close } = await sandbox.listen()
  onTestFinished(close)
  const client = new PaymentsClient(sandbox.clientOptions())
  const create = (orderId: string, changes: Partial<CreatePaymentBody> = {}) =>
    client.payments.create(aPayment({ orderId, ...changes }))
  const payments = []
  for (const orderId of orders) payments.push(await create(orderId, { amount: 700 }))
  const env: Record<string, string> = { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: url, ...changes }
  return { ...fakeTerminal({ env, files }), sandbox, client, create, payments, env }
}

/** Starts a webhook receiver, and returns its URL. */
export async function startReceiver(handle: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks = await incoming.toArray()
    const headers = incoming.headers as Record<string, string>
    const request = new Request('http://receiver/', { method: 'POST', headers, body: Buffer.concat(chunks) })
    const response = await handle(request)
    outgoing.writeHead(response.status).end(await response.text())
  })
  return `http://127.0.0.1:${await listen(server)}/hooks?token=t-1`
}

/** Returns a URL at which no server listens. */
export async function closedUrl(): Promise<string> {
  const { url, close } = await createSandbox().listen()
  await close()
  return `${url}/hooks`
}
