import { createRequire } from 'node:module'

/** Loads a database driver, which is a dependency of this folder rather than of the project. */
export const driver = createRequire(import.meta.url)

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
