import { createRequire } from 'node:module'

/** Loads a database driver, which is a dependency of this folder rather than of the project. */
export const driver = createRequire(import.meta.url)

/**
 * Returns whether to run all tests of the journals and orders with a driver. The other drivers run the same statements,
 * so only their results and transactions are tested, unless the environment variable ADAPTERS is `all`.
 */
export const isTestedFully = (name: string): boolean =>
  name === 'node:sqlite' || name === 'pg' || process.env['ADAPTERS'] === 'all'

interface Pool {
  connect(): Promise<{ query(text: string): Promise<unknown>; release(): void }>
}

/** Runs a function in a transaction on a pool of the driver `pg`. */
export async function inTransaction(pool: Pool, work: (transaction: unknown) => unknown): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await work(client)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}
