import type { ResponseIssueEvent } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aClient, clientReceiving } from '../support/clients.js'
import { operationCase } from '../support/operations.js'
import { pathsOf, valueAt, withValue } from '../support/response-paths.js'
import { authorizedPayment } from '../support/responses/payments.js'

describe("a client with responseValidation: 'report'", () => {
  const invalid = { id: 'pay_1', amount: 'seven' }

  it('calls an onResponseIssue hook once per issue even if clients share the hook', async () => {
    const reported: string[] = []
    const hooks = (name: string) => ({
      onResponseIssue: ({ issue }: ResponseIssueEvent) => void reported.push(`${name} ${issue.path.join('.')}`),
    })
    const client = clientReceiving(invalid, {}, { responseValidation: 'report', hooks: hooks('client') })
    const copy = client.withOptions({ hooks: hooks('copy') })
    const sameHook = client.withOptions({ timeout: 1_000 })

    for (const each of [client, copy, sameHook, copy, client]) await each.payments.get('pay_1')

    expect(reported).toEqual(['client amount', 'copy amount'])
  })

  it('reports at most 1,000 issues per hook, to limit memory', async () => {
    let count = 0
    const hooks = { onResponseIssue: () => void count++ }
    const { client } = aClient(
      ['a', 'b'].map((prefix) => ({
        paymentMethod: { options: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [prefix + index, 5])) },
      })),
      { responseValidation: 'report', hooks },
    )

    await client.clientSessions.get('client_token_1')
    await client.clientSessions.get('client_token_1')

    expect(count).toBe(1_000)
  })

  it('returns invalid fields unchanged, and removes null fields', async () => {
    const { response } = operationCase('payments.get')
    const removable = ['description', 'lastName', 'city', 'orderId', 'taxId'].flatMap((name) =>
      pathsOf(response).filter((path) => path.at(-1) === name),
    )
    const withNulls = removable.reduce<object>((body, path) => withValue(body, path, null), response)

    for (const path of pathsOf(authorizedPayment)) {
      if (valueAt(withNulls, path) === null) continue
      const wrong = Array.isArray(valueAt(withNulls, path)) ? { secret: 1 } : ['wrong']
      const body = withValue(withNulls, path, wrong)

      const received = await clientReceiving(body, {}, { responseValidation: 'report' }).payments.get('pay_1')

      expect([path, valueAt(received, path)]).toEqual([path, wrong])
      const nulls = pathsOf(received).filter((each) => valueAt(received, each) === null)
      expect([path, nulls]).toEqual([path, []])
    }
  })
})
