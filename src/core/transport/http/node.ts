import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { builtinModule } from '../../internal/builtin.js'
import type { Exchange, HttpResponse } from './adapter.js'
import { decodeText, UnreadableBody } from './body.js'
import { Unconnected } from './connection-error.js'
import { isFailureOf, proxiesOf, proxyOf } from './proxy.js'

type Http = typeof import('node:http') | typeof import('node:https')
type Agent = InstanceType<Http['Agent']>

interface Client {
  readonly module: Http
  readonly agent: Agent
}

/** The module and the agent for each protocol. */
const clients = new Map<string, Client>()

function clientFor(protocol: string): Client {
  let client = clients.get(protocol)
  if (client === undefined) {
    const module = builtinModule<Http>(protocol === 'https:' ? 'node:https' : 'node:http') as Http
    client = { module, agent: createAgent(module) }
    clients.set(protocol, client)
  }
  return client
}

/**
 * The milliseconds after which an idle connection is closed. A firewall may silently drop an idle connection. With a
 * time limit, Node also honours the server's `Keep-Alive: timeout=n`.
 */
const idleTimeoutMs = 5_000

/** Creates a keep-alive agent. The client's connection slots limit the number of connections. */
function createAgent(module: Http): Agent {
  const proxyEnv = proxiesOf(module.globalAgent)
  const agent = new module.Agent({ keepAlive: true, timeout: idleTimeoutMs, ...(proxyEnv && { proxyEnv }) })
  agent.on('free', (socket: Socket) => socket.off('data', close).on('data', close))
  return agent
}

/** Closes an idle connection on which bytes arrive. Otherwise the next request could read them as its response. */
function close(this: Socket): void {
  this.destroy()
}

export function sendOverNode<T>(exchange: Exchange<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const { protocol, hostname, port } = exchange.baseUrl
    const { module, agent: sharedAgent } = clientFor(protocol)
    const agent = (exchange.agent as Agent | undefined) ?? sharedAgent
    // Looks up `module.request` for every request, so instrumentation can replace it at any time.
    const outgoing = module.request({
      agent,
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''), // without the brackets of IPv6
      port,
      path: exchange.target,
      method: exchange.method,
      // Passed here, because `setHeader` throws if the agent or instrumentation has already sent the headers.
      headers: { ...exchange.headers, 'accept-encoding': 'gzip, deflate, br' },
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
      try {
        exchange.onResponse(responseOf(incoming))
        readBody(incoming, exchange, resolve, reject)
      } catch (error) {
        fail(error)
      }
    })
    // Rejects a `100 Continue`. The client never sends `Expect`, so this response is meant for another request.
    outgoing.on('continue', () => fail(new Error('unexpected 100 Continue')))
    outgoing.on('error', (error) => {
      const proxy = proxyOf(agent, protocol)
      reject(proxy && isFailureOf(proxy, error) ? new Unconnected(error, proxy.host) : error)
    })
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
    socket.off('data', close)
    // The socket is already destroyed if the lookup of the host name failed.
    if (socket.destroyed) return
    if (!socket.connecting) return exchange.onConnected()
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', exchange.onConnected)
  })
}

function responseOf({ statusCode, rawHeaders }: IncomingMessage): HttpResponse {
  let headers: Headers | undefined
  return {
    status: statusCode as number,
    // Created on first access, because few callers read the headers, and the class `Headers` makes Node load its fetch.
    get headers() {
      headers ??= toHeaders(rawHeaders)
      return headers
    },
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
  const { maxBytes } = exchange
  const encoding = incoming.headers['content-encoding']?.toLowerCase() || 'identity'
  if (!/^(identity|(x-)?gzip|deflate|br)$/.test(encoding)) throw new UnreadableBody('unknown-encoding')
  const chunks: Buffer[] = []
  let size = 0
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size > maxBytes) incoming.destroy(new UnreadableBody('too-large'))
  })
  // Node emits `end` only for a complete body, and an error for a truncated one.
  incoming.on('error', reject)
  incoming.on('end', () => {
    try {
      resolve(exchange.parse(decodeText(decompress(Buffer.concat(chunks), encoding, maxBytes))))
    } catch (error) {
      // Closes the connection, because the unreadable body may belong to another response.
      socket.destroy()
      reject(error)
    }
  })
}

function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  if (encoding === 'identity') return bytes
  const zlib = builtinModule('node:zlib') as typeof import('node:zlib')
  try {
    const options = { maxOutputLength: maxBytes }
    if (encoding === 'br') return zlib.brotliDecompressSync(bytes, options)
    // Some servers send raw deflate, without the header of the zlib format, which starts with the method 8.
    const isRaw = encoding === 'deflate' && ((bytes[0] ?? 0) & 0x0f) !== 8
    return isRaw ? zlib.inflateRawSync(bytes, options) : zlib.unzipSync(bytes, options)
  } catch (error) {
    throw new UnreadableBody(Object(error).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'truncated')
  }
}
