import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { AgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import { define, pollution } from '../../internal/prototype.js'
import type { WireAnswer, WireRequest } from './adapter.js'
import { readBody } from './node-body.js'
import { builtin } from './runtime.js'

type Http = typeof import('node:http')
type Https = typeof import('node:https')

/** Connections are kept; how many there are at once is bounded by the client's slots. */
const agentOptions: AgentOptions = { keepAlive: true }

let agents: { http: InstanceType<Http['Agent']>; https: InstanceType<Https['Agent']> } | undefined

function agentFor(protocol: string) {
  if (agents === undefined) {
    const http = new (builtin<Http>('node:http').Agent)(agentOptions)
    const https = new (builtin<Https>('node:https').Agent)(agentOptions)
    for (const agent of [http, https]) agent.on('free', (socket: Socket) => socket.on('data', closeUnasked))
    agents = { http, https }
  }
  return protocol === 'https:' ? agents.https : agents.http
}

/** What comes over an idle connection answers nothing, least of all the next request: the connection is not used again. */
function closeUnasked(this: Socket): void {
  this.destroy()
}

/** Where the requests of a client go. */
interface Destination {
  readonly request: Http['request']
  readonly agent: RequestOptions['agent']
  readonly hostname: string
  /** `''` for the usual one. */
  readonly port: string
  /** What the `Host` header says. */
  readonly host: string
}

/** Worked out once per client. */
const destinations = new WeakMap<URL, Destination>()

function destinationOf(baseUrl: URL): Destination {
  const known = destinations.get(baseUrl)
  if (known !== undefined) return known
  const { protocol, hostname, port, host } = baseUrl
  const { request } = protocol === 'https:' ? builtin<Https>('node:https') : builtin<Http>('node:http')
  const destination: Destination = {
    request,
    agent: agentFor(protocol),
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    host,
  }
  destinations.set(baseUrl, destination)
  return destination
}

/** One exchange over `node:http(s)`. */
export function nodeHttp(request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const destination = destinationOf(request.baseUrl)
    const body = request.body === undefined ? undefined : Buffer.from(request.body)
    const outgoing = destination.request(optionsOf(request, destination, body))
    request.cutoff.listen((cause) => outgoing.destroy(cause))
    onceConnected(outgoing, request.onConnected)
    let answered = false
    outgoing.on('response', (incoming) => {
      answered = true
      resolve(new NodeAnswer(incoming))
    })
    // We never ask to go on: whoever answers that answers something else.
    outgoing.on('continue', () => {
      reject(new Error('unexpected 100 Continue'))
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.on('close', () => {
      if (!answered) reject(new Error('closed without an answer'))
    })
    // Bytes: a text would be joined to the headers, and those written as UTF-8 like it.
    outgoing.end(body)
  })
}

function optionsOf(
  request: WireRequest,
  { agent, hostname, port, host }: Destination,
  body: Buffer | undefined,
): RequestOptions {
  const options: RequestOptions = {
    agent,
    hostname,
    port,
    path: request.target,
    method: request.method,
    headers: linesOf(request, host, body?.byteLength),
  }
  // `node:http` would take what was put on `Object.prototype` for options.
  for (const name of pollution()) {
    if (!Object.hasOwn(options, name)) define(options, name, undefined)
  }
  return options
}

/** Names and values in turn: `node:http` sends such a list as it is. */
function linesOf({ method, headers }: WireRequest, host: string, bodyLength: number | undefined): string[] {
  const lines = ['host', host, 'accept-encoding', 'gzip, deflate, br']
  for (const [name, value] of Object.entries(headers)) lines.push(name, value)
  const length = bodyLength ?? lengthOfNothing(method)
  if (length !== undefined) lines.push('content-length', String(length))
  return lines
}

/** Whatever might have a body and has none says so. */
function lengthOfNothing(method: string): number | undefined {
  return method === 'GET' ? undefined : 0
}

/** Tell when the connection stands: at once on one that was kept. */
function onceConnected(outgoing: ClientRequest, onConnected: () => void): void {
  outgoing.on('socket', (socket) => {
    socket.off('data', closeUnasked)
    // A name may fail to resolve at once.
    if (socket.destroyed) return
    if (!socket.connecting) return onConnected()
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected)
  })
}

/** An answer as it comes. A class, since the engine makes a new kind of object for every literal with a getter. */
class NodeAnswer implements WireAnswer {
  readonly #incoming: IncomingMessage
  readonly status: number

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
    this.status = incoming.statusCode as number
  }

  /** Made when asked for: few callers look, and the class has to be loaded. */
  get headers(): Headers {
    const { rawHeaders } = this.#incoming
    const headers = new Headers()
    for (let index = 0; index < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string)
    }
    return headers
  }

  read<T>(maxBytes: number, parse: (text: string) => T): Promise<T> {
    return readBody(this.#incoming, maxBytes, parse)
  }
}
