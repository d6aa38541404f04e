import type { Cutoff } from '../../internal/deadline.js'
import type { HttpAgent } from '../../options.js'

export interface HttpRequest {
  readonly method: string
  /** The client's base URL. Only its origin is used, because `target` already includes its path. */
  readonly baseUrl: URL
  readonly target: string
  readonly agent: HttpAgent | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly cutoff: Cutoff
  /** Called when the connection is established. From then on, the service may act on the request. */
  readonly onConnected: () => void
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  /**
   * Reads and parses the body, at most `maxBytes` after decompression. Closes the connection on failure, so the next
   * response does not begin with the rest of this body.
   */
  read<T>(maxBytes: number, parse: (body: string) => T): Promise<T>
}

/** Sends one request and resolves when the headers of the response have arrived. Does not follow redirects. */
export type HttpAdapter = (request: HttpRequest) => Promise<HttpResponse>
