import type { Cutoff } from '../../internal/deadline.js'

/** One request, spelled out. */
export interface WireRequest {
  readonly method: string
  /** Says where to: its origin counts. */
  readonly baseUrl: URL
  /** The encoded path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly cutoff: Cutoff
  /** Called once the connection stands, where the carrier can tell: from then on the service may act. */
  readonly onConnected: () => void
}

/** What came back: status and headers at once, the body when asked for. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  /**
   * The body after decompression, at most `maxBytes` of it, as `parse` reads it. A body that cannot be read, or that
   * `parse` throws at, costs the connection: who knows what else comes over it.
   */
  read<T>(maxBytes: number, parse: (text: string) => T): Promise<T>
}

/** Sends one request and resolves when the headers of the answer are there. Redirects are not followed. */
export type Carrier = (request: WireRequest) => Promise<WireAnswer>
