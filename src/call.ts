import type { Attempt } from './errors.js'

/** Facts about a call and its response, without the data. */
export interface ResponseInfo {
  /** Identifies the call in its events, log lines, errors and responses. */
  readonly callId: string
  /** Milliseconds that the whole call took. */
  readonly durationMs: number
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
  /** The requests of the call, oldest first. */
  readonly attempts: readonly Attempt[]
  /** The idempotency key that was sent, if the operation takes one. */
  readonly idempotencyKey?: string
  /** `true` if an earlier attempt took effect, its response was lost, and `data` was re-fetched. */
  readonly recovered?: true
}

/** A result together with its response. */
export interface WithResponse<T> {
  readonly data: T
  readonly response: ResponseInfo
}

/** @deprecated Renamed to {@link WithResponse}. */
export type Answer<T> = WithResponse<T>

/** The promise that a method of the client returns. It resolves to the data of the response. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the result together with status, headers, attempts and idempotency key. */
  withResponse(): Promise<WithResponse<T>>
}

/** Creates a `Call` from a promise of data and response. */
export function toCall<T>(result: Promise<WithResponse<T>>): Call<T> {
  const data = dataOf(result)
  const withResponse = () => {
    // The caller handles a failure through the returned promise. Without this, Node would report an unhandled
    // rejection.
    data.catch(() => {})
    return result.then((value) => value)
  }
  return Object.assign(data, { withResponse })
}

/** Creates a `Call` that transforms the data of another one. */
export function mapCall<T, U>(call: Call<T>, transform: (data: T) => U): Call<U> {
  return toCall(call.withResponse().then(({ data, response }) => ({ data: transform(data), response })))
}

// This function is async, because stack traces show the callers of async functions.
async function dataOf<T>(result: Promise<WithResponse<T>>): Promise<T> {
  return (await result).data
}
