import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { AgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { decodeText, UnreadableBody } from './body.js'
import type { WireAnswer, WireRequest } from './wire.js'

type Http = typeof import('node:http')
type Https = typeof import('node:https')
type Zlib = typeof import('node:zlib')

/** A module of Node, had without an import, so that this file also loads where there is no Node. */
function builtin<Module>(name: string): Module {
  return process.getBuiltinModule(name) as Module
}

const globalDispatcher = Symbol.for('undici.globalDispatcher.1')

/**
 * Whether requests should go over `node:http`: on Node, unless someone replaced the runtime's fetch or its dispatcher (a
 * test tool, a proxy). Then theirs is used.
 */
export function prefersNodeHttp(): boolean {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return false
  const dispatcher = usualDispatcher()
  return isNodesOwn(globalThis.fetch) && (dispatcher === undefined || dispatcher.constructor.name === 'Agent')
}

/** What carries the requests of Node's fetch; absent before the first of them, and elsewhere. */
export function usualDispatcher(): object | undefined {
  return (globalThis as { [globalDispatcher]?: object })[globalDispatcher]
}

let judged: { readonly fetch: unknown; readonly own: boolean } = { fetch: undefined, own: false }

/** Node's fetch is a function that loads undici from Node's own files. */
function isNodesOwn(fetch: unknown): boolean {
  if (judged.fetch !== fetch) {
    const source = typeof fetch === 'function' ? Function.prototype.toString.call(fetch) : ''
    judged = { fetch, own: source.includes("require('internal/deps/undici/undici')") }
  }
  return judged.own
}

/** Connections are kept; how many there are at once is bounded by the client's slots. */
const agentOptions: AgentOptions = { keepAlive: true, scheduling: 'lifo' }

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

/** One exchange over `node:http(s)`. Resolves when the headers are there. */
export function nodeHttp(request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { url, signal, body } = request
    const module = url.protocol === 'https:' ? builtin<Https>('node:https') : builtin<Http>('node:http')
    const outgoing = module.request(optionsOf(request))
    const stop = () => outgoing.destroy(signal.reason)
    signal.addEventListener('abort', stop)
    onceConnected(outgoing, request.onConnected)
    outgoing.on('response', (incoming) => resolve(answerOf(incoming)))
    // We never ask to go on: whoever answers that answers something else.
    outgoing.on('continue', () => {
      reject(new Error('unexpected 100 Continue'))
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.on('close', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('closed without an answer'))
    })
    outgoing.end(body)
  })
}

function optionsOf({ url, method, headers, body }: WireRequest): RequestOptions {
  return {
    // Own properties all of them: nothing on `Object.prototype` can take their place.
    protocol: url.protocol,
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === '' ? undefined : url.port,
    path: url.pathname + url.search,
    method,
    headers: {
      ...headers,
      'accept-encoding': 'gzip, deflate, br',
      ...(body === undefined ? noBody(method) : { 'content-length': Buffer.byteLength(body) }),
    },
    agent: agentFor(url.protocol),
    auth: undefined,
    createConnection: undefined,
    family: undefined,
    host: undefined,
    insecureHTTPParser: undefined,
    joinDuplicateHeaders: undefined,
    localAddress: undefined,
    lookup: undefined,
    maxHeaderSize: undefined,
    setDefaultHeaders: undefined,
    setHost: undefined,
    signal: undefined,
    socketPath: undefined,
    timeout: undefined,
  } as RequestOptions
}

/** A POST without a body says so. */
function noBody(method: string): { 'content-length'?: number } {
  return method === 'GET' ? {} : { 'content-length': 0 }
}

/** Tell when the connection stands: at once on one that was kept. */
function onceConnected(outgoing: ClientRequest, onConnected: () => void): void {
  outgoing.on('socket', (socket) => {
    socket.off('data', closeUnasked)
    if (!socket.connecting) return onConnected()
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected)
  })
}

function answerOf(incoming: IncomingMessage): WireAnswer {
  return {
    status: incoming.statusCode as number,
    get headers() {
      return headersOf(incoming)
    },
    read: (maxBytes, parse) => readBody(incoming, maxBytes, parse),
  }
}

/** Made when asked for: few callers look, and the class has to be loaded. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string)
  }
  return headers
}

function readBody<T>(incoming: IncomingMessage, maxBytes: number, parse: (text: string) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const { socket } = incoming
    const chunks: Buffer[] = []
    let size = 0
    const fail = (error: unknown) => {
      incoming.destroy()
      reject(error)
    }
    let stream: Readable
    try {
      stream = decompressed(incoming)
    } catch (error) {
      return fail(error)
    }
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) return fail(new UnreadableBody('too-large'))
      chunks.push(chunk)
    })
    stream.on('end', () => {
      if (!incoming.complete) return fail(new UnreadableBody('truncated'))
      try {
        resolve(parse(decodeText(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))))
      } catch (error) {
        // Still ours at this moment, unless its body was compressed: then the connection is with others already.
        if (stream === incoming) socket.destroy()
        reject(error)
      }
    })
    stream.on('error', fail)
    if (stream !== incoming) incoming.on('error', fail)
  })
}

/** The body as it was before the service compressed it. */
function decompressed(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity' || encoding === '') return incoming
  const zlib = builtin<Zlib>('node:zlib')
  const decoders: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
    gzip: () => zlib.createGunzip(),
    'x-gzip': () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
  }
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
  if (create === undefined) throw new UnreadableBody('unknown-encoding')
  return incoming.pipe(create())
}
