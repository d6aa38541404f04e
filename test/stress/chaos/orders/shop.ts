import { PaymentsClient } from '../../../../src/index.js'
import { createOrders, type Order, type Orders } from '../../../../src/orders/index.js'
import { type Library, type LibraryName, movableClock, moveClock, openLibrary } from '../library.js'

/** The addresses that a process of the shop needs. */
export interface ShopSettings {
  readonly library: LibraryName
  readonly databaseUrl: string
  readonly serviceUrl: string
  readonly apiKey: string
  readonly tokens: Readonly<Record<string, string>>
  readonly webhookSecret: string
  /** The probability with which `onChange` throws. */
  readonly hookFailures: number
}

/** The time limit for one request, in milliseconds. */
export const timeoutMs = 2_000

export const amount = 5_000

/** The events of an order. In every second order, the amounts of the parcels and of the returns are equal. */
export function planOf(order: number) {
  const kinds = ['cancelled', 'declined', 'slowSettlement', 'requires3ds'] as const
  return {
    id: `order-${order}`,
    kind: kinds[order % 10] ?? 'card',
    parcels: order % 2 === 0 ? [2500, 2500] : [1500, 3500],
    returns: order % 2 === 0 ? [700, 700] : [500, 900],
    /** Whether the shop decides on refunds in its own transactions. */
    isInTransaction: order % 3 === 0,
  }
}

const tables = `
  CREATE TABLE public.carts (id integer PRIMARY KEY, is_done boolean NOT NULL DEFAULT false, visited_at timestamptz);
  CREATE TABLE public.returns (id text PRIMARY KEY);
  -- One row per call of onChange, and one per order that the package stores as handed over.
  CREATE TABLE public.changes (id text, transaction text, hash text, captured bigint, may_ship boolean, at timestamptz);
  CREATE TABLE public.stored (id text, transaction text, hash text);
  CREATE FUNCTION public.note_order() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.unseen_cause IS NULL THEN
      INSERT INTO public.stored VALUES (NEW.id, pg_current_xact_id()::text, md5((NEW.facts::jsonb -> 'order')::text));
    END IF;
    RETURN NULL;
  END $$;
  ${movableClock}`

const trigger = `CREATE TRIGGER note_order AFTER INSERT OR UPDATE ON public.payments_client_orders
  FOR EACH ROW EXECUTE FUNCTION public.note_order()`

/** A call of `onChange` with `mayShip: true`. */
export interface Shipment {
  readonly id: string
  readonly at: number
}

/** A shop that uses only `orders`. */
export class Shop {
  readonly client: PaymentsClient
  readonly orders: Orders
  readonly #settings: ShopSettings
  readonly #library: Library
  /** For the statements of the test itself. */
  readonly #test: Library

