import type { IncomingMessage, ServerResponse } from 'node:http'
import { readerOf } from '../../../webhooks/node-listener.js'
import type { Source } from '../control/endpoint.js'
import { methodNotAllowed, toServiceError } from '../control/error.js'
import { findEndpoint, run } from '../control/router.js'
import { maxBodyBytes, ServiceError } from '../internal/exchange.js'
import type { Feed, SandboxEvent } from '../internal/feed.js'
import { maskText } from '../internal/mask.js'
import { readText } from './body.js'
import type { Guard } from './guard.js'

const root = '/__sandbox'
const apiRoot = `${root}/api/`

const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

/** Headers that prevent the inspector from loading files of other hosts, and other websites from embedding it. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Returns whether a request is for the control API or a page. A browser may also request the base URL. */
export function isControlRequest({ method, url = '', headers: { accept = '' } }: IncomingMessage): boolean {
  return /^\/__sandbox([/?]|$)/.test(url) || (method === 'GET' && /^\/(\?|$)/.test(url) && accept.includes('text/html'))
}

export async function serveControl(...[request, response, source, guard]: Parameters<typeof respond>): Promise<void> {
  try {
    await respond(request, response, source, guard)
  } catch (error) {
    const { status, errorId: code, message, details } = toServiceError(error)
    send(response, maskedJson({ error: { code, message } }), status, details.allow ? { allow: details.allow } : {})
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, source: Source, guard: Guard) {
  const { method = '', url = '', headers } = request
  guard.checkHost(headers)
  const [path = '', search = ''] = url.split(/\?(.*)/s)
  if (path === '/' || path === root) {
    return void response.writeHead(302, { ...commonHeaders, location: `${root}/` }).end()
  }
  if (!path.startsWith(apiRoot)) {
    if (method !== 'GET') throw methodNotAllowed('Only GET requests are accepted', 'GET')
    const page = await source.inspector?.(source, new URL(url, `http://${headers.host}`))
    if (!page) throw new ServiceError(404, 'PageNotFound', 'The inspector has no such page')
    const pageHeaders = { ...commonHeaders, ...securityHeaders, ...Object.fromEntries(page.headers) }
    return void response.writeHead(page.status, pageHeaders).end(await page.text())
  }
  const match = findEndpoint(method, path.slice(apiRoot.length))
  const { maxBytes = maxBodyBytes, createsSecret } = match.endpoint
  if (match.isAction) guard.checkAction(headers)
  const given = match.isAction ? await readText(readerOf(request), maxBytes) : search
  if (given === undefined) throw new ServiceError(413, 'BodyTooLarge', `The body must have at most ${maxBytes} bytes`)
  const result = await run(match, given, source)
  if (match.name === 'events') return stream(request, response, source.context.feed)
  send(response, createsSecret ? JSON.stringify(result) : maskedJson(result ?? {}))
}

const maskedJson = (value: unknown) => maskText(JSON.stringify(value))

function stream({ headers }: IncomingMessage, response: ServerResponse, feed: Feed): void {
  const last = headers['last-event-id']
  const lastId = last === undefined ? undefined : /^\d+$/.test(String(last)) ? Number(last) : Number.NaN
  const disconnect = new AbortController()
  response.writeHead(200, { ...commonHeaders, 'content-type': 'text/event-stream' }).flushHeaders()
  // Sends comments, which keep an idle stream open.
  const comments = setInterval(() => response.write(':\n\n'), 15_000)
  response.once('close', () => {
    clearInterval(comments)
    disconnect.abort()
  })
  const { Readable } = globalThis.process.getBuiltinModule('node:stream')
  Readable.from(serverSentEvents(feed.after(lastId, disconnect.signal))).pipe(response)
}

async function* serverSentEvents(events: AsyncIterable<SandboxEvent>): AsyncIterable<string> {
  for await (const { id, ...data } of events) yield `id: ${id}\nevent: ${data.type}\ndata: ${maskedJson(data)}\n\n`
}

function send(
  response: ServerResponse,
  json: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-type': 'application/json' }).end(json)
}
