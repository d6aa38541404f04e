import * as z from 'zod'
import { ConfigurationError } from '../core/errors.js'
import { matching, optionsOf, requireOptions, type Shape } from '../core/internal/validation.js'
import type { Row } from './database.js'

/** Options that every shared store accepts. */
export interface StoreOptions {
  /** Time to keep completed deliveries and event times, in milliseconds. @default 604800000, 7 days */
  rememberFor?: number
}

/** The maintenance functions of SQL stores. */
export interface SqlMaintenance {
  /**
   * Creates the tables, and in PostgreSQL also their schema, if they do not exist. Several processes may call it at the
   * same time.
   */
  migrate(): Promise<void>
  /** Deletes expired rows and resolves to their number. `claim` also deletes expired rows occasionally. */
  prune(): Promise<number>
}

const weekMs = 7 * 24 * 60 * 60 * 1000

const rememberForMessage = 'must be a positive integer of milliseconds'
export const rememberFor = z.int(rememberForMessage).positive(rememberForMessage)

/** Accepts names that need no escaping. Reserves space for a suffix, because PostgreSQL allows 63 characters. */
export const identifier = matching(
  /^[A-Za-z_][A-Za-z0-9_]{0,39}$/,
  'must be at most 40 letters, digits and underscores',
)

/** Returns the options with a default for `rememberFor`. Throws a `ConfigurationError` if any are invalid. */
export function storeOptions<T extends StoreOptions>(
  given: T | undefined,
  shape: Shape<T>,
): Partial<T> & { rememberFor: number } {
  return { rememberFor: weekMs, ...requireOptions(given, optionsOf(shape)) }
}

/**
 * Returns a function that runs `prune` on every thousandth call. Ignores errors of `prune`, because a later run deletes
 * the same rows.
 */
export function occasionally(prune: () => unknown): () => Promise<void> | undefined {
  let calls = 0
  const ignoringErrors = async () => {
    try {
      await prune()
    } catch {}
  }
  return () => {
    calls++
    return calls % 1000 === 0 ? ignoringErrors() : undefined
  }
}

const watched = new WeakSet<object>()

/**
 * Prevents Node from ending the process when a connection is lost. The error needs no other handling, because the
 * store's calls also reject and the driver reconnects.
 */
export function ignoreConnectionErrors(connection: { on(event: 'error', listener: () => void): unknown }): void {
  if (watched.has(connection)) return
  watched.add(connection)
  connection.on('error', () => {})
}

/**
 * Returns the value of a column that is never null, as a string.
 *
 * @throws {ConfigurationError} The row has no such column, because the connection renames columns or returns arrays.
 */
export function columnOf(row: Row | undefined, column: string): string {
  const value = row?.[column] ?? undefined
  if (value !== undefined) return String(value)
  throw new ConfigurationError(
    `The results of the connection cannot be read: the column ${column} is missing. Remove options of the connection that rename columns or return arrays`,
  )
}

/** Converts a number from a database, which may be a string or a `bigint`. Returns undefined for null. */
export const toNumber = (value: unknown): number | undefined =>
  (value ?? undefined) === undefined ? undefined : Number(value)
