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
  /** The body after decompression, at most `maxBytes` of it. */
  text(maxBytes: number): Promise<string>
}

/**
 * Every option that ky and fetch know, at rest. They stand here as own properties, so that nothing that was put on
 * `Object.prototype` can redirect a request or change how it is sent.
 *
 * Redirects are never followed, since the API key would go along. Retries, time limits and the meaning of a status are the
 * transport's own business, so ky's are off.
 */
const atRest = {
  baseUrl: undefined,
  body: undefined,
  cache: undefined,
  client: undefined,
  context: {},
  credentials: undefined,
  dispatcher: undefined,
  duplex: undefined,
  headers: undefined,
  hooks: undefined,
  integrity: undefined,
  json: undefined,
  keepalive: undefined,
  mode: undefined,
  onDownloadProgress: undefined,
  onUploadProgress: undefined,
  parseJson: undefined,
  prefix: '',
  priority: undefined,
  redirect: 'manual',
  referrer: undefined,
  referrerPolicy: undefined,
  retry: 0,
  searchParams: undefined,
  signal: undefined,
  stringifyJson: undefined,
  throwHttpErrors: false,
  timeout: false,
  totalTimeout: false,
  window: undefined,
} as const

/** Send one request, on the caller's fetch, else on what is cheapest here. */
export async function sendOnWire(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  return fetch === undefined && prefersNodeHttp() ? overNodeHttp(request) : overFetch(request, fetch)
}

async function overFetch(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  const { method, url, headers, body, signal } = request
  request.onConnected()
  const response = await ky(url, {
    ...atRest,
    method,
    headers,
    body,
    signal,
    // Looked up for every request, so that test tools may replace it.
    fetch: (input, init) => (fetch ?? globalThis.fetch)(input as Request, init),
  })
  return { status: response.status, headers: response.headers, text: (maxBytes) => readText(response, maxBytes) }
}

/**
 * ky calls the carrier, and the answer comes back beside it: wrapping it into a `Response` and out again would cost more
 * than the exchange itself.
 */
async function overNodeHttp(request: WireRequest): Promise<WireAnswer> {
  const carrier = () => nodeHttp(request) as Promise<WireAnswer & Response>
  return ky(request.url, { ...atRest, method: request.method, fetch: carrier })
}
