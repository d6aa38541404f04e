import { type OperationRecord, PaymentsClient, type RecoveryReport } from '../../../../src/index.js'
import { createJournal } from '../../../../src/stores/postgres/index.js'
import { type Library, type LibraryName, movableClock, moveClock, openLibrary } from '../library.js'

/** The addresses that a process of the shop needs. */
export interface ShopSettings {
  readonly library: LibraryName
  readonly databaseUrl: string
  readonly serviceUrl: string
  readonly apiKey: string
  readonly token: string
  readonly keyLifetime: number
}

/** The time limit for one request, in milliseconds. */
export const timeoutMs = 2_000

/** The amounts of an order's captures and refunds. In every second order, all amounts are equal. */
export function amountsOf(order: number) {
  return order % 2 === 0
    ? { captures: [2000, 2000], refunds: [700, 700] }
    : { captures: [1500, 3000], refunds: [500, 900] }
}

export const keysOf = (order: number) => ({
  create: `create-${order}`,
  captures: [`capture-${order}-1`, `capture-${order}-2`],
  refunds: [`refund-${order}-1`, `refund-${order}-2`],
})

export const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

const tables = `
  CREATE TABLE public.carts (id integer PRIMARY KEY);
  CREATE TABLE public.orders (id integer PRIMARY KEY, payment_id text);
  -- One row per call of onSettled, so a second call for an operation adds a row.
  CREATE TABLE public.results (key text NOT NULL, state text NOT NULL);
  CREATE INDEX ON public.results (key);
  ${movableClock}`

/** A shop that plans a payment with each order. After the payment, it plans two captures and then two refunds. */
export class Shop {
  readonly client: PaymentsClient
  readonly #settings: ShopSettings
  readonly #library: Library
  /** For the statements of the test itself. */
  readonly #test: Library
  readonly #journal

  constructor(settings: ShopSettings) {
    const { library, databaseUrl, serviceUrl, apiKey, keyLifetime } = settings
    this.#settings = settings
    this.#library = openLibrary[library](databaseUrl)
    this.#test = library === 'pg' ? this.#library : openLibrary.pg(databaseUrl)
    this.#journal = createJournal(this.#library.connection, { keyLifetime })
    this.client = new PaymentsClient({
      apiKey,
      baseUrl: serviceUrl,
      journal: this.#journal,
      timeout: timeoutMs,
      totalTimeout: 5_000,
    })
  }

  /** Creates the tables, and a cart for each order that processes will take. */
  async prepare(orders: number): Promise<void> {
    await this.#test.query(tables)
    await this.#test.query('INSERT INTO carts SELECT generate_series(1, $1::integer)', [orders])
    await this.#journal.migrate()
  }

  /** Advances the database's clock. */
  pass(ms: number): Promise<void> {
    return moveClock(this.#test, ms)
  }

  /**
   * Turns a cart into an order, and plans the order's payment in the same transaction. Returns undefined if no cart is
   * left.
   */
  takeOrder(): Promise<number | undefined> {
    return this.#library.transaction(async (transaction) => {
      const sql =
        'DELETE FROM carts WHERE id = (SELECT id FROM carts ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id'
      const [taken] = await this.#library.query(sql, [], transaction)
      const order: number | undefined = taken?.['id']
      if (order === undefined) return undefined
      await this.#library.query('INSERT INTO orders VALUES ($1::integer)', [order], transaction)
      await this.client.operations.plan(transaction, {
        key: keysOf(order).create,
        operation: 'payments.create',
        body: {
          paymentMethodToken: this.#settings.token,
          orderId: `order-${order}`,
          currencyCode: 'EUR',
          amount: sum(amountsOf(order).captures),
        },
      })
      return order
    })
  }

  run(key: string): Promise<unknown> {
    return this.client.operations.run(key, { onSettled: this.#onSettled })
  }

  recover(options: { limit?: number; concurrency?: number }): Promise<RecoveryReport> {
    return this.client.operations.recover({ ...options, onSettled: this.#onSettled })
  }

  /** Stores a result, and plans the next operations of the order in the same transaction. */
  readonly #onSettled = async ({ key, operation, state, paymentId }: OperationRecord, transaction: unknown) => {
    const query = (sql: string, ...values: unknown[]) => this.#library.query(sql, values, transaction)
    await query('INSERT INTO results VALUES ($1::text, $2::text)', key, state)
    if (state !== 'succeeded') return
    const order = Number(key.split('-')[1])
    if (operation === 'payments.create') {
      await query('UPDATE orders SET payment_id = $2::text WHERE id = $1::integer', order, paymentId)
      await this.#plan(transaction, order, 'capture', paymentId)
    }
    if (operation !== 'payments.capture') return
    await query('SELECT 1 AS locked FROM orders WHERE id = $1::integer FOR UPDATE', order)
    const [found] = await query(
      `SELECT count(*)::int AS captures FROM results WHERE key IN ($1::text, $2::text) AND state = 'succeeded'`,
      ...keysOf(order).captures,
    )
    if (found?.['captures'] === 2) await this.#plan(transaction, order, 'refund', paymentId)
  }

  async #plan(transaction: unknown, order: number, method: 'capture' | 'refund', id = ''): Promise<void> {
    for (const [index, amount] of amountsOf(order)[`${method}s`].entries()) {
      const key = keysOf(order)[`${method}s`][index] as string
      await this.client.operations.plan(transaction, { key, operation: `payments.${method}`, id, body: { amount } })
    }
  }

  async orders(): Promise<{ id: number; payment_id: string | null }[]> {
    return (await this.#test.query('SELECT * FROM orders ORDER BY id')) as { id: number; payment_id: string | null }[]
  }

  /** Returns how often `onSettled` was called with each key and state, and returned. */
  async results(): Promise<Map<string, number>> {
    const rows = await this.#test.query(
      `SELECT key || ' ' || state AS result, count(*)::int AS times FROM results GROUP BY 1`,
    )
    return new Map(rows.map(({ result, times }) => [result, times]))
  }

  /**
   * Returns the number of carts that no process has taken, and the number of operations that are open or not
   * acknowledged.
   */
  async progress(): Promise<{ carts: number; open: number }> {
    const rows = await this.#test.query(
      `SELECT (SELECT count(*)::int FROM carts) AS carts, count(*)::int AS open FROM payments_client_operations
       WHERE state IN ('planned', 'sent', 'unknown') OR acknowledged_at IS NULL`,
    )
    return rows[0] as { carts: number; open: number }
  }

  async close(): Promise<void> {
    await this.#library.close()
    if (this.#test !== this.#library) await this.#test.close()
  }
}
