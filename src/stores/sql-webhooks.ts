import { storableText } from '../operations/rules.js'
import type { ClaimResult, WebhookStore } from './contract.js'
import type { Row } from './database.js'
import { storeTables } from './journal-columns.js'
import type { SqlDatabase } from './steps.js'
import { columnOf, occasionally, type SqlMaintenance, toNumber } from './store-options.js'

/** The functions of a webhook store in an SQL database, without `transact`. */
export type SqlWebhookStore = Required<Omit<WebhookStore, 'transact'>> & SqlMaintenance

/**
 * Creates a webhook store in an SQL database.
 *
 * @param rememberMs Milliseconds to keep completed deliveries and event times.
 */
export function sqlWebhookStore(
  database: SqlDatabase,
  rememberMs: number,
): SqlWebhookStore & { pruneOccasionally(): Promise<void> | undefined } {
  const { query } = database
  const sql = webhookStatements(database)
  const one = async (text: string, ...values: (string | number)[]) => (await query(text, values))[0]
  const isChanged = async (text: string, ...values: (string | number)[]) => (await one(text, ...values)) !== undefined

  // Expired claims are kept for some time, because their owners may still complete them.
  const prune = async () =>
    (await query(sql.pruneWebhooks, [rememberMs])).length + (await query(sql.pruneResources, [])).length
  const pruneOccasionally = occasionally(prune)

  return {
    async claim(key, ttlMs, owner) {
      await pruneOccasionally()
      if (await isChanged(sql.claim, key, owner, ttlMs)) return 'new'
      const row = await one(sql.status, key)
      // If the row is missing, another process has just released its claim. The result `busy` makes the service deliver
      // the webhook again.
      return row ? (columnOf(row, 'status') as ClaimResult) : 'busy'
    },
    renew: (key, ttlMs, owner) => isChanged(sql.renew, key, owner, ttlMs),
    complete: (key, owner) => isChanged(sql.complete, key, owner, rememberMs),
    release: async (key, owner) => void (await query(sql.release, [key, owner])),
    advance: async (resource, timeMs) => toMs(await one(sql.advance, storableText(resource), rememberMs, timeMs)),
    newest: async (resource) => toMs(await one(sql.newest, storableText(resource))),
    migrate: () => database.migrate(storeTables),
    prune,
    pruneOccasionally,
  }
}

/** Converts the column `us` of a row, which contains microseconds or null, to milliseconds. */
function toMs(row: Row | undefined): number | undefined {
  const microseconds = toNumber(row?.['us'])
  return microseconds === undefined ? undefined : microseconds / 1000
}

const text = (number: number) => `CAST($${number} AS text)`
const number = (number: number) => `CAST($${number} AS float8)`

/** Returns the SQL that records an event time. `row` is a VALUES or SELECT clause. */
export const advanceSql = (resources: string, row: string): string => `
  INSERT INTO ${resources} AS known (resource, time_ms, expires_at) ${row}
  ON CONFLICT (resource) DO UPDATE SET previous_ms = known.time_ms, expires_at = excluded.expires_at,
    time_ms = CASE WHEN known.time_ms > excluded.time_ms THEN known.time_ms ELSE excluded.time_ms END`

function webhookStatements({ dialect: { now, after }, table }: SqlDatabase) {
  const [webhooks, resources] = [table('webhooks'), table('resources')]
  // Converts to an integer, because PostgreSQL returns floats with fewer digits if `extra_float_digits` is 0.
  const microseconds = (ms: string) => `CAST(CAST(round(${ms} * 1000) AS bigint) AS text) AS us`
  return {
    claim: `
      INSERT INTO ${webhooks} AS known (key, owner, expires_at) VALUES (${text(1)}, ${text(2)}, ${after('$3')})
      ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
        WHERE known.expires_at <= ${now} OR known.owner = excluded.owner
      RETURNING key`,
    status: `SELECT CASE WHEN owner IS NULL THEN 'done' ELSE 'busy' END AS status FROM ${webhooks} WHERE key = ${text(1)}`,
    renew: `UPDATE ${webhooks} SET expires_at = ${after('$3')}
      WHERE key = ${text(1)} AND owner = ${text(2)} RETURNING key`,
    complete: `UPDATE ${webhooks} SET owner = NULL, expires_at = ${after('$3')}
      WHERE key = ${text(1)} AND owner = ${text(2)} RETURNING key`,
    release: `DELETE FROM ${webhooks} WHERE key = ${text(1)} AND owner = ${text(2)} RETURNING key`,
    /** Records an event time and returns the newest time that was recorded before, or null. */
    advance: `${advanceSql(resources, `VALUES (${text(1)}, ${number(3)}, ${after('$2')})`)}
      RETURNING ${microseconds('previous_ms')}`,
    newest: `SELECT ${microseconds('time_ms')} FROM ${resources} WHERE resource = ${text(1)}`,
    pruneWebhooks: `DELETE FROM ${webhooks}
      WHERE expires_at <= ${now} AND (owner IS NULL OR expires_at <= ${after(`-${number(1)}`)}) RETURNING key`,
    pruneResources: `DELETE FROM ${resources} WHERE expires_at <= ${now} RETURNING resource`,
  }
}
