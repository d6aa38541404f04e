import { ConfigurationError } from '../../core/errors.js'
import type { Row } from '../database.js'

/** Returns the rows of a result: an array, an object with the field `rows`, or TypeORM's pair of rows and row count. */
export function toRows(result: unknown): Row[] {
  const rows = Array.isArray(result) ? result : Object(result).rows
  return Array.isArray(rows?.[0]) && typeof rows[1] === 'number' ? rows[0] : rows
}

/** Throws if a value is not a transaction of the library, before anything is written. */
export function requireTransaction(isTransaction: boolean, library: string): void {
  if (!isTransaction) {
    throw new ConfigurationError(
      `The transaction must be the value that ${library} passes to the function in its transaction`,
    )
  }
}
