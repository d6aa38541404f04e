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
export interface PgClient {
  query(sql: string | PgPreparedQuery, values?: unknown[]): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(error?: Error | boolean): void
}

interface PgPreparedQuery {
  name?: string
  text: string
  values: unknown[]
}

export interface PgResult {
  // biome-ignore lint/suspicious/noExplicitAny: rows have the columns of the caller's query.
  rows: any[]
  rowCount: number | null
}

/** The transaction that a `pg` store passes as `context.transaction`. */
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
