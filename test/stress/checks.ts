/** Prints the results of checks, and counts passed and failed checks. */
export class Checks {
  #passed = 0
  #failed = 0

  check(title: string, isMet: boolean, measured: string): void {
    console.log(`${isMet ? 'pass' : 'FAIL'}  ${title}\n      ${measured}`)
    if (isMet) this.#passed++
    else this.#failed++
  }

  /** Prints the totals, and sets the exit code of this process. Fails if no check ran. */
  end(): void {
    console.log(`${this.#passed} passed, ${this.#failed} failed`)
    process.exitCode = this.#passed > 0 && this.#failed === 0 ? 0 : 1
  }
}

/** Prints how often each error was reported. */
export function printErrors(errors: ReadonlyMap<string, number>): void {
  for (const [error, count] of errors) console.log(`      ${count} × ${error.slice(0, 120)}`)
}
