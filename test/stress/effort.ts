/** How much to try, and where to begin. */
export interface Effort {
  readonly runs: number
  readonly seed: number
  /** For vitest. */
  readonly timeoutMs: number
  /** Print the figures, if somebody asked for a long run. */
  readonly print: (figures: object) => void
}

/**
 * In the test suite little is tried, and always the same. An environment variable asks for more, and then it is something
 * new every time, unless `SEED` says otherwise.
 */
export function effort(variable: string, usual: number): Effort {
  const asked = process.env[variable]
  if (asked === undefined) return { runs: usual, seed: 20_260_131, timeoutMs: 120_000, print: () => {} }
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000)
  const print = (figures: object) => console.log({ seed, ...figures })
  return { runs: Number(asked), seed, timeoutMs: 7_200_000, print }
}
