import { HttpResponse, http, type RequestHandler } from 'msw'
import type { Sandbox } from './sandbox/public.js'

/** How requests find their way to the sandbox. */
export interface HandlersOptions {
  /** The address that your code believes the service to be at. @default `sandbox.baseUrl` */
  baseUrl?: string | URL
}

/**
 * Request handlers that let a sandbox answer what your code sends to the service.
 *
 * @example
 * const sandbox = createSandbox()
 * const server = setupServer(...handlers(sandbox, { baseUrl: process.env.PAYMENTS_BASE_URL }))
 */
export function handlers(sandbox: Pick<Sandbox, 'fetch' | 'baseUrl'>, options: HandlersOptions = {}): RequestHandler[] {
  const here = withoutSlash(options.baseUrl ?? sandbox.baseUrl)
  const sandboxUrl = withoutSlash(sandbox.baseUrl)
  return [
    http.all(`${here}/*`, ({ request }) => {
      const url = sandboxUrl + request.url.slice(here.length)
      return sandbox.fetch(new Request(url, request)).catch(asNetworkError)
    }),
  ]
}

function withoutSlash(url: string | URL): string {
  return new URL(url).href.replace(/\/+$/, '')
}

/** A broken connection, which msw would otherwise turn into an answer with status 500. */
function asNetworkError(error: Error): Response {
  if (error.message === 'fetch failed') return HttpResponse.error()
  throw error
}
