import type { KyInstance } from 'ky'
import type { Fetch, FetchInit } from '../../options.js'
import type { Exchange, HttpAdapter } from './adapter.js'
import { readText } from './body.js'
import { markUnconnected, Unconnected } from './connection-error.js'
import { isRuntimeFetch } from './runtime.js'

/**
 * Returns an adapter for a custom `fetch`, or for the global one.
 *
 * @param ky The library, which the caller loads on first use.
 */
export function overFetch(ky: KyInstance, custom: Fetch | undefined): HttpAdapter {
  // Rejects at the cutoff without waiting for the fetch, because a custom fetch may ignore the abort signal.
  return (exchange) => exchange.cutoff.race(send(exchange, ky, custom))
}

/** Looks up the global `fetch` for every request, so test tools can replace it. */
async function send<T>(exchange: Exchange<T>, ky: KyInstance, custom: Fetch | undefined): Promise<T> {
  const { method, baseUrl, target, headers, cutoff, maxBytes } = exchange
  const url = new URL(baseUrl.origin + target)
  const fetch = custom ?? (globalThis.fetch as Fetch)
  const body = bodyFor(exchange, custom)
  const init: FetchInit = { method, headers: { ...headers }, body, signal: cutoff.toSignal(), redirect: 'manual' }
  let failure: unknown
  const callFetch = async () => {
    try {
      return await fetchUncached(fetch, url.href, init)
    } catch (error) {
      // A custom fetch may retry internally, so a request may have been sent even if the last try failed to connect.
      failure = isRuntimeFetch(fetch) ? markUnconnected(error) : error
      throw failure
    }
  }
  // Marks the request as possibly sent, because a fetch does not report when its connection is established.
  exchange.onConnected()
  // Disables the features of ky that the transport implements itself.
  const options = {
    ...init,
    fetch: callFetch,
    retry: 0,
    timeout: false,
    totalTimeout: false,
    throwHttpErrors: false,
  } as const
  const response = await ky(url, options).catch((error: unknown) => {
    throw failure ?? error
  })
  cutoff.throwIfPassed()
  exchange.onResponse({ status: response.status, headers: response.headers })
  return exchange.parse(await readText(response, maxBytes))
}

/** Calls a fetch without a cache, because frameworks such as Next.js otherwise return a cached payment. */
async function fetchUncached(fetch: Fetch, url: string, init: FetchInit): Promise<Response> {
  let response: unknown
  try {
    response = await callOf(fetch, url, { ...init, cache: 'no-store' })
  } catch (error) {
    // Retries without the field, because older versions of workerd reject it before they send the request.
    if (!/'cache' field|Unsupported cache mode/.test(messageOf(error))) throw error
    response = await callOf(fetch, url, init)
  }
  const { status, headers } = Object(response)
  if (Number.isInteger(status) && typeof headers?.get === 'function') return response as Response
  const message = 'The function fetch must return a promise of a Response'
  throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_RETURN_VALUE' })
}

/** Throws `Unconnected` if the fetch throws instead of returning a promise, because nothing was sent in that case. */
function callOf(fetch: Fetch, url: string, init: FetchInit): unknown {
  try {
    return fetch(url, init)
  } catch (error) {
    throw new Unconnected(error)
  }
}

function messageOf(error: unknown): string {
  return String(Object(error instanceof Unconnected ? error.cause : error).message)
}

/**
 * Returns a `Blob` on Deno. Deno's fetch resends any other body if the connection closes without a response, although
 * the service may have acted: https://github.com/denoland/deno/issues/35610
 */
function bodyFor({ method, body }: Exchange<unknown>, custom: Fetch | undefined): string | null {
  const usesDenosFetch = 'Deno' in globalThis && (custom === undefined || isRuntimeFetch(custom))
  if (!usesDenosFetch || method === 'GET') return body ?? null
  return new Blob([body ?? '']) as unknown as string
}
