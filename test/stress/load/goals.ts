/** A goal for a result of a measurement. */
export interface Goal {
  readonly what: string
  /** A readable summary of the results. */
  readonly measured: string
  readonly met: boolean
}

/** Prints goals for the program that started this one. */
export function printGoals(goals: readonly Goal[]): void {
  console.log(JSON.stringify(goals))
}

export function inDigits(count: number): string {
  return count.toLocaleString('en')
}
