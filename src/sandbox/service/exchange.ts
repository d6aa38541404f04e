/** A request as it reached the sandbox, whichever way it came. */
export interface Exchange {
  readonly method: string
  /** Path and query, from the first slash after the host. */
  readonly path: string
  readonly headers: Headers
  readonly body: string
  /** Aborts when whoever asked has gone away. */
  readonly signal?: AbortSignal
}

/** What the sandbox answers, and what the carrier must do to it on the way. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
  /** Wait so long before answering, in milliseconds of real time. */
  delayMs?: number
  /** Never answer; with `cutAt`, fall silent there. */
  hang?: true
  /** Reset the connection instead of answering; with `cutAt`, reset it there. */
  reset?: true
  /** Break the connection after so many bytes of the body. */
  cutAt?: number
}

/** The sandbox without its carriers. It answers everything, and never throws. */
export interface Service {
  handle(exchange: Exchange): Promise<Reply>
}
