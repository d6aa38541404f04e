import fc from 'fast-check'
import { commands, creation, type Tally } from './commands.js'
import { audit, newWorld, Real, type World } from './world.js'

/** The result of a run. */
export interface LivesReport {
  readonly sequences: number
  readonly commands: number
  readonly tally: Tally
}

const settings: fc.Arbitrary<World['settings']> = fc.record({
  idempotency: fc.constantFrom('replay' as const, 'conflict' as const, 'conflict-400' as const),
  listDelay: fc.constantFrom(0, 60_000),
})

/**
 * Runs random sequences of commands, and compares the sandbox with the model after each command.
 *
 * @throws The shortest sequence found in which the sandbox and the model differ.
 */
export async function compareLives({ sequences, seed }: { sequences: number; seed: number }): Promise<LivesReport> {
  const tally: Tally = new Map()
  let count = 0
  const steps = fc.commands(commands(tally), { maxCommands: 30, size: 'max' })
  const property = fc.asyncProperty(settings, creation(tally), steps, async (given, first, others) => {
    count += 1
    const world = newWorld(given)
    const real = new Real(given)
    await first.run(world, real)
    await fc.asyncModelRun(() => ({ model: world, real }), others)
    await audit(world, real)
  })
  await fc.assert(property, { numRuns: sequences, seed })
  const commandsRun = [...tally.values()].reduce((sum, { allowed, refused }) => sum + allowed + refused, 0)
  return { sequences: count, commands: commandsRun, tally }
}
