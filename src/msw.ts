import { HttpResponse, http, type RequestHandler } from 'msw'
import { unknown } from './sandbox/options.js'
import type { Sandbox } from './sandbox/types.js'

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
 * @throws {TypeError} An unknown option, or a base URL that is none.
 */
export function handlers(sandbox: Pick<Sandbox, 'fetch' | 'baseUrl'>, options: HandlersOptions = {}): RequestHandler[] {
  for (const name of Object.keys(options)) {
    if (name !== 'baseUrl') throw new TypeError(unknown('handlers option', name, ['baseUrl']))
  }
  const here = withoutSlash(options.baseUrl ?? sandbox.baseUrl)
  const sandboxUrl = withoutSlash(sandbox.baseUrl)
  return [
    http.all(`${here}/*`, async ({ request }) => {
      const url = sandboxUrl + request.url.slice(here.length)
      try {
        return await sandbox.fetch(new Request(url, request))
      } catch (error) {
        // msw would turn what was thrown into an answer with status 500.
        if (request.signal.aborted || isBrokenConnection(error)) return HttpResponse.error()
        throw error
      }
    }),
  ]
}

function withoutSlash(url: string | URL): string {
  return new URL(url).href.replace(/\/+$/, '')
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}
