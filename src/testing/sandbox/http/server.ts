import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { func, integer, optionsOf, text } from '../../../core/internal/validation.js'
import { readerOf } from '../../../webhooks/node-listener.js'
import type { Listening, ListenOptions } from '../api.js'
import type { Source } from '../control/endpoint.js'
import { pause } from '../internal/clock.js'
import { causeMessageOf, maxBodyBytes, type Service, ServiceError, type ServiceResponse } from '../internal/exchange.js'
import { hostName, requireOptions } from '../internal/options.js'
import { readText } from './body.js'
import { isControlRequest, serveControl } from './control.js'
import { Guard } from './guard.js'

const listenOptions = optionsOf<ListenOptions>({
  port: integer(0, 65_535),
  host: text,
  allowedHosts: z.array(hostName, 'must be an array of host names'),
  onResponse: func(),
  onAnswer: func(),
})

/** Starts an HTTP server for the service, control API and inspector. Connection faults break the real socket. */
export async function listen(
  http: typeof import('node:http'),
  service: Service,
  source: Source,
  options: ListenOptions = {},
): Promise<Listening> {
  const {
    port = 0,
    host = '127.0.0.1',
    allowedHosts = [],
    onAnswer,
    onResponse = onAnswer,
  } = requireOptions('listen', options, listenOptions)
  let guard = new Guard([])
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('date', source.sandbox.clock.now().toUTCString())
    if (isControlRequest(request)) return serveControl(request, response, source, guard)
    const { method, url: path } = request as IncomingMessage & { method: string; url: string }
    const startedAt = performance.now()
    const status = await serve(service, { method, path }, request, response)
    onResponse?.({ method, path, status, durationMs: performance.now() - startedAt })
  }
  const server = http.createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // Omits the query, because it may contain a client token.
      const path = request.url?.replace(/\?.*/s, '')
      console.error(`The sandbox failed to handle ${request.method} ${path}: ${causeMessageOf(error)}`)
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
  // Removes all headers, because an invalid header may be the reason for the failure.
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
    body = await readText(readerOf(request), maxBodyBytes)
  } catch {
    // Reading the request failed because the client disconnected.
    return undefined
  }
  const headers = new Headers(request.headers as Record<string, string>)
  const reply = await service({ ...target, headers, body, signal })
  if (reply.delayMs) await pause(reply.delayMs, signal)
  return signal.aborted ? undefined : send(reply, response)
}

/** Sends a response, or the part that a fault allows. Returns the status, or undefined if nothing is sent. */
function send({ status, headers, body, ending }: ServiceResponse, response: ServerResponse): number | undefined {
  if (ending.kind === 'none') {
    if (ending.then === 'reset') response.socket?.resetAndDestroy()
    return undefined
  }
  if (ending.kind === 'complete') {
    response.writeHead(status, headers).end(body)
    return status
  }
  response.writeHead(status, { ...headers, 'content-length': ending.length }).flushHeaders()
  response.write(ending.part)
  if (ending.then !== 'hang') void breakConnection(response, ending.then === 'reset')
  return status
}

/** Milliseconds to wait before resetting a connection, because a reset discards data that the client has not read. */
const readingMs = 20

async function breakConnection({ socket }: ServerResponse, reset: boolean): Promise<void> {
  if (!socket) return
  // Waits for all earlier writes: Node calls the callback of an empty write after them.
  await new Promise((resolve) => socket.write('', resolve))
  await pause(readingMs)
  if (reset) socket.resetAndDestroy()
  else socket.destroy()
}
