/** The number of random runs of a test, and their seed. */
export interface Effort {
  readonly runs: number
  readonly seed: number
  /** Whether the number of runs is high enough that every kind of result should occur. */
  readonly isLong: boolean
  /** Prints results if the number of runs is high. */
  readonly print: (figures: object) => void
}

/** Returns the number of runs in the environment variable RUNS, or `usual`. */
export function effort(usual: number): Effort {
  const seed = Number(process.env['SEED'] ?? 1)
  const runs = Number(process.env['RUNS'] ?? usual)
  const isLong = runs > usual
  const print = (figures: object) => isLong && console.log({ seed, ...figures })
  return { runs, seed, isLong, print }
}