  constructor(settings: ShopSettings) {
    const { library, databaseUrl, serviceUrl, apiKey, hookFailures } = settings
    this.#settings = settings
    this.#library = openLibrary[library](databaseUrl)
    this.#test = library === 'pg' ? this.#library : openLibrary.pg(databaseUrl)
    this.client = new PaymentsClient({
      apiKey,
      baseUrl: serviceUrl,
      timeout: timeoutMs,
      totalTimeout: 5_000,
      logLevel: 'off',
    })
    this.orders = createOrders({
      client: this.client,
      database: this.#library.connection,
      onChange: async (order, { transaction }) => {
        await this.#library.query(
          `INSERT INTO changes VALUES ($1::text, pg_current_xact_id()::text, md5($2::text::jsonb::text), $3::text::bigint,
            $4::boolean, clock_timestamp())`,
          [order.id, JSON.stringify(order), String(order.captured), order.mayShip],
          transaction,
        )
        if (Math.random() < hookFailures) throw new HookFailure()
      },
    }) as Orders
  }

  /** Creates the tables, and a cart for each order. */
  async prepare(orders: number): Promise<void> {
    await this.#test.query(tables)
    await this.#test.query('INSERT INTO carts SELECT generate_series(1, $1::integer)', [orders])
    await this.orders.migrate()
    await this.#test.query(trigger)
  }

  pass(ms: number): Promise<void> {
    return moveClock(this.#test, ms)
  }

  /**
   * Returns an order that is not done, and that no process visited in the last seconds. Another process may still be
   * busy with the same order.
   */
  async nextOrder(): Promise<number | undefined> {
    const isIdle = `visited_at IS NULL OR visited_at < pg_catalog.clock_timestamp() - interval '2 s'`
    const [cart] = await this.#library.query(`UPDATE carts SET visited_at = pg_catalog.clock_timestamp() WHERE id = (
      SELECT id FROM carts WHERE NOT is_done AND (${isIdle}) ORDER BY visited_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id`)
    return cart?.['id']
  }

  /** Does what a customer and the staff do, as far as possible now. Calls everything again that was called before. */
  async continueOrder(number: number): Promise<void> {
    const { id, kind, parcels, returns, isInTransaction } = planOf(number)
    if ((await this.orders.get(id))?.state === 'cancelled') return this.#end(number)
    const order = await this.#pay(id, kind, number)
    if (['pending', 'failed', 'action_required'].includes(order.state)) return
    if (kind === 'cancelled') {
      const { state } = await this.orders.cancel(id)
      return state === 'cancelled' ? this.#end(number) : undefined
    }
    for (const [index, part] of parcels.entries()) {
      const { decisions } = await this.orders.capture(id, { id: `parcel-${index}`, amount: part })
      if (decisions.findLast(({ kind }) => kind === 'capture')?.state !== 'succeeded') return
    }
    for (const [index, part] of returns.entries()) {
      const refund = { id: `return-${index}`, amount: part }
      if (isInTransaction) await this.#refundInTransaction(id, refund)
      else await this.orders.refund(id, refund)
    }
    const { refunds = [], decisions = [], payment } = (await this.orders.get(id)) ?? {}
    const refunded = refunds.filter(({ status }) => status === 'SETTLED').length
    const isFinal = decisions.every(({ state }) => !['planned', 'sent', 'unknown'].includes(state))
    if (refunded === returns.length && isFinal && payment?.status === 'SETTLED') await this.#end(number)
  }

  async #pay(id: string, kind: string, number: number): Promise<Order> {
    const { tokens } = this.#settings
    const attempts = (await this.orders.get(id))?.decisions.filter((decision) => decision.kind === 'pay').length ?? 0
    const token = kind === 'declined' && attempts > 0 ? 'card' : kind === 'cancelled' ? 'card' : kind
    const call = () => this.orders.pay(id, { paymentMethodToken: String(tokens[token]), amount, currencyCode: 'EUR' })
    // Some customers click twice.
    const [order] = (await Promise.all(number % 7 === 0 ? [call(), call()] : [call()])) as [Order]
    if (order.state !== 'action_required') return order
    const completed = await fetch(`${this.#settings.serviceUrl}/__sandbox/api/actions/completeAction`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paymentId: order.payment?.id }),
    })
    const { resumeToken } = (await completed.json()) as { resumeToken?: string }
    // Another process may have completed the action already.
    return resumeToken === undefined ? order : this.orders.resume(id, { resumeToken })
  }

  /** Accepts a return and decides on its refund in one transaction. Sometimes rolls both back. */
  async #refundInTransaction(orderId: string, refund: { id: string; amount: number }): Promise<void> {
    try {
      await this.#library.transaction(async (transaction) => {
        const sql = 'INSERT INTO returns VALUES ($1::text) ON CONFLICT DO NOTHING'
        await this.#library.query(sql, [`${orderId} ${refund.id}`], transaction)
        await this.orders.refund(orderId, refund, { transaction })
        if (Math.random() < 0.2) throw new HookFailure()
      })
    } catch (error) {
      if (!(error instanceof HookFailure)) throw error
    }
  }

  async #end(number: number): Promise<void> {
    await this.#library.query('UPDATE carts SET is_done = true WHERE id = $1::integer', [number])
  }

  /** Returns the number of orders that are not done. */
  async openOrders(): Promise<number> {
    const [row] = await this.#test.query('SELECT count(*)::int AS open FROM carts WHERE NOT is_done')
    return row?.['open']
  }

  /** Returns all orders. */
  async all(): Promise<Order[]> {
    const found: Order[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await this.orders.list({ limit: 1000, ...(cursor !== '' && { cursor }) })
      found.push(...page.data)
      cursor = page.nextCursor
    }
    return found
  }

  async shipments(): Promise<Shipment[]> {
    const sql = 'SELECT id, (extract(epoch FROM at) * 1000)::float8 AS at FROM changes WHERE may_ship'
    return (await this.#test.query(sql)) as Shipment[]
  }

  /** Returns the changes that were stored without `onChange`, and calls of `onChange` without a stored change. */
  async unmatchedChanges(): Promise<string[]> {
    const columns = 'SELECT id, transaction, hash FROM'
    const rows = await this.#test.query(`
      (SELECT 'stored without onChange: ' || id AS text FROM (${columns} stored EXCEPT ALL ${columns} changes) AS a)
      UNION ALL
      (SELECT 'onChange without a stored change: ' || id FROM (${columns} changes EXCEPT ALL ${columns} stored) AS b)`)
    return rows.map(({ text }) => text)
  }

  /** Returns the returns whose refund was not decided, and the decisions of returns that were rolled back. */
  async unmatchedReturns(): Promise<string[]> {
    const decided = `SELECT DISTINCT order_id || ' ' || id AS id FROM payments_client_decisions
      WHERE kind = 'refund' AND split_part(order_id, '-', 2)::int % 3 = 0`
    const difference = `(${decided} EXCEPT SELECT id FROM returns) UNION ALL (SELECT id FROM returns EXCEPT ${decided})`
    const rows = await this.#test.query(difference)
    return rows.map(({ id }) => id)
  }

  /** Returns the time in milliseconds after which each payment may not be created any more. */
  async deadlines(): Promise<Map<string, number>> {
    const rows = await this.#test.query(`SELECT key, (coalesce(first_sent_at, created_at) + resend_for)::float8 AS until
      FROM payments_client_operations WHERE operation = 'payments.create'`)
    return new Map(rows.map(({ key, until }) => [key, until + timeoutMs]))
  }

  async close(): Promise<void> {
    await this.#library.close()
    if (this.#test !== this.#library) await this.#test.close()
  }
}

/** The error that `onChange` and transactions of the shop throw at random. */
export class HookFailure extends Error {}
