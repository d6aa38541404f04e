import { ConfigurationError } from '../../core/errors.js'
import { checkQueries } from '../../core/internal/queries.js'
import { run, type Steps } from '../steps.js'
import { connect, type SqliteDatabase } from './connection.js'

/**
 * Returns functions that perform steps synchronously: `run` in the current transaction, and `transaction` in its own.
 *
 * @param functions The functions of the merchant that the steps call, for error messages.
 */
export function sqliteSteps(database: SqliteDatabase, functions: string) {
  const { query, transaction } = connect(database)
  const perform = <T>(steps: Steps<T>) =>
    run(steps, (step) => {
      if (typeof step === 'function') return requireSynchronous(step(database), functions)
      return query(step.sql, step.values)
    })
  return { query, run: perform, transaction: <T>(work: () => Steps<T>) => transaction(() => perform(work())) }
}

/** Throws if a function of the merchant continues after its transaction, or returns queries that have not run. */
function requireSynchronous(returned: unknown, functions: string): void {
  const results = [returned].flat()
  for (const result of results) if (result instanceof Promise) result.catch(() => {})
  if (results.some((result) => typeof Object(result).then === 'function')) {
    throw new ConfigurationError(
      `${functions} must be synchronous with SQLite, because other statements share the connection`,
    )
  }
  checkQueries(results)
}
