import ky from 'ky'
import type { Fetch } from '../options.js'
import { readText } from './body.js'
import { nodeHttp, prefersNodeHttp } from './node-http.js'

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

/**
 * Whatever was put on `Object.prototype`, covered by own properties: it would be read as an option of ky or fetch, and
 * could redirect a request or change how it is sent.
 */
function covered(): Record<string, undefined> {
  const cover: Record<string, undefined> = {}
  for (const name in cover) Object.defineProperty(cover, name, { value: undefined, enumerable: true, writable: true })
  return cover
}

/** Send one request, on the caller's fetch, else on what is cheapest here. */
export async function sendOnWire(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  return fetch === undefined && prefersNodeHttp() ? overNodeHttp(request) : overFetch(request, fetch)
}

async function overFetch(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  const { method, url, headers, body, signal } = request
  request.onConnected()
  const response = await ky(url, {
    ...covered(),
    ...plainly,
    method,
    headers,
    body,
    signal,
    // Looked up for every request, so that test tools may replace it.
    fetch: (input, init) => (fetch ?? globalThis.fetch)(input as Request, init),
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
  const answer: unknown = await ky(request.url, options)
  return answer as WireAnswer
}
