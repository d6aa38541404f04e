import { ConfigurationError } from '../errors.js'

/**
 * Awaits a value that a caller's function returned. If the value is an array, also awaits its elements. The queries of
 * Knex, Drizzle and `postgres` are thenables that run only if they are awaited.
 *
 * @throws {ConfigurationError} The value or an element is a query that runs only if its method `execute` is called.
 */
export async function awaitQueries(returned: unknown): Promise<void> {
  const result = await returned
  checkQueries(Array.isArray(result) ? await Promise.all(result) : [result])
}

/** Throws if a value is a query that must be run with its method `execute`, as in Kysely and TypeORM. */
export function checkQueries(results: readonly unknown[]): void {
  if (results.every((result) => typeof Object(result).execute !== 'function')) return
  throw new ConfigurationError('The function returned a query that has not run: call the query’s method execute()')
}
