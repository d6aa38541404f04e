import type { JournalStore, ListFilter, Place } from '../operations/journal.js'
import { toOpenCounts } from '../operations/record.js'
import type { Change, Held } from '../operations/rules.js'
import type { Row } from './database.js'
import {
  fromClaimColumns,
  fromColumns,
  fromColumnsOrDamaged,
  isOpen,
  isOpenPayment,
  journalTables,
  toClaimColumns,
  toColumns,
} from './journal-columns.js'
import { query, type SqlDatabase, type Steps, type Value } from './steps.js'
import { columnOf } from './store-options.js'
import { type Column, insertSql, parameter } from './tables.js'

export function sqlJournalStore(database: SqlDatabase): JournalStore {
  const sql = journalStatements(database)
  const select = async (text: string, ...values: (Value | undefined)[]) =>
    database.query(
      text,
      values.map((value) => value ?? null),
    )

  /** Reads the stored state and stores the change that `work` computes from it. */
  function* apply<T>(place: Place, work: (held: Held) => Change<T>, read: string): Steps<T> {
    for (;;) {
      const { resource, key, orderId } = place
      const [row] = yield* query(read, resource, key)
      const creates = orderId === undefined ? [] : yield* query(sql.openPayments, orderId, key)
      const held = heldIn(row, creates)
      const change = work(held)
      if (change.row) {
        const stored = yield* query(held.row ? sql.replaceRecord : sql.insertRecord, ...toColumns(change.row))
        // Reads again, because another transaction has stored a record with this key in the meantime.
        if (stored.length === 0) continue
      }
      const { result, claim, learned, hook } = change
      if (claim) yield* query(sql.replaceClaim, ...toClaimColumns(resource, claim))
      if (learned) yield* query(sql.insertClaim, ...toClaimColumns(learned.resource, learned.claim))
      if (hook) {
        const before = yield* query(sql.activity)
        yield (transaction) => hook.call(transaction)
        const after = yield* query(sql.activity)
        hook.onEnd(columnOf(before[0], 'activity') === columnOf(after[0], 'activity'))
      }
      return result
    }
  }

  /** Locks only orders, whose payments depend on each other. A lock on a payment would delay its running operations. */
  function* applyWithin<T>(place: Place, work: (held: Held) => Change<T>): Steps<T> {
    if (place.orderId !== undefined) {
      yield* database.lock(place.resource)
      yield* query(sql.touchClaim, place.resource)
    }
    return yield* apply(place, work, sql.read)
  }

  const updateIn = <T>(transaction: unknown, place: Place, work: (held: Held) => Change<T>) =>
    database.runWithin(transaction, applyWithin(place, work))

  return {
    name: database.table('operations'),
    isSynchronous: database.isSynchronous,
    update: (place, work, hasHook = false) =>
      database.transaction(place.resource, () => apply(place, work, sql.readForUpdate), hasHook),
    updateIn: async (...parameters) => updateIn(...parameters),
    ...(database.isSynchronous && {
      updateInSync: <T>(...parameters: Parameters<typeof updateIn<T>>) => updateIn(...parameters) as T,
    }),
    async next({ baseUrl, except, unacknowledged }) {
      const [row] = await select(
        unacknowledged ? sql.nextUnacknowledged : sql.nextOpen,
        baseUrl,
        JSON.stringify(except),
      )
      if (row === undefined) return undefined
      const orderId = (row['orderid'] as string | null | undefined) ?? undefined
      return { key: columnOf(row, 'key'), resource: columnOf(row, 'resource'), orderId }
    },
    async countSkipped({ baseUrl, except, unacknowledged }) {
      const [row] = await select(
        unacknowledged ? sql.countSkippedUnacknowledged : sql.countSkippedOpen,
        baseUrl,
        JSON.stringify(except),
      )
      return {
        waiting: Number(columnOf(row, 'waiting')),
        foreign: Number(columnOf(row, 'others')),
        firstForeign: columnOf(row, 'firstother'),
      }
    },
    async find(key) {
      const [row] = await select(sql.find, key)
      return row && fromColumns(columnOf(row, 'record'))
    },
    async list(filter) {
      const given = Object.entries(filter).filter(([, value]) => value !== undefined)
      const conditions = given.map(([name], index) => sql.filters[name as keyof ListFilter](index + 1))
      const where = ['true', ...conditions].join(' AND ')
      const rows = await select(
        `${sql.select} WHERE ${where} ORDER BY created_at, key`,
        ...given.map(([, value]) => String(value)),
      )
      return rows.map((row) => fromColumnsOrDamaged(columnOf(row, 'record')))
    },
    async countOpen() {
      const rows = await select(sql.countOpen)
      return toOpenCounts(rows.map((row) => [columnOf(row, 'state'), Number(columnOf(row, 'number'))]))
    },
    migrate: () => database.migrate(journalTables),
    async prune({ recordsMs, bodiesMs }) {
      const removed = await select(sql.removeRecords, String(recordsMs))
      await select(sql.removeClaims, String(recordsMs))
      const shortened = await select(sql.removeBodies, String(bodiesMs))
      return removed.length + shortened.length
    },
  }
}

