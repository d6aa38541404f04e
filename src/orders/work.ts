import type { Row } from '../stores/database.js'

/** One step of a transaction: a statement, or a function that receives the transaction. */
export type Step = { readonly sql: string; readonly values: readonly unknown[] } | ((transaction: unknown) => unknown)

/**
 * A piece of a transaction. Yields its statements instead of running them, so that the same code runs on the asynchronous
 * drivers of PostgreSQL and on the synchronous drivers of SQLite.
 */
export type Work<T> = Generator<Step, T, unknown>

/** Runs one statement. */
export function* query(sql: string, ...values: unknown[]): Work<Row[]> {
  return (yield { sql, values }) as Row[]
}

/** Calls a function with the transaction, and waits for its result. */
export function* withTransaction<T>(work: (transaction: unknown) => T | Promise<T>): Work<T> {
  return (yield work) as T
}

/** Performs the steps of a piece of work one after another. */
export async function runSteps<T>(work: Work<T>, perform: (step: Step) => unknown): Promise<T> {
  let step = work.next()
  while (!step.done) {
    try {
      step = work.next(await perform(step.value))
    } catch (error) {
      step = work.throw(error)
    }
  }
  return step.value
}

/** Does the same as `runSteps`, but synchronously. */
export function runStepsSync<T>(work: Work<T>, perform: (step: Step) => unknown): T {
  let step = work.next()
  while (!step.done) {
    try {
      step = work.next(perform(step.value))
    } catch (error) {
      step = work.throw(error)
    }
  }
  return step.value
}
