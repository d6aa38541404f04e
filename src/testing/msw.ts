import { HttpResponse, http, type RequestHandler } from 'msw'
import { custom, optionsOf } from '../core/internal/validation.js'
import type { Sandbox } from './sandbox/api.js'
import { requireOptions } from './sandbox/internal/options.js'

/** Options for `handlers`. */
export interface HandlersOptions {
  /** The base URL that your code sends requests to. @default `sandbox.baseUrl` */
  baseUrl?: string | URL
}

const schema = optionsOf<HandlersOptions>({
  baseUrl: custom((value) => URL.canParse(String(value)), 'must be an absolute URL'),
})

/**
 * Creates request handlers that pass your code's requests to a sandbox.
 *
 * @example
 * const sandbox = createSandbox()
 * const server = setupServer(...handlers(sandbox, { baseUrl: process.env.PAYMENTS_BASE_URL }))
 * @throws {TypeError} An option is unknown, or the base URL is invalid.
 */
export function handlers(sandbox: Pick<Sandbox, 'fetch' | 'baseUrl'>, options: HandlersOptions = {}): RequestHandler[] {
  const { baseUrl = sandbox.baseUrl } = requireOptions('handlers', options, schema)
  const mockedUrl = withoutSlash(baseUrl)
  const sandboxUrl = withoutSlash(sandbox.baseUrl)
  return [
    http.all(`${mockedUrl}/*`, async ({ request }) => {
      const url = sandboxUrl + request.url.slice(mockedUrl.length)
      try {
        return await sandbox.fetch(new Request(url, request))
      } catch (error) {
        // Simulates a network error. If the handler threw instead, msw would respond 500.
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
