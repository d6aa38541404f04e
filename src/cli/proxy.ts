import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { Option } from '@commander-js/extra-typings'
import { custom, problemWith } from '../core/internal/validation.js'
import { checked, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

const proxyUrl = custom<string>(
  (value) => URL.canParse(String(value)) && /^https?:$/.test(new URL(String(value)).protocol),
  'must be the http or https URL of a proxy, such as http://proxy.internal:3128',
)

export const proxyOption = new Option('--proxy <url>', 'HTTP proxy for requests to the service').argParser(
  checked(proxyUrl),
)

type Env = Terminal['env']

/** Returns the environment variable that contains the proxy for a URL, if it is set. */
export function proxyVariable(env: Env, { protocol }: URL): string | undefined {
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  return [name.toLowerCase(), name].find((variable) => env[variable])
}

/**
 * Returns the proxy for requests to a URL: the value of `--proxy`, or the proxy that Node reads from the environment.
 *
 * @throws {UsageError} The environment variable is not the URL of a proxy.
 */
export function proxyFor(env: Env, url: URL, option: string | undefined): URL | undefined {
  if (option !== undefined) return new URL(option)
  const variable = proxyVariable(env, url)
  if (env['NODE_USE_ENV_PROXY'] !== '1' || variable === undefined || isExcluded(env, url)) return undefined
  const problem = problemWith(proxyUrl, env[variable])
  if (problem) throw new UsageError(`The environment variable ${variable} ${problem.message}`)
  return new URL(String(env[variable]))
}

function isExcluded(env: Env, { hostname }: URL): boolean {
  const entries = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(/[\s,]+/).filter(Boolean)
  return entries.some((entry) => {
    const domain = entry.replace(/^\*?\./, '')
    return entry === '*' || hostname === domain || hostname.endsWith(`.${domain}`)
  })
}

/** Creates an agent that opens each connection through a tunnel. */
export function proxyAgent(proxy: URL, { protocol }: URL): http.Agent {
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  agent.createConnection = (options, callback) => {
    const { host, port, servername = host } = options as tls.ConnectionOptions & { host: string; port: number }
    const connect = async (): Promise<Duplex> => {
      const socket = await openTunnel(proxy, `${host.includes(':') ? `[${host}]` : host}:${port}`)
      return isSecure ? secure({ ...(options as object), socket: socket as Socket, servername }) : socket
    }
    connect().then(
      (socket) => callback?.(null, socket),
      (error) => callback?.(error, undefined as never),
    )
    return undefined
  }
  return agent
}

/** Opens a connection to `target`, a host and port, through a proxy. */
export function openTunnel(proxy: URL, target: string, signal?: AbortSignal): Promise<Duplex> {
  const { username, password, protocol, hostname, port } = proxy
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(Object.assign(new ProxyError(reason), { code: 'ERR_PROXY_CONNECTION_FAILED' }))
    const request = (protocol === 'https:' ? https : http).request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(username !== '' && { 'proxy-authorization': `Basic ${credentials}` }) },
      agent: false,
      signal,
    })
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      fail(String(statusCode))
    })
    request.once('response', (response) => {
      response.destroy()
      fail(String(response.statusCode))
    })
    request.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.name))
    request.end()
  })
}

/** A proxy cannot be reached, or does not open a tunnel. */
export class ProxyError extends Error {
  /** The HTTP status of the proxy, or the code of the connection failure. */
  constructor(readonly reason: string) {
    super(`The proxy does not open a connection (${reason})`)
  }
}

function secure(options: tls.ConnectionOptions): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect(options, () => resolve(socket))
    socket.once('error', reject)
  })
}
