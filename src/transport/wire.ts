import ky from 'ky'
import type { Fetch } from '../options.js'

/** One request, spelled out. */
export interface WireRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/**
 * Every option that ky and fetch know, at rest. They stand here as own properties, so that nothing that was put on
 * `Object.prototype` can redirect a request or change how it is sent.
 */
const atRest = {
  baseUrl: undefined,
  cache: undefined,
  client: undefined,
  context: {},
  credentials: undefined,
  dispatcher: undefined,
  duplex: undefined,
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
  referrer: undefined,
  referrerPolicy: undefined,
  searchParams: undefined,
  stringifyJson: undefined,
  window: undefined,
}

/**
 * Send one request. Redirects are never followed, since the API key would go along; retries, time limits and the meaning
 * of a status are the transport's own business, so ky's are off.
 */
export async function sendOnWire(request: WireRequest, fetch: Fetch | undefined): Promise<Response> {
  return ky(request.url, {
    ...atRest,
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    // Looked up for every request, so that test tools may replace it.
    fetch: (input: Request, init?: RequestInit) => (fetch ?? globalThis.fetch)(input, init),
    redirect: 'manual',
    retry: { limit: 0 },
    timeout: false,
    totalTimeout: false,
    throwHttpErrors: false,
  } as Parameters<typeof ky>[1])
}