/** Returns the statements of a journal. Their results are strings, because libraries read other types differently. */
function journalStatements({ dialect, table }: SqlDatabase) {
  const { nowMs, jsonObject, elements, forUpdate, skipLocked, activity } = dialect
  const [operations, claims] = [table('operations'), table('claims')]
  const [operationColumns = [], claimColumns = []] = journalTables.map(({ columns }) => columns)

  const json = (columns: readonly Column[]) =>
    `CAST(${jsonObject}(${columns.map(({ name }) => `'${name}', ${name}`)}) AS text)`
  const select = `SELECT ${json(operationColumns)} AS record FROM ${operations}`

  const read = (lock: string) => `
    SELECT CAST(${nowMs} AS text) AS now,
      coalesce((SELECT ${json(claimColumns)} FROM ${claims} WHERE resource = ${parameter(1)}), '') AS claim,
      coalesce((SELECT ${json(operationColumns)} FROM ${operations} WHERE key = ${parameter(2)} ${lock}), '') AS record`

  const belongs = `(base_url IS NULL OR base_url = ${parameter(1)})`
  const excluded = `key NOT IN (${elements(parameter(2))})`
  const mayContinue = `${isOpen} AND ${belongs} AND coalesce(not_before, 0) <= ${nowMs}`
  const next = (isWanted: string) => `
    SELECT key, resource, order_id AS orderid FROM ${operations} AS o
    WHERE ${isWanted} AND ${excluded} AND NOT EXISTS (
      SELECT 1 FROM ${claims} AS c WHERE c.resource = o.resource AND c.owner IS NOT NULL AND c.expires_at > ${nowMs})
    ORDER BY claimed_at, created_at, key LIMIT 1 ${skipLocked}`

  const countSkipped = (isWanted: string) => `
    SELECT CAST(count(*) FILTER (WHERE ${belongs}) AS text) AS waiting,
      CAST(count(*) FILTER (WHERE NOT ${belongs}) AS text) AS others,
      coalesce(min(key) FILTER (WHERE NOT ${belongs}), '') AS firstother
    FROM ${operations} WHERE ${excluded} AND ((NOT ${belongs} AND ${isWanted}) OR (${isOpen} AND not_before > ${nowMs}))`

  /** Selects old rows. Skips rows that other transactions have locked, because waiting for them could deadlock. */
  const old = (rows: string, key: string, time: string, condition: string) => `WHERE ${key} IN (
    SELECT ${key} FROM ${rows} WHERE ${condition} AND ${time} <= ${nowMs} - ${parameter(1, dialect.types.bigint)}
    ${skipLocked}) RETURNING ${key}`
  return {
    activity,
    /** `read` does not wait for other transactions. */
    read: read(''),
    readForUpdate: read(forUpdate),
    openPayments: `${select} WHERE order_id = ${parameter(1)} AND key <> ${parameter(2)} AND ${isOpenPayment}
      ORDER BY created_at, key`,
    insertRecord: insertSql(dialect, operations, operationColumns, 'nothing'),
    replaceRecord: insertSql(dialect, operations, operationColumns),
    insertClaim: insertSql(dialect, claims, claimColumns, 'nothing'),
    replaceClaim: insertSql(dialect, claims, claimColumns),
    /**
     * Creates the claim, or writes it unchanged. A stricter isolation level than READ COMMITTED would hide other payments of
     * the order that were stored during the caller's transaction. PostgreSQL then rejects this statement.
     */
    touchClaim: `INSERT INTO ${claims} (resource, expires_at) VALUES (${parameter(1)}, ${nowMs} - 1)
      ON CONFLICT (resource) DO UPDATE SET resource = excluded.resource RETURNING resource`,
    nextOpen: next(mayContinue),
    nextUnacknowledged: next(`acknowledged_at IS NULL AND ${belongs} AND (NOT ${isOpen} OR ${mayContinue})`),
    countSkippedOpen: countSkipped(isOpen),
    countSkippedUnacknowledged: countSkipped('acknowledged_at IS NULL'),
    find: `${select} WHERE key = ${parameter(1)}`,
    select,
    /** The SQL condition of each filter. `number` is the number of its parameter. */
    filters: {
      state: (number) => `state = ${parameter(number)}`,
      paymentId: (number) => `(id = ${parameter(number)} OR payment_id = ${parameter(number)})`,
      orderId: (number) => `order_id = ${parameter(number)}`,
      before: (number) => `created_at < ${parameter(number, dialect.types.bigint)}`,
    } satisfies Record<keyof ListFilter, (number: number) => string>,
    countOpen: `SELECT state, CAST(count(*) AS text) AS number FROM ${operations} WHERE ${isOpen} GROUP BY state`,
    removeRecords: `DELETE FROM ${operations} ${old(operations, 'key', 'finished_at', "state <> 'needs_review'")}`,
    removeClaims: `DELETE FROM ${claims} ${old(claims, 'resource', 'expires_at', 'owner IS NULL')}`,
    removeBodies: `UPDATE ${operations} SET body = NULL ${old(operations, 'key', 'finished_at', 'body IS NOT NULL')}`,
  }
}

function heldIn(row: Row | undefined, creates: readonly Row[]): Held {
  const [claim, record] = [columnOf(row, 'claim'), columnOf(row, 'record')]
  return {
    now: Number(columnOf(row, 'now')),
    claim: claim ? fromClaimColumns(claim) : undefined,
    row: record ? fromColumns(record) : undefined,
    creates: creates.map((create) => fromColumns(columnOf(create, 'record'))),
  }
}
