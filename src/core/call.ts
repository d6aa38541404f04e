import type { Attempt } from './errors.js'

/** Metadata of a call and its response, without the response data. */
export interface ResponseInfo {
  /** Identifies the call in events, log lines, errors and responses. */
  readonly callId: string
  /** Duration of the whole call, in milliseconds. */
  readonly durationMs: number
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
  /** The HTTP requests that the call made, oldest first. */
  readonly attempts: readonly Attempt[]
  /** The idempotency key that was sent, if any. */
  readonly idempotencyKey?: string
  /** `true` if an earlier attempt took effect but its response was lost. `data` then comes from a separate request. */
  readonly recovered?: true
}

/** The data of a response, together with its metadata. */
export interface WithResponse<T> {
  readonly data: T
  readonly response: ResponseInfo
}

/** The promise that a client method returns. It resolves to the response data. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the response data together with status, headers, attempts and idempotency key. */
  withResponse(): Promise<WithResponse<T>>
}

/** Creates a `Call` from a promise of the response data. `responseOf` is called after the data has arrived. */
export function toCall<T>(data: Promise<T>, responseOf: () => ResponseInfo | Promise<ResponseInfo>): Call<T> {
  const withResponse = async () => ({ data: await data, response: await responseOf() })
  return Object.assign(data, { withResponse })
}

export function mapCall<T, U>(call: Call<T>, transform: (data: T) => U): Call<U> {
  // Uses an async function, so that stack traces include the caller.
  const transformed = async () => transform(await call)
  return toCall(transformed(), async () => (await call.withResponse()).response)
}
