import fc from 'fast-check'
import { commands, creation, type Tally } from './commands.js'
import { audit, type ModelState, newState, Real } from './state.js'

export interface ModelReport {
  readonly sequences: number
  readonly commands: number
  readonly tally: Tally
}

const settings: fc.Arbitrary<ModelState['settings']> = fc.record({
  idempotency: fc.constantFrom('replay' as const, 'conflict' as const, 'conflict-400' as const),
  listDelay: fc.constantFrom(0, 60_000),
})

/**
 * Runs random sequences of commands, and compares the sandbox with the model after each command.
 *
 * @throws The shortest sequence after which the sandbox and the model differ.
 */
export async function compareSequences({ sequences, seed }: { sequences: number; seed: number }): Promise<ModelReport> {
  const tally: Tally = new Map()
  let count = 0
  const steps = fc.commands(commands(tally), { maxCommands: 30, size: 'max' })
  const property = fc.asyncProperty(settings, creation(tally), steps, async (given, first, others) => {
    count += 1
    const state = newState(given)
    const real = new Real(given)
    await first.run(state, real)
    await fc.asyncModelRun(() => ({ model: state, real }), others)
    await audit(state, real)
  })
  await fc.assert(property, { numRuns: sequences, seed })
  const commandsRun = [...tally.values()].reduce((sum, { allowed, refused }) => sum + allowed + refused, 0)
  return { sequences: count, commands: commandsRun, tally }
}
