import type { KyInstance } from 'ky'
import type { Fetch, FetchInit } from '../../options.js'
import type { HttpRequest, HttpResponse } from './adapter.js'
import { readText } from './body.js'
import { markUnconnected, Unconnected } from './connection-error.js'
import { isRuntimeFetch } from './node.js'

/** Sends one request with `fetch`. Looks up the global `fetch` for every request, so test tools can replace it. */
export async function sendOverFetch(
  request: HttpRequest,
  ky: KyInstance,
  custom: Fetch | undefined,
): Promise<HttpResponse> {
  const { method, baseUrl, target, headers, cutoff } = request
  const url = new URL(baseUrl.origin + target)
  const fetch = custom ?? globalThis.fetch
  const body = bodyFor(request, custom)
  const init: FetchInit = { method, headers, body, signal: cutoff.toSignal(), redirect: 'manual' }
  let failure: unknown
  const send = async () => {
    let response: Promise<Response> | undefined
    try {
      response = fetch(url.href, init) as Promise<Response>
      return await response
    } catch (error) {
      // A custom fetch may retry internally, so even a connect error does not prove that no request was sent.
      failure = response === undefined ? new Unconnected(error) : isRuntimeFetch(fetch) ? markUnconnected(error) : error
      throw failure
    }
  }
  // Marks the request as possibly sent, because a fetch does not report when its connection is established.
  request.onConnected()
  // Disables the features of ky that the transport implements itself.
  const options = {
    ...init,
    fetch: send,
    retry: 0,
    timeout: false,
    totalTimeout: false,
    throwHttpErrors: false,
  } as const
  const response = await ky(url, options).catch((error: unknown) => {
    throw failure ?? error
  })
  return {
    status: response.status,
    headers: response.headers,
    read: async (maxBytes, parse) => parse(await readText(response, maxBytes)),
  }
}

/**
 * Returns a `Blob` on Deno. Deno's fetch resends any other body if the connection closes without a response, although
 * the service may have acted: https://github.com/denoland/deno/issues/35610
 */
function bodyFor({ method, body }: HttpRequest, custom: Fetch | undefined): string | null {
  const usesDenosFetch = 'Deno' in globalThis && (custom === undefined || isRuntimeFetch(custom))
  if (!usesDenosFetch || method === 'GET') return body ?? null
  return new Blob([body ?? '']) as unknown as string
}
