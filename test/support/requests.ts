import type { ApiVersion, PaymentsClient } from 'payments-client'
import { expect, it } from 'vitest'
import { aClient, sent } from './clients.js'

type Row<V extends ApiVersion> = [
  title: string,
  call: (client: PaymentsClient<V>) => PromiseLike<unknown>,
  /** Method, path and query of the request. */
  line: string,
  /** The other parts of the request, the response, and the result of the call unless it is the response. */
  facts: { body?: object; idempotencyKey?: string; response: object; result?: unknown },
]

/** Compares the request of each call with the expected one, and its result with the response. */
export function itSends<V extends ApiVersion>(apiVersion: V, rows: Row<V>[]): void {
  it.each(rows)(`%s, in version ${apiVersion}`, async (_, call, line, { response, result = response, ...request }) => {
    const { client, requests } = aClient<V>([response], { apiVersion })

    expect(await call(client)).toEqual(result)
    expect(requests).toEqual([sent(line, { ...request, version: apiVersion })])
  })
}
