import type { Attempt } from './errors.js'

/** The response of a call, besides its data. */
export interface ResponseInfo {
  /** The same for every event, log line, error and response of one call. */
  readonly callId: string
  /** Milliseconds that the whole call took. */
  readonly durationMs: number
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
  /** Every request of the call. */
  readonly attempts: readonly Attempt[]
  /** The key that was sent, on operations that take one. */
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

/** A promise of the result. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the result together with status, headers, attempts and idempotency key. */
  withResponse(): Promise<WithResponse<T>>
}

/** Creates the call for a result that is under way. */
export function toCall<T>(result: Promise<WithResponse<T>>): Call<T> {
  const data = dataOf(result)
  const withResponse = () => {
    // The caller now handles a failure through the returned promise.
    data.catch(() => {})
    return result.then((value) => value)
  }
  return Object.assign(data, { withResponse })
}

/** Creates a call with the data of another one transformed. */
export function mapCall<T, U>(call: Call<T>, transform: (data: T) => U): Call<U> {
  return toCall(call.withResponse().then(({ data, response }) => ({ data: transform(data), response })))
}

// An async function, so that stack traces show the caller.
async function dataOf<T>(result: Promise<WithResponse<T>>): Promise<T> {
  return (await result).data
}
