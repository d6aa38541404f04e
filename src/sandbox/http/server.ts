import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { unknown } from '../options.js'
import { pause } from '../pause.js'
import type { Exchange, Reply, Service } from '../service/exchange.js'

/** Where to listen. */
export interface ListenOptions {
  /** 0 takes a free one. @default 0 */
  port?: number
  /** @default '127.0.0.1', reachable from this machine only */
  host?: string
  /** Called when a request was answered, or was left without an answer by a fault. */
  onAnswer?: (answered: Answered) => void
}

/** A request and what became of it. */
export interface Answered {
  readonly method: string
  /** Path and query, as they came. */
  readonly path: string
  /** Absent when no answer was sent. */
  readonly status?: number
  readonly durationMs: number
}

/** A server that is running. */
export interface Listening {
  /** Base URL for clients, e.g. `http://127.0.0.1:4010`. */
  readonly url: string
  /** Stop listening and close every connection. */
  close(): Promise<void>
}

/** Serve over HTTP. Faults that concern the connection really happen to the socket. */
export async function listen(service: Service, options: ListenOptions = {}): Promise<Listening> {
  const { port = 0, host = '127.0.0.1', onAnswer } = checked(options)
  const server = nodeHttp().createServer(async (request, response) => {
    // What reaches a server always has both.
    const { method, url: path } = request as IncomingMessage & { method: string; url: string }
    const startedAt = performance.now()
    const status = await answer(service, { method, path }, request, response)
    onAnswer?.({ method, path, status, durationMs: performance.now() - startedAt })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as { port: number }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function checked(options: ListenOptions): ListenOptions {
  const known = ['port', 'host', 'onAnswer']
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(unknown('listen option', name, known))
  }
  return options
}

/** Loaded when needed, so that the sandbox also runs where there is no such module. */
function nodeHttp(): typeof import('node:http') {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  if (http === undefined) throw new Error('listen() works on Node, Bun and Deno only. Elsewhere use sandbox.fetch')
  return http
}

/** @returns the status that was sent, if one was */
async function answer(
  service: Service,
  target: Pick<Exchange, 'method' | 'path'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<number | undefined> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const body = await read(request)
  if (body === undefined) return undefined
  // Node joins what came twice; only a cookie of an answer would be a list.
  const headers = new Headers(request.headers as Record<string, string>)
  const reply = await service.handle({ ...target, headers, body, signal: gone.signal })
  if (reply.delayMs) await pause(reply.delayMs, gone.signal)
  return gone.signal.aborted ? undefined : send(reply, response)
}

/** The body; `undefined` when whoever sends it goes away meanwhile. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  let body = ''
  try {
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    return body
  } catch {
    return undefined
  }
}

function send(reply: Reply, response: ServerResponse): number | undefined {
  if (reply.cutAt !== undefined) return sendPart(reply, reply.cutAt, response)
  if (reply.hang) return undefined
  if (reply.reset) {
    response.socket?.resetAndDestroy()
    return undefined
  }
  response.writeHead(reply.status, reply.headers).end(reply.body)
  return reply.status
}

/** The head, which promises everything, and the first bytes. Then what the fault orders. */
function sendPart(reply: Reply, cutAt: number, response: ServerResponse): number {
  const bytes = new TextEncoder().encode(reply.body)
  response.writeHead(reply.status, { ...reply.headers, 'content-length': bytes.length }).flushHeaders()
  response.write(bytes.subarray(0, cutAt))
  if (!reply.hang && response.socket) void breakOff(response.socket, reply.reset)
  return reply.status
}

/** A reset overtakes what was sent before it: give the other side time to read that first. */
const readingMs = 20

async function breakOff(socket: Socket, reset: true | undefined): Promise<void> {
  // An empty write is done when everything before it is.
  await new Promise((resolve) => socket.write('', resolve))
  await pause(readingMs)
  if (reset) socket.resetAndDestroy()
  else socket.destroy()
}
