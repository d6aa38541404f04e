import type { Database } from '../database.js'

// The parts of the drivers `pg` and `postgres` that the stores use.

/** The methods of a `pg` `Pool` that the stores use. */
export interface PgPool {
  connect(): Promise<PgClient>
  query(sql: string, values?: unknown[]): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly totalCount: number
  readonly options?: { readonly max?: number }
}

/** The methods of a pool's client that the stores use. */
export interface PgClient extends PgTransaction {
  /** Only in version 8.18 and later. */
  getTransactionStatus?(): string | null
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(error?: Error | boolean): void
}

export interface PgResult {
  // biome-ignore lint/suspicious/noExplicitAny: rows have the columns of the caller's query.
  rows: any[]
  rowCount: number | null
  command?: string
}

/** A client of `pg` whose transaction is open. */
export interface PgTransaction {
  /** Runs a statement in the transaction. Rejects when the transaction has ended. */
  query(sql: string, values?: unknown[]): Promise<PgResult>
}

/** The methods of a `postgres` instance that the stores use. */
export interface PostgresSql {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  (...parameters: any[]): any
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  unsafe(sql: string, parameters?: any[], options?: { prepare?: boolean }): PromiseLike<any>
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  begin(options: string, work: (transaction: any) => any): Promise<any>
  readonly options?: { readonly max?: number }
}

/** A `Pool` from `pg`, a `postgres` instance, or the `Database` of another library. */
export type Connection = PgPool | PostgresSql | Database

/** The type of a connection's transactions. `any` if the connection has no types, as with `pg` without `@types/pg`. */
export type TransactionOf<Value> = 0 extends 1 & Value
  ? Value
  : Value extends Database<infer Transaction>
    ? Transaction
    : Value extends PgPool
      ? ClientOf<Value>
      : Value extends { begin(options: string, work: (transaction: infer Transaction) => unknown): unknown }
        ? Transaction
        : never

/** The client of a `Pool`. The compiler infers from the last overload, so the callback overload of `pg` comes last. */
type ClientOf<Pool> = Pool extends { connect: { (): Promise<infer Client>; (callback: never): void } }
  ? Client
  : PgTransaction

/** A `Database` whose transactions also report a lost connection, if the driver does. */
export interface OwnDatabase<Transaction = unknown> extends Database<Transaction> {
  transaction<T>(work: (transaction: Transaction, lost?: AbortSignal) => Promise<T>): Promise<T>
  /** The maximum number of connections in the pool, if it is known. */
  readonly max?: number | undefined
}

/** Thrown if a query is sent after the end of its transaction. */
export class EndedError extends Error {
  constructor() {
    super('The transaction has ended: its connection was lost, or your function did not await this query')
  }
}

/** Thrown if a statement failed and its error was caught. PostgreSQL then only rolls back, even on COMMIT. */
export class RolledBackError extends Error {
  readonly code = '25P02'

  constructor() {
    super('PostgreSQL rolled the transaction back, because a statement failed: do not catch the errors of statements')
  }
}
