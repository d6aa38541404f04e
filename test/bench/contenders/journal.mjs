import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createMemoryJournal, PaymentsClient } from 'payments-client'
import { createJournal as createPostgresJournal } from 'payments-client/postgres'
import { createJournal } from 'payments-client/sqlite'
import { paymentIn } from '../fixtures/formats.mjs'
import { creation } from '../fixtures/payments.mjs'

const driver = createRequire(new URL('../../stores/', import.meta.url))

// The table of a shop without a journal, which inserts a row before each request and updates it after the response.
const table =
  'CREATE TABLE payments_by_hand (key text PRIMARY KEY, body text NOT NULL, state text NOT NULL, payment text)'
const insert = (...places) => `INSERT INTO payments_by_hand (key, body, state) VALUES (${places}, 'sent')`
const update = (key, payment) =>
  `UPDATE payments_by_hand SET state = 'succeeded', payment = ${payment} WHERE key = ${key}`

/**
 * Returns functions that create a payment without using the network: without a journal, and with each journal that runs
 * in this process.
 */
export async function local() {
  const database = new DatabaseSync(join(mkdtempSync(join(tmpdir(), 'journal-')), 'journal.db'))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${table}`)
  const sqlite = createJournal(database)
  await sqlite.migrate()
  const inserted = database.prepare(insert('?', '?'))
  const updated = database.prepare(update('?1', '?2'))
  return {
    none: calls(),
    memory: calls(createMemoryJournal()),
    sqlite: calls(sqlite),
    'sqlite by hand': callsByHand(
      (...values) => inserted.run(...values),
      (...values) => updated.run(...values),
    ),
  }
}

/** Returns functions that create a payment with and without a journal in PostgreSQL. */
export async function postgres({ url, lanes }) {
  const pool = new (driver('pg').Pool)({ connectionString: url, max: lanes })
  const sql = driver('postgres')(url, { max: lanes, onnotice: () => {} })
  await pool.query(table)
  const open = async (connection, tablePrefix) => {
    const journal = createPostgresJournal(connection, { tablePrefix })
    await journal.migrate()
    return calls(journal)
  }
  const texts = [insert('$1', '$2'), update('$1', '$2')]
  return {
    none: calls(),
    pg: await open(pool, 'pg_'),
    'pg by hand': callsByHand(
      ...texts.map(
        (text) =>
          (...values) =>
            pool.query(text, values),
      ),
    ),
    postgres: await open(sql, 'postgres_'),
    'postgres by hand': callsByHand(
      ...texts.map(
        (text) =>
          (...values) =>
            sql.unsafe(text, values),
      ),
    ),
  }
}

function calls(journal) {
  const client = createClient(journal)
  return async (index) => (await client.payments.create(creation(index))).amount
}

function callsByHand(before, after) {
  const client = createClient()
  return async (index) => {
    const body = creation(index)
    const idempotencyKey = crypto.randomUUID()
    await before(idempotencyKey, JSON.stringify(body))
    const { id, amount } = await client.payments.create(body, { idempotencyKey })
    await after(idempotencyKey, id)
    return amount
  }
}

function createClient(journal) {
  const payment = JSON.parse(paymentIn.ours(0))
  const { id, ...others } = payment
  const end = JSON.stringify(others).slice(1)
  const fetch = async () =>
    new Response(`{"id":"${crypto.randomUUID()}",${end}`, { headers: { 'content-type': 'application/json' } })
  return new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.test', fetch, journal })
}
