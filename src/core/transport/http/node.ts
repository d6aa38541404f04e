import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { builtinModule } from '../../internal/builtin.js'
import type { ServiceAddress } from '../../settings.js'
import type { Exchange, HttpResponse } from './adapter.js'
import { decodeText, UnreadableBody } from './body.js'

type Http = typeof import('node:http')
type Https = typeof import('node:https')

interface Client {
  readonly module: Http | Https
  readonly agent: InstanceType<Http['Agent']>
}

/** For each origin, the module (`http` or `https`) and the agent with which requests are sent. */
const clients = new Map<string, Client>()

function clientFor({ origin, protocol }: ServiceAddress): Client {
  let client = clients.get(origin)
  if (client === undefined) {
    const module = builtinModule<Http | Https>(protocol === 'https:' ? 'node:https' : 'node:http') as Http | Https
    client = { module, agent: createAgent(module, origin) }
    clients.set(origin, client)
  }
  return client
}

/** For each socket, whether it is idle. */
const idleness = new WeakMap<Socket, boolean>()

/** Creates a keep-alive agent. The client's connection slots limit the number of connections. */
function createAgent(module: Http | Https, origin: string): Client['agent'] {
  const agent = new module.Agent({ keepAlive: true })
  // Replaces the name by which the agent groups connections. Node would build it from the options several times per
  // request, although all requests have the same options.
  agent.getName = () => origin
  agent.on('free', (socket: Socket) => {
    if (!idleness.has(socket)) socket.on('data', closeIfIdle)
    idleness.set(socket, true)
  })
  return agent
}

/** Closes an idle connection on which bytes arrive. Otherwise the next request could read them as its response. */
function closeIfIdle(this: Socket): void {
  if (idleness.get(this)) this.destroy()
}

export function sendOverNode<T>(exchange: Exchange<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const { protocol, hostname, port } = exchange.address
    const { module, agent } = clientFor(exchange.address)
    // Added to the given headers, because copying them takes longer. `setHeader` would throw if the agent or an
    // instrumentation has already sent the headers.
    exchange.headers['accept-encoding'] = 'gzip, deflate, br'
    // Looks up `module.request` for every request, so instrumentation can replace it at any time.
    const outgoing = module.request({
      agent: (exchange.agent as typeof agent | undefined) ?? agent,
      protocol,
      hostname,
      port,
      path: exchange.target,
      method: exchange.method,
      headers: exchange.headers,
    })
    let isOpen = true
    const fail = (error: unknown) => {
      isOpen = false
      outgoing.destroy(error as Error)
      reject(error)
    }
    exchange.cutoff.listen(fail)
    callWhenConnected(outgoing, exchange)
    outgoing.on('response', (incoming) => {
      // Ignores a response that arrives after `fail`. The socket may have received it together with a `100 Continue`.
      if (!isOpen) return
      isOpen = false
      exchange.onResponse(new NodeResponse(incoming))
      readBody(incoming, exchange, resolve, reject)
    })
    // Rejects a `100 Continue`. The client never sends `Expect`, so this response is meant for another request.
    outgoing.on('continue', () => fail(new Error('unexpected 100 Continue')))
    outgoing.on('error', reject)
    outgoing.on('close', () => {
      if (isOpen) reject(new Error('closed without a response'))
    })
    // Passes a Buffer. Node would encode a string body and the headers together as UTF-8, but headers must be Latin-1.
    outgoing.end(exchange.body === undefined ? undefined : Buffer.from(exchange.body))
  })
}

/** Calls `onConnected` when the connection is established, or immediately if an open connection is reused. */
function callWhenConnected(outgoing: ClientRequest, exchange: Exchange<unknown>): void {
  outgoing.on('socket', (socket) => {
    if (idleness.get(socket)) idleness.set(socket, false)
    // The socket is already destroyed if the lookup of the host name failed.
    if (socket.destroyed) return
    if (!socket.connecting) return exchange.onConnected()
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', exchange.onConnected)
  })
}

/** A class, because it is faster than object literals with a getter: V8 creates a hidden class for each literal. */
class NodeResponse implements HttpResponse {
  readonly #rawHeaders: readonly string[]
  readonly status: number
  #headers: Headers | undefined

  constructor({ rawHeaders, statusCode }: IncomingMessage) {
    this.#rawHeaders = rawHeaders
    this.status = statusCode as number
  }

  /** Created on first access, because few callers read the headers and loading the class `Headers` takes time. */
  get headers(): Headers {
    this.#headers ??= toHeaders(this.#rawHeaders)
    return this.#headers
  }
}

function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string)
  }
  return headers
}

