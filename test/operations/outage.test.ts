import { describe, expect, it } from 'vitest'
import { createMemoryJournal, PaymentsClient } from '../../src/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { effort } from '../stress/effort.js'

const { runs: operations } = effort(100)

describe('operations.recover during an outage', () => {
  it('sends each operation at most once per ten minutes after Retry-After: 600', async () => {
    let passedMs = 0
    const start = Date.now()
    const journal = createMemoryJournal({ now: () => new Date(start + passedMs) })
    const sandbox = createSandbox()
    const requests = new Map<string, number[]>()
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const { url } = new Request(input, init)
      requests.set(url, [...(requests.get(url) ?? []), passedMs])
      const error = { errorId: 'TooManyRequests', description: 'Wait' }
      return Response.json({ error }, { status: 429, headers: { 'retry-after': '600' } })
    }
    const client = new PaymentsClient(sandbox.clientOptions({ journal, fetch, logLevel: 'off' }))
    for (let number = 0; number < operations; number++) {
      await client.operations.plan({ key: `refund-${number}`, operation: 'payments.refund', id: `pay_${number}` })
    }

    for (; passedMs <= 1_230_000; passedMs += 30_000) await client.operations.recover({ limit: operations })

    expect(requests.size).toBe(operations)
    for (const times of requests.values()) expect(times).toEqual([0, 600_000, 1_200_000])
  })
})
