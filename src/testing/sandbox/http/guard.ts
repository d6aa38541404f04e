import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../internal/exchange.js'

/**
 * Checks that a request comes from this machine or an allowed host, and not from another website.
 *
 * The `Host` check prevents DNS rebinding, in which the name of a malicious website resolves to this machine. The
 * `Origin` check rejects requests from other websites. Because of the `Content-Type` check, browsers send a preflight
 * request before a POST from another website, and the server rejects the preflight.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>

  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(['localhost', ...hosts].map((host) => withBrackets(host.toLowerCase())))
  }

  /** @throws {ServiceError} The host is not allowed. */
  checkHost({ host = '' }: IncomingHttpHeaders): void {
    const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host.toLowerCase()) ?? []
    if (this.#hosts.has(name)) return
    const message = 'The Host header names a host that is not allowed: add it to allowedHosts, or pass --allowed-host'
    throw new ServiceError(403, 'HostNotAllowed', message)
  }

  /** Checks a request that changes the sandbox. @throws {ServiceError} The origin or content type is not allowed. */
  checkAction({ host, origin, 'content-type': contentType = '' }: IncomingHttpHeaders): void {
    if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
      throw new ServiceError(403, 'OriginNotAllowed', 'The Origin header does not match the Host header')
    }
    if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
      throw new ServiceError(415, 'UnsupportedMediaType', 'The content type must be application/json')
    }
  }
}

function withBrackets(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
