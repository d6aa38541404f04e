/** The number of runs, and the seed. */
export interface Effort {
  readonly runs: number
  readonly seed: number
  /** For vitest. */
  readonly timeoutMs: number
  /** Prints the results of a long run. */
  readonly print: (figures: object) => void
}

/**
 * The test suite makes few runs with a constant seed. An environment variable sets a larger number of runs, with a random
 * seed unless `SEED` is set.
 */
export function effort(variable: string, usual: number): Effort {
  const asked = process.env[variable]
  if (asked === undefined) return { runs: usual, seed: 20_260_131, timeoutMs: 120_000, print: () => {} }
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000)
  const print = (figures: object) => console.log({ seed, ...figures })
  return { runs: Number(asked), seed, timeoutMs: 7_200_000, print }
}
