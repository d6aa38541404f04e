import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createMemoryJournal, PaymentsClient } from 'payments-client'
import { createJournal } from 'payments-client/sqlite'
import { paymentIn } from '../fixtures/formats.mjs'
import { creation } from '../fixtures/payments.mjs'

/** Returns functions that create a payment without a network: without a journal, and with each one in this process. */
export async function open() {
  const database = new DatabaseSync(join(mkdtempSync(join(tmpdir(), 'journal-')), 'journal.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  const sqlite = createJournal(database)
  await sqlite.migrate()
  const body = paymentIn.ours(0)
  const fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } })
  const journals = { none: undefined, memory: createMemoryJournal(), sqlite }
  return Object.fromEntries(
    Object.entries(journals).map(([name, journal]) => {
      const client = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.test', fetch, journal })
      return [name, async (index) => (await client.payments.create(creation(index))).amount]
    }),
  )
}
