import type { Cutoff } from '../../internal/deadline.js'
import type { HttpAgent } from '../../options.js'

/** One request, and the functions that an adapter calls while it sends the request and reads the response. */
export interface Exchange<T> {
  readonly method: string
  readonly baseUrl: URL
  /** The encoded path and query. The path includes the path of the base URL. */
  readonly target: string
  readonly agent: HttpAgent | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Maximum size of the body, after decompression. */
  readonly maxBytes: number
  readonly cutoff: Cutoff
  /** Called when the connection is established. From then on, the service may act on the request. */
  onConnected(): void
  /** Called when the headers of the response have arrived. */
  onResponse(response: HttpResponse): void
  /** Converts the complete body. */
  parse(body: string): T
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
}

/**
 * Sends one request and returns the parsed body of its response. Does not follow redirects. Rejects when the cutoff
 * fires. Closes the connection if the whole body cannot be read, because the next request would receive the unread rest
 * as its response.
 */
export type HttpAdapter = <T>(exchange: Exchange<T>) => Promise<T>
