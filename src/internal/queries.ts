import { ConfigurationError } from '../errors.js'

/**
 * Waits for the value that one of your functions returned, which may be an array. The queries of Knex, Drizzle and
 * `postgres` are thenables that run only if they are awaited.
 *
 * @throws {ConfigurationError} A query cannot be awaited and has not run.
 */
export async function awaitQueries(returned: unknown): Promise<void> {
  checkQueries(await Promise.all([await returned].flat()))
}

/** Throws if a value is a query that must be run with its method `execute`, as in Kysely and TypeORM. */
export function checkQueries(results: readonly unknown[]): void {
  if (results.every((result) => typeof Object(result).execute !== 'function')) return
  throw new ConfigurationError('The function returned a query that has not run: call the query’s method execute()')
}