function readBody<T>(
  incoming: IncomingMessage,
  exchange: Exchange<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): void {
  const { socket } = incoming
  const chunks: Buffer[] = []
  let size = 0
  let stream: Readable = incoming
  const fail = (error: unknown) => {
    incoming.destroy()
    stream.destroy()
    reject(error)
  }
  try {
    stream = decompress(incoming)
  } catch (error) {
    fail(error)
    return
  }
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > exchange.maxBytes) fail(new UnreadableBody('too-large'))
    else chunks.push(chunk)
  })
  // Node emits `end` only for a complete body, and an error for a truncated one.
  stream.on('end', () => {
    try {
      resolve(exchange.parse(decodeBuffer(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))))
    } catch (error) {
      // Closes the connection of an unreadable body. A compressed body has already released its connection, which
      // another request may be using now.
      if (stream === incoming) socket.destroy()
      reject(error)
    }
  })
  incoming.on('error', fail)
  if (stream !== incoming) stream.on('error', fail)
}

let buffers: typeof import('node:buffer') | undefined

/** Decodes ASCII as Latin-1, which is twice as fast as UTF-8 and has the same result. */
function decodeBuffer(bytes: Buffer): string {
  buffers ??= builtinModule('node:buffer')
  return buffers?.isAscii(bytes) ? bytes.toString('latin1') : decodeText(bytes)
}

function decompress(incoming: IncomingMessage): Readable {
  // Searches `rawHeaders` first, because Node creates the object `headers` on first access, which costs time.
  const isEncoded = incoming.rawHeaders.some((text) => text.length === 16 && text.toLowerCase() === 'content-encoding')
  const encoding = (isEncoded && incoming.headers['content-encoding']?.toLowerCase()) || 'identity'
  if (encoding === 'identity') return incoming
  const zlib = builtinModule('node:zlib') as typeof import('node:zlib')
  if (encoding === 'gzip' || encoding === 'x-gzip') return incoming.pipe(zlib.createGunzip())
  if (encoding === 'deflate') return incoming.pipe(zlib.createInflate())
  if (encoding === 'br') return incoming.pipe(zlib.createBrotliDecompress())
  throw new UnreadableBody('unknown-encoding')
}

/** The keys of undici's global dispatcher: the first in version 8, the second in earlier versions. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.2')
const formerKey = Symbol.for('undici.globalDispatcher.1')

/**
 * Returns whether to send requests over `node:http`: on Node, unless a test tool or a proxy replaced the global fetch
 * or its dispatcher.
 */
export function prefersNodeHttp(): boolean {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return false
  return isNodeFetch(globalThis.fetch) && !isDispatcherReplaced()
}

/**
 * Returns whether a program has set its own global dispatcher. undici 8 sets both keys, and stores a wrapper around its
 * dispatcher under the earlier key (https://github.com/nodejs/undici/pull/4827).
 */
function isDispatcherReplaced(): boolean {
  const { [dispatcherKey]: dispatcher, [formerKey]: former } = globalThis as { [key: symbol]: unknown }
  const formerClasses = dispatcher == null ? ['Agent'] : ['Agent', 'Dispatcher1Wrapper']
  return !isUnmodified(dispatcher, ['Agent']) || !isUnmodified(former, formerClasses)
}

/**
 * Returns whether a dispatcher is absent, or an instance of one of the given classes without interceptors. Interceptors
 * replace the method `dispatch` of the instance.
 */
function isUnmodified(dispatcher: unknown, classes: readonly string[]): boolean {
  if (typeof dispatcher !== 'object' || dispatcher === null) return true
  const instance = dispatcher as { constructor: { name: string; prototype?: unknown }; dispatch?: unknown }
  const prototype = Object(instance.constructor.prototype)
  return classes.includes(instance.constructor.name) && instance.dispatch === prototype.dispatch
}

/** The latest result of `isNodeFetch`, because reading a function's source code takes time. */
let checked: { readonly fetch: unknown; readonly isNodes: boolean } = { fetch: undefined, isNodes: false }

/**
 * Returns whether a fetch is Node's built-in fetch. Recognizes it by its source code, which loads undici from Node's
 * internal files.
 */
function isNodeFetch(fetch: unknown): boolean {
  if (checked.fetch !== fetch) {
    const source = typeof fetch === 'function' ? Function.prototype.toString.call(fetch) : ''
    checked = { fetch, isNodes: source.includes("require('internal/deps/undici/undici')") }
  }
  return checked.isNodes
}

const fetchAtStart = globalThis.fetch

export function isRuntimeFetch(fetch: unknown): boolean {
  return fetch === fetchAtStart && ('Bun' in globalThis || 'Deno' in globalThis)
}
