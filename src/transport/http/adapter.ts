import type { Cutoff } from '../../internal/deadline.js'
import type { HttpAgent } from '../../options.js'

/** An encoded request. */
export interface HttpRequest {
  readonly method: string
  /** Its origin is the destination. */
  readonly baseUrl: URL
  /** The encoded path and query. */
  readonly target: string
  /** The agent to use over `node:http`. */
  readonly agent: HttpAgent | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly cutoff: Cutoff
  /** Called once the connection is established. From then on the service may act. */
  readonly onConnected: () => void
}

/** A response whose headers have arrived. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  /**
   * Reads and parses the body, at most `maxBytes` after decompression. Closes the connection if the body cannot be read or
   * `parse` throws, because the next bytes on it cannot be trusted.
   */
  read<T>(maxBytes: number, parse: (body: string) => T): Promise<T>
}

/** Sends one request and resolves when the headers of the response have arrived. Does not follow redirects. */
export type HttpAdapter = (request: HttpRequest) => Promise<HttpResponse>
