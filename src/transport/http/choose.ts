import type { Fetch } from '../../options.js'
import type { Carrier } from './adapter.js'
import { nodeHttp } from './node.js'
import { prefersNodeHttp } from './runtime.js'

/** Loaded by those who need it, with ky, which makes the same of every fetch there is. */
let fetching: typeof import('./fetch.js') | undefined

/**
 * What carries requests: the caller's fetch, else what is cheapest here. On Node that is `node:http` without ky, which would
 * make a `Request` that nobody reads: a call would cost half as much again (docs/project/benchmarks.md has both).
 */
export function carrierFor(fetch: Fetch | undefined): Carrier | Promise<Carrier> {
  return fetch === undefined && prefersNodeHttp() ? nodeHttp : fetchCarrier(fetch)
}

async function fetchCarrier(fetch: Fetch | undefined): Promise<Carrier> {
  fetching ??= await import('./fetch.js')
  const { overFetch } = fetching
  return (request) => overFetch(request, fetch)
}
