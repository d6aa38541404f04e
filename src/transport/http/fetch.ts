import ky from 'ky'
import { define, pollution } from '../../internal/prototype.js'
import type { Fetch } from '../../options.js'
import type { WireAnswer, WireRequest } from './adapter.js'
import { readText } from './body.js'
import { markUnconnected } from './connection-error.js'
import { usualDispatcher } from './runtime.js'

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
  for (const name of pollution()) {
    const value = Object.hasOwn(atRest, name) ? atRest[name] : name === 'dispatcher' ? usualDispatcher() : undefined
    if (name !== 'prefixUrl') define(cover, name, value)
  }
  return cover
}

/** Send one request over a fetch, looked up for every request, so that test tools may replace the runtime's. */
export async function overFetch(request: WireRequest, fetch: Fetch | undefined): Promise<WireAnswer> {
  const { method, baseUrl, target, headers, body, cutoff } = request
  const url = new URL(baseUrl.origin + target)
  // ky looks for headers on the address too, and would find what every object inherits.
  define(url, 'headers', undefined)
  const init = { method, headers, body: body ?? null, signal: cutoff.toSignal(), redirect: 'manual' } as const
  // Nobody tells when the connection stands.
  request.onConnected()
  const response = await ky(url, {
    ...covered(),
    ...plainly,
    ...init,
    fetch: (made) => (fetch ?? globalThis.fetch)(...argumentsOfFetch(made as Request, url, init)),
  }).catch((error: unknown) => {
    throw markUnconnected(error)
  })
  return {
    status: response.status,
    headers: response.headers,
    read: async (maxBytes, parse) => parse(await readText(response, maxBytes)),
  }
}

/**
 * What fetch is handed: the request as ky made it. Where something was put on `Object.prototype`, ky cannot be trusted with
 * it, nor fetch to leave its own options alone: so the request is made anew, and said once more in full.
 */
function argumentsOfFetch(made: Request, url: URL, init: RequestInit): [Request, RequestInit?] {
  const cover = covered()
  if (Object.keys(cover).length === 0) return [made]
  // In the order in which ky writes them.
  const anew: RequestInit = { ...cover, ...init, headers: [...new Headers(init.headers)] }
  return [new Request(url, anew), anew]
}
