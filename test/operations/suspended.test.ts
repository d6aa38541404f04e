import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runtimeOption, systemRuntime } from '../../src/core/internal/runtime.js'
import { createMemoryJournal, type OperationIntent, PaymentsClient } from '../../src/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { effort } from '../stress/effort.js'

const { runs, seed } = effort(20)

/** A pause of a process. One of its clocks stops during the pause, or is set back afterwards. */
interface Suspension {
  /** Half of the pause. */
  readonly ms: number
  readonly clock: 'monotonic' | 'wall'
}

const suspension: fc.Arbitrary<Suspension> = fc.record({
  ms: fc.constantFrom(0, 0, 2_000, 3_000, 9_500, 10_500, 31_000, 76_000, 151_000, 300_000, 45_000_000),
  clock: fc.constantFrom('monotonic', 'wall'),
})

/**
 * Runs an operation in a process that is suspended before each request, while another process recovers. Returns the
 * requests that were sent after the other process had decided, and the number of such decisions.
 */
async function runSuspended(operation: OperationIntent['operation'], suspensions: readonly Suspension[]) {
  const start = Date.parse('2026-01-05T09:00:00Z')
  let passedMs = 0
  const lag = { monotonic: 0, wall: 0 }
  const journal = createMemoryJournal({ now: () => new Date(start + passedMs) })
  const sandbox = createSandbox({ now: new Date(start) })
  const worker = new PaymentsClient(sandbox.clientOptions({ journal, maxRetries: 0, logLevel: 'off' }))
  const outside = new PaymentsClient(sandbox.clientOptions())
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }
  const { id } = await outside.payments.create({ ...body, orderId: 'other' })
  if (operation === 'payments.refund') await outside.payments.capture(id)
  const intents = {
    'payments.create': { key: 'key-1', operation: 'payments.create', body },
    'payments.capture': { key: 'key-1', operation: 'payments.capture', id, body: { amount: 100 } },
    'payments.refund': { key: 'key-1', operation: 'payments.refund', id, body: { amount: 100 } },
  } as Record<string, OperationIntent>
  await worker.operations.plan(intents[operation] as OperationIntent)

  const waiting = [...suspensions]
  const stateOf = async () => (await worker.operations.get('key-1'))?.state ?? ''
  const isDecided = async () => !['planned', 'sent', 'unknown'].includes(await stateOf())
  let decisions = 0
  const late: string[] = []
  const suspend = async () => {
    const { ms, clock } = waiting.shift() ?? { ms: 0, clock: 'wall' }
    if (ms === 0) return
    // The other process needs two calls: the first one determines that this process may have sent a request.
    for (let call = 0; call < 2; call++) {
      passedMs += ms
      lag[clock] += ms
      await sandbox.clock.advance(ms)
      await worker.operations.recover()
    }
    if (await isDecided()) decisions++
  }
  const runtime = {
    ...systemRuntime,
    random: () => 0,
    now: () => passedMs - lag.monotonic,
    wallTime: () => start + passedMs - lag.wall,
  }
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.method === 'POST' && (await isDecided())) late.push(`${request.url} after ${await stateOf()}`)
    const response = sandbox.fetch(request)
    if (request.method === 'GET') await suspend()
    return response
  }
  const apiKey = async () => {
    await suspend()
    return sandbox.apiKey
  }
  const options = { ...sandbox.clientOptions({ journal, apiKey, fetch, maxRetries: 1 }), [runtimeOption]: runtime }
  sandbox.faults.add({ operation, status: 503, headers: { 'retry-after': '0' } })
  await new PaymentsClient(options).operations.run('key-1').catch(() => {})
  const effects = sandbox.ledger.filter(({ idempotencyKey }) => idempotencyKey === 'key-1').length
  return { late, decisions, effects }
}

describe('a suspended process', () => {
  it.each(['payments.create', 'payments.capture', 'payments.refund'] as const)(
    'never sends a request after another process has decided the result: %s',
    async (operation) => {
      let decided = 0
      const property = fc.asyncProperty(fc.array(suspension, { minLength: 1, maxLength: 4 }), async (suspensions) => {
        const { late, decisions, effects } = await runSuspended(operation, suspensions)
        decided += decisions
        expect({ late, isTwice: effects > 1 }).toEqual({ late: [], isTwice: false })
      })
      await fc.assert(property, { numRuns: runs, seed })

      expect(decided).toBeGreaterThan(runs / 10)
    },
  )
})
