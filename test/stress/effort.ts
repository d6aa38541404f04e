/** The number of random runs of a test, and their seed. */
export interface Effort {
  readonly runs: number
  readonly seed: number
  readonly timeoutMs: number
  /** Prints results in long runs. */
  readonly print: (figures: object) => void
}

/**
 * Returns a few runs with a constant seed, which suits the test suite.
 *
 * If the environment variable is set, returns that number of runs with the seed in `SEED` or a random one.
 */
export function effort(variable: string, usual: number): Effort {
  const asked = process.env[variable]
  if (asked === undefined) return { runs: usual, seed: 20_260_131, timeoutMs: 120_000, print: () => {} }
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000)
  const print = (figures: object) => console.log({ seed, ...figures })
  return { runs: Number(asked), seed, timeoutMs: 7_200_000, print }
}
