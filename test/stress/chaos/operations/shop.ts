import { type OperationRecord, PaymentsClient, type RecoveryReport } from '../../../../src/index.js'
import { createJournal, type PgPool } from '../../../../src/stores/postgres/index.js'
import { driver } from '../../../stores/drivers.js'

/** The addresses that a process of the shop needs. */
export interface ShopSettings {
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

  -- Shadows PostgreSQL's own function, so that a test can move the database's clock.
  CREATE SCHEMA moved;
  CREATE TABLE moved.clock (by interval NOT NULL);
  INSERT INTO moved.clock VALUES ('0');
  CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + by FROM moved.clock';`

/** A shop that plans a payment with each order. After the payment, it plans two captures and then two refunds. */
export class Shop {
  readonly client: PaymentsClient
  readonly #settings: ShopSettings
  readonly #pool
  readonly #journal

  constructor(settings: ShopSettings) {
    const { databaseUrl, serviceUrl, apiKey, keyLifetime } = settings
    this.#settings = settings
    const options = '-c search_path=moved,pg_catalog,public'
    this.#pool = new (driver('pg').Pool)({ connectionString: databaseUrl, max: 6, options })
    this.#journal = createJournal(this.#pool as PgPool, { keyLifetime })
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
    await this.#pool.query(tables)
    await this.#pool.query('INSERT INTO carts SELECT generate_series(1, $1::integer)', [orders])
    await this.#journal.migrate()
  }

  /** Advances the database's clock. */
  async pass(ms: number): Promise<void> {
    await this.#pool.query(`UPDATE moved.clock SET by = by + $1 * interval '1 ms'`, [ms])
  }

  /**
   * Turns a cart into an order, and plans the order's payment in the same transaction. Returns undefined if no cart is
   * left.
   */
  async takeOrder(): Promise<number | undefined> {
    const connection = await this.#pool.connect()
    // Without a listener, a lost connection would end the process.
    const ignore = () => {}
    connection.on('error', ignore)
    try {
      await connection.query('BEGIN')
      const { rows } = await connection.query(
        'DELETE FROM carts WHERE id = (SELECT id FROM carts ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id',
      )
      const order: number | undefined = rows[0]?.id
      if (order !== undefined) {
        await connection.query(`INSERT INTO orders VALUES ($1)`, [order])
        await this.client.operations.plan(connection, {
          key: keysOf(order).create,
          operation: 'payments.create',
          body: {
            paymentMethodToken: this.#settings.token,
            orderId: `order-${order}`,
            currencyCode: 'EUR',
            amount: sum(amountsOf(order).captures),
          },
        })
      }
      await connection.query('COMMIT')
      return order
    } catch (error) {
      await connection.query('ROLLBACK').catch(ignore)
      throw error
    } finally {
      connection.off('error', ignore)
      connection.release()
    }
  }

  run(key: string): Promise<unknown> {
    return this.client.operations.run(key, { onSettled: this.#onSettled })
  }

  recover(options: { limit?: number; concurrency?: number }): Promise<RecoveryReport> {
    return this.client.operations.recover({ ...options, onSettled: this.#onSettled })
  }

  /** Stores a result, and plans the next operations of the order in the same transaction. */
  readonly #onSettled = async ({ key, operation, state, paymentId }: OperationRecord, transaction: PgPool) => {
    await transaction.query('INSERT INTO results VALUES ($1, $2)', [key, state])
    if (state !== 'succeeded') return
    const order = Number(key.split('-')[1])
    if (operation === 'payments.create') {
      await transaction.query('UPDATE orders SET payment_id = $2 WHERE id = $1', [order, paymentId])
      await this.#plan(transaction, order, 'capture', paymentId)
    }
    if (operation !== 'payments.capture') return
    await transaction.query('SELECT FROM orders WHERE id = $1 FOR UPDATE', [order])
    const { rows } = await transaction.query(
      `SELECT count(*)::int AS captures FROM results WHERE key = ANY ($1) AND state = 'succeeded'`,
      [keysOf(order).captures],
    )
    if (rows[0]?.['captures'] === 2) await this.#plan(transaction, order, 'refund', paymentId)
  }

  async #plan(transaction: PgPool, order: number, method: 'capture' | 'refund', id = ''): Promise<void> {
    for (const [index, amount] of amountsOf(order)[`${method}s`].entries()) {
      const key = keysOf(order)[`${method}s`][index] as string
      await this.client.operations.plan(transaction, { key, operation: `payments.${method}`, id, body: { amount } })
    }
  }

  async orders(): Promise<{ id: number; payment_id: string | null }[]> {
    return (await this.#pool.query('SELECT * FROM orders ORDER BY id')).rows
  }

  /** Returns how often `onSettled` was called with each key and state, and returned. */
  async results(): Promise<Map<string, number>> {
    const { rows } = await this.#pool.query(
      `SELECT key || ' ' || state AS result, count(*)::int AS times FROM results GROUP BY 1`,
    )
    return new Map(rows.map(({ result, times }: { result: string; times: number }) => [result, times]))
  }

  /**
   * Returns the number of carts that no process has taken, and the number of operations that are open or not
   * acknowledged.
   */
  async progress(): Promise<{ carts: number; open: number }> {
    const { rows } = await this.#pool.query(
      `SELECT (SELECT count(*)::int FROM carts) AS carts, count(*)::int AS open FROM payments_client_operations
       WHERE state IN ('planned', 'sent', 'unknown') OR acknowledged_at IS NULL`,
    )
    return rows[0]
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}
