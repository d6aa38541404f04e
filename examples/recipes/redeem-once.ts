// Redeems a customer's loyalty points for an order once, with PostgreSQL.
import { isPaymentsError, type LoyaltyTransaction, type PaymentsClient, PaymentsError } from 'payments-client'
import type { PgPool } from 'payments-client/postgres'

/** Each attempt is stored before it is sent: redemptions take no idempotency key, and are listed minutes later. */
export const table = `
  CREATE TABLE IF NOT EXISTS redemptions ( -- one row per order
    order_id text PRIMARY KEY,
    value bigint NOT NULL,
    attempt int NOT NULL DEFAULT 1,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    transaction jsonb -- missing until a response has arrived
  )`

export interface Redemption {
  connectionId: string
  customerId: string
  orderId: string
  /** Number of points. */
  value: number
}

class RedemptionError extends PaymentsError {
  readonly code = 'ERR_REDEMPTION'
}

/** Redeems points for an order once. Can be called any number of times, by any process, but not in a transaction. */
export async function redeemOnce(
  client: PaymentsClient,
  pool: PgPool,
  redemption: Redemption,
): Promise<LoyaltyTransaction> {
  const { orderId, value } = redemption
  const select = `SELECT value::float8, attempt, transaction,
    sent_at < clock_timestamp() - interval '4 minutes' AS is_over
    FROM redemptions WHERE order_id = $1`
  const [last] = (await pool.query(select, [orderId])).rows
  if (last && last.value !== value) {
    throw new RedemptionError(`Order ${orderId} redeems ${last.value} points`, { outcome: 'not_sent', retry: 'no' })
  }
  const known: LoyaltyTransaction | undefined = last?.transaction ?? (await findRedemption(client, redemption))
  if (known) return known
  // Stores the attempt. If several processes do this at the same time, only one of them gets a row.
  const store = `INSERT INTO redemptions AS last (order_id, value) VALUES ($1, $2)
    ON CONFLICT (order_id) DO UPDATE SET attempt = last.attempt + 1, sent_at = clock_timestamp()
    WHERE last.attempt = $3 RETURNING attempt`
  const { rows } = !last || last.is_over ? await pool.query(store, [orderId, value, last?.attempt ?? 0]) : { rows: [] }
  if (rows.length === 0) {
    const [latest] = (await pool.query(select, [orderId])).rows // another call may have finished just now
    if (latest?.transaction) return latest.transaction
    const message = `The points of order ${orderId} may be redeemed. Try again in four minutes`
    throw new RedemptionError(message, { outcome: 'unknown', retry: 'check-first' })
  }
  return redeem(client, pool, redemption, rows[0].attempt)
}

async function findRedemption(client: PaymentsClient, { connectionId, orderId }: Redemption) {
  for await (const transaction of client.loyalty.transactions.list({ connectionId, orderId })) {
    if (transaction.orderId === orderId && transaction.type === 'REDEMPTION') return transaction
  }
  return undefined
}

async function redeem(client: PaymentsClient, pool: PgPool, redemption: Redemption, attempt: number) {
  const { orderId } = redemption
  try {
    const body = { ...redemption, type: 'REDEMPTION' as const }
    const transaction = await client.loyalty.transactions.create(body, { totalTimeout: 30_000 })
    await pool.query('UPDATE redemptions SET transaction = $2 WHERE order_id = $1', [orderId, transaction])
    return transaction
  } catch (error) {
    const hadNoEffect = isPaymentsError(error) && error.retry !== 'check-first'
    const allowNext = "UPDATE redemptions SET sent_at = '-infinity' WHERE order_id = $1 AND attempt = $2"
    if (hadNoEffect) await pool.query(allowNext, [orderId, attempt])
    throw error
  }
}
