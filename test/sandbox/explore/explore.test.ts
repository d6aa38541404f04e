import { PaymentsClient } from 'payments-client'
import { explore } from 'payments-client/sandbox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { explorationOf, type Mistake } from './shop.js'

/** Whether all mistakes are tried, with a larger budget. */
const isLong = process.env['RUNS'] !== undefined

const longMistakes: Mistake[] = [
  'key without attempt number',
  '400 for every rejected call',
  'trusts a cut-off 409',
  'charges late',
  'matches the latest refund',
  'no deduplication',
  'writes stale events',
  'refunds again in a job',
]

const mistakes: Mistake[] = ['new key per retry', 'stores the order after the call', ...(isLong ? longMistakes : [])]

// Every failing run prints its timeline.
beforeEach(() => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  return () => log.mockRestore()
})

describe('explore', () => {
  it('finds nothing in a shop that follows the guides', { timeout: 600_000 }, async () => {
    const report = await explore({ ...explorationOf(), budget: isLong ? 5_000 : 100 })

    expect(report.failures).toEqual([])
    expect(report.points).toBe(20)
  })

  it.each(mistakes)('finds the mistake "%s", and replays it', { timeout: 120_000 }, async (mistake) => {
    const { failures } = await explore({ ...explorationOf(mistake), budget: isLong ? 600 : 200 })

    const [first] = failures
    if (first === undefined) return expect.fail('No failure was found')
    expect(first.schedule.length).toBeLessThanOrEqual(3)
    const replayed = await explore({ ...explorationOf(mistake), replay: first.replay })
    expect(replayed.failures).toContainEqual(first)
  })

  it('returns the same report for the same seed', { timeout: 60_000 }, async () => {
    const run = () => explore({ ...explorationOf('new key per retry'), budget: 60 })

    expect(JSON.stringify(await run())).toBe(JSON.stringify(await run()))
  })

  it.each<[string, Partial<Parameters<typeof explore>[0]>, RegExp]>([
    ['never ends', { scenario: () => new Promise(() => {}) }, /waits for something other than a request/],
    ['throws', { scenario: () => Promise.reject(new Error('no stock')) }, /failed without a fault: no stock/],
    [
      'throws at the start',
      {
        start: () => {
          throw new Error('no database')
        },
      },
      /failed without a fault: no database/,
    ],
    ['sends no request', { scenario: () => {} }, /sent no request: create its PaymentsClient with/],
  ])('reports in one sentence that the scenario %s', { timeout: 30_000 }, async (_, options, message) => {
    const start = ({ clientOptions }: { clientOptions: object }) => new PaymentsClient(clientOptions)

    const report = await explore({ start, scenario: () => {}, ...options, sandbox: { idempotency: 'replay' } } as never)

    expect(report.failures[0]?.message).toMatch(message)
  })

  it('rejects unknown and missing options', async () => {
    const options = explorationOf()

    await expect(explore({ ...options, buget: 5 } as never)).rejects.toThrow('did you mean "budget"?')
    await expect(explore({ start: options.start } as never)).rejects.toThrow('scenario')
    await expect(explore({ ...options, replay: 'x' })).rejects.toThrow('must be the replay string of a failure')
  })
})
