import type { ApiVersion, PaymentsClient } from 'payments-client'
import { expect, it } from 'vitest'
import { aClient, sent } from './clients.js'

type Row<V extends ApiVersion> = [
  title: string,
  call: (client: PaymentsClient<V>) => PromiseLike<unknown>,
  /** Method, path and query of the request. */
  line: string,
  /** The rest of the request, the response, and the call's result (by default, the response). */
  facts: { body?: object; idempotencyKey?: string; response: object; result?: unknown },
]

/** Defines a test for each row. The test checks the request that a call sends, and the call's result. */
export function itSends<V extends ApiVersion>(apiVersion: V, rows: Row<V>[]): void {
  it.each(rows)(
    `a client of version ${apiVersion} %s`,
    async (_, call, line, { response, result = response, ...request }) => {
      const { client, requests } = aClient<V>([response], { apiVersion })

      expect(await call(client)).toEqual(result)
      expect(requests).toEqual([sent(line, { ...request, version: apiVersion })])
    },
  )
}
