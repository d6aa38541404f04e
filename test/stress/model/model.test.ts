import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '../effort.js'
import { commands, creation } from './commands.js'
import { audit, type ModelState, newState, Real, type Tally } from './state.js'

const { runs, seed, isLong, print } = effort(40)

const neverRefused = ['create', 'list', 'advance', 'receiverFails', 'snapshot', 'restore']

const settings: fc.Arbitrary<ModelState['settings']> = fc.record({
  idempotency: fc.constantFrom('replay' as const, 'conflict' as const, 'conflict-400' as const),
  listDelay: fc.constantFrom(0, 60_000),
})

describe('the sandbox compared with a model of the specification', () => {
  it(`matches the model in ${runs} sequences of requests and events`, async () => {
    const tally: Tally = new Map()
    let sequences = 0
    const steps = fc.commands([commands], { maxCommands: 30, size: 'max' })
    const property = fc.asyncProperty(settings, creation, steps, async (given, first, others) => {
      sequences += 1
      const state = newState(given)
      const real = new Real(given, tally)
      await first.run(state, real)
      await fc.asyncModelRun(() => ({ model: state, real }), others)
      await audit(state, real)
    })

    await fc.assert(property, { numRuns: runs, seed })

    print({ sequences, tally })
    expect(sequences).toBe(runs)
    if (!isLong) return
    // Requires that every command was both allowed and rejected, because one result alone would prove little.
    for (const [name, { allowed, refused }] of tally) {
      expect(allowed, `${name}, allowed`).toBeGreaterThan(0)
      if (!neverRefused.includes(name)) expect(refused, `${name}, refused`).toBeGreaterThan(0)
    }
  })
})
