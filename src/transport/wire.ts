import ky from 'ky'
import type { Fetch } from '../options.js'
import { readText } from './body.js'
import { nodeHttp, prefersNodeHttp, usualDispatcher } from './node-http.js'

/** One request, spelled out. */
export interface WireRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
  /** Called once the connection stands, where the carrier can tell: from then on the service may act. */
  readonly onConnected: () => void
}

/** What came back: status and headers at once, the body when asked for. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  /**
   * The body after decompression, at most `maxBytes` of it, as `parse` reads it. A body that cannot be read, or that
   * `parse` throws at, costs the connection: who knows what else comes over it.
   */
  read<T>(maxBytes: number, parse: (text: string) => T): Promise<T>
}

/**
 * Redirects are never followed, since the API key would go along. Retries, time limits and the meaning of a status are the
 * transport's own business, so ky's are off.
 */
const plainly = { redirect: 'manual', retry: 0, timeout: false, totalTimeout: false, throwHttpErrors: false } as const

/** Options of fetch that say nothing, where `undefined` would make it look further. */
const atRest: Readonly<Record<string, unknown>> = {
  body: null,
  cache: 'default',
  credentials: 'same-origin',
  duplex: 'half',
  headers: {},
  integrity: '',
  keepalive: false,
  mode: 'cors',
  referrer: 'about:client',
  referrerPolicy: '',
  window: null,
}

/**
 * Whatever was put on `Object.prototype`, covered by own properties: it would be read as an option of ky or fetch, and
 * could redirect a request or change how it is sent. (ky has no `prefixUrl` any more, and complains of an own one.)
 */
function covered(): Record<string, unknown> {
  const cover: Record<string, unknown> = {}
  for (const name in cover) {
    const value = Object.hasOwn(atRest, name) ? atRest[name] : name === 'dispatcher' ? usualDispatcher() : undefined
    if (name !== 'prefixUrl') Object.defineProperty(cover, name, { value, enumerable: true, writable: true })
  }
  return cover
}

/** The same for the address: ky takes it for a request, and looks for these on it. */
function coveredUrl(url: URL): URL {
  for (const name of ['headers', 'method', 'signal']) {
    if (name in url) Object.defineProperty(url, name, { value: undefined, configurable: true })
  }
  return url
}

/**
 * What fetch is handed: the request as ky made it. Where something was put on `Object.prototype`, ky cannot be trusted with
 * it, nor fetch to leave its own options alone: so the request is made anew, and said once more in full.
 */
function argumentsOfFetch(made: Request, { url, method, headers, body, signal }: WireRequest): [Request, RequestInit?] {
  const cover = covered()
  if (Object.keys(cover).length === 0) return [made]
  // In the order in which ky writes them.
  const sorted = [...new Headers(headers)]
  const init: RequestInit = { ...cover, method, headers: sorted, body: body ?? null, signal, redirect: 'manual' }
  return [new Request(url, init), init]
}

/** Send one request, on the caller's fetch, else on what is cheapest here. */
export async function sendOnWire(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  return fetch === undefined && prefersNodeHttp() ? overNodeHttp(request) : overFetch(request, fetch)
}

async function overFetch(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  const { method, url, headers, body, signal } = request
  request.onConnected()
  const response = await ky(coveredUrl(url), {
    ...covered(),
    ...plainly,
    method,
    headers,
    body: body ?? null,
    signal,
    // Looked up for every request, so that test tools may replace it.
    fetch: (made) => (fetch ?? globalThis.fetch)(...argumentsOfFetch(made as Request, request)),
  })
  return {
    status: response.status,
    headers: response.headers,
    read: async (maxBytes, parse) => parse(await readText(response, maxBytes)),
  }
}

/**
 * ky calls the carrier, and the answer comes back beside it: wrapping it into a `Response` and out again would cost more
 * than the exchange itself.
 */
async function overNodeHttp(request: WireRequest): Promise<WireAnswer> {
  const carrier = (): Promise<unknown> => nodeHttp(request)
  const options = { ...covered(), ...plainly, method: request.method, fetch: carrier as typeof fetch }
  const answer: unknown = await ky(coveredUrl(request.url), options)
  return answer as WireAnswer
}
