import type { ResponseIssueEvent } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { clientReceiving } from '../support/clients.js'

describe('responseValidation: report', () => {
  const invalid = { id: 'pay_1', amount: 'seven' }

  it('N29 reports an issue to the hook of each copy, and to each hook once', async () => {
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
})
