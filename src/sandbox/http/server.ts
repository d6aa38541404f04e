import type { IncomingMessage, ServerResponse } from 'node:http'
import { func, integer, nonEmptyString, type Rule } from '../../internal/options.js'
import type { Parts } from '../control/parts.js'
import { pause } from '../internal/clock.js'
import { maxBodyBytes, messageOf, type Service, ServiceError, type ServiceResponse } from '../internal/exchange.js'
import { hostName, requireOptions } from '../internal/options.js'
import { readText } from './body.js'
import { isControlRequest, serveControl } from './control.js'
import { Guard } from './guard.js'

/** Options for `listen`. */
export interface ListenOptions {
  /** Port to listen on. 0 selects a free port. @default 0 */
  port?: number
  /** Address to listen on. @default '127.0.0.1', reachable only from this machine */
  host?: string
  /**
   * Additional host names and addresses that the inspector page and the control API accept in the `Host` header. They
   * also accept `localhost` and `host`, and respond 403 to any other host. Does not affect the service's API.
   */
  allowedHosts?: readonly string[]
  /** Called after each request to the service. */
  onResponse?: (served: Served) => void
  /** @deprecated Use `onResponse`. */
  onAnswer?: (served: Served) => void
}

/** A request and its result. */
export interface Served {
  readonly method: string
  /** The path and query of the request. */
  readonly path: string
  /** HTTP status. Absent if a fault prevented the response, or the client disconnected. */
  readonly status?: number
  readonly durationMs: number
}

/** A running server. */
export interface Listening {
  /** Base URL for clients, for example `http://127.0.0.1:4010`. */
  readonly url: string
  /** Stops listening and closes every connection. */
  close(): Promise<void>
}

const hostNames: Rule = (value) => {
  if (!Array.isArray(value)) return { code: 'invalid_type', message: 'must be an array of host names' }
  const index = value.findIndex(hostName)
  const problem = hostName(value[index])
  return index >= 0 && problem ? { ...problem, path: [index] } : undefined
}

/** Starts an HTTP server for the service, control API and inspector page. Connection faults break the real socket. */
export async function listen(
  http: typeof import('node:http'),
  service: Service,
  parts: Parts,
  options: ListenOptions = {},
): Promise<Listening> {
  const {
    port = 0,
    host = '127.0.0.1',
    allowedHosts = [],
    onAnswer,
    onResponse = onAnswer,
  } = requireOptions<ListenOptions>('listen', options, {
    port: integer(0, 65_535),
    host: nonEmptyString,
    allowedHosts: hostNames,
    onResponse: func,
    onAnswer: func,
  })
  let guard = new Guard([])
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('date', parts.context.clock.now().toUTCString())
    if (isControlRequest(request)) return serveControl(request, response, parts, guard)
    const { method, url: path } = request as IncomingMessage & { method: string; url: string }
    const startedAt = performance.now()
    const status = await serve(service, { method, path }, request, response)
    onResponse?.({ method, path, status, durationMs: performance.now() - startedAt })
  }
  const server = http.createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // Omits the query, because it may contain a client token.
      const path = request.url?.replace(/\?.*/s, '')
      console.error(`The sandbox failed to handle ${request.method} ${path}: ${messageOf(error)}`)
      fail(response)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as { port: number; address: string }
  guard = new Guard([host, address.address, ...allowedHosts])
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Responds 500, unless a response was already sent. Breaks the connection if only a part of the response was sent. */
function fail(response: ServerResponse): void {
  if (response.writableEnded) return
  if (response.headersSent) return void response.destroy()
  // One of the headers may be the reason for the failure.
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  const error = new ServiceError(500, 'InternalServerError', 'The sandbox failed to handle the request: see its log')
  send(error.toResponse('sandbox'), response)
}

/** Returns the status that was sent, or undefined. */
async function serve(
  service: Service,
  target: { method: string; path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<number | undefined> {
  const disconnect = new AbortController()
  const { signal } = disconnect
  response.once('close', () => disconnect.abort())
  let body: string | undefined
  try {
    body = await readText(request, maxBodyBytes)
  } catch {
    // The request failed because the client disconnected.
    return undefined
  }
  const headers = new Headers(request.headers as Record<string, string>)
  const reply = await service({ ...target, headers, body, signal })
  if (reply.delayMs) await pause(reply.delayMs, signal)
  return signal.aborted ? undefined : send(reply, response)
}

function send({ status, headers, body, hang, reset, cutAt }: ServiceResponse, response: ServerResponse) {
  if (cutAt !== undefined) {
    const bytes = new TextEncoder().encode(body)
    response.writeHead(status, { ...headers, 'content-length': bytes.length }).flushHeaders()
    response.write(bytes.subarray(0, cutAt))
    if (!hang) void breakConnection(response, reset === true)
    return status
  }
  if (hang) return undefined
  if (reset) {
    response.socket?.resetAndDestroy()
    return undefined
  }
  response.writeHead(status, headers).end(body)
  return status
}

/** Milliseconds for the client to read the data before the connection breaks. A reset discards unread data. */
const readingMs = 20

async function breakConnection({ socket }: ServerResponse, reset: boolean): Promise<void> {
  if (!socket) return
  // Node calls the callback of an empty write after all earlier writes.
  await new Promise((resolve) => socket.write('', resolve))
  await pause(readingMs)
  if (reset) socket.resetAndDestroy()
  else socket.destroy()
}
