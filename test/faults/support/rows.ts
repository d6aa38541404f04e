/** Matches the ID of a row of the fault matrix, as in `T04 retries a keyed call …`. */
export const idPattern = /\b[CINPRSTUVW]\d\d(?= )/g

/** A test in the report of vitest. */
export interface TestReport {
  /** The title of the test, after the titles of its `describe` blocks. */
  readonly fullName: string
  readonly status: string
}

/** Returns the statuses of the tests of each row, by the row's ID. */
export function statusesById(tests: readonly TestReport[]): Map<string, string[]> {
  const statuses = new Map<string, string[]>()
  for (const { fullName, status } of tests) {
    for (const [id] of fullName.matchAll(idPattern)) statuses.set(id, [...(statuses.get(id) ?? []), status])
  }
  return statuses
}
