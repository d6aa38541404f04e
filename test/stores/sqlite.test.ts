import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createWebhookStore, migrationSql, type SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { testWebhookStore } from '../../src/testing/index.js'
import { aHandler } from '../webhooks/fixtures.js'
import { testExpiry } from './shared-tests.js'
import { sqliteDrivers, unusualSqliteDrivers } from './sqlite-drivers.js'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe.each(Object.entries(sqliteDrivers))('stores/sqlite with %s', (name, open) => {
  const database = open(':memory:')
  const aStore = async (...[options]: [options?: Parameters<typeof createWebhookStore>[1]]) => {
    const store = createWebhookStore(database, options)
    await store.migrate()
    return store
  }
  const rowsOf = (table: string) =>
    Number((database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n)

  for (const { name, run } of testWebhookStore(aStore)) it(name, run)

  it('shares claims between connections to the same database file', async () => {
    const file = join(folder, `${name.replace(':', '-')}-shared.db`)
    const [first, second] = [createWebhookStore(open(file)), createWebhookStore(open(file))]
    await Promise.all([first.migrate(), second.migrate()])

    const claims = [await first.claim('key', 60_000, 'a'), await second.claim('key', 60_000, 'b')]
    await first.complete('key', 'a')

    expect([...claims, await second.claim('key', 60_000, 'b')]).toEqual(['new', 'busy', 'done'])
  })

  it('waits 5 s for a locked database unless the connection has a busy_timeout', async () => {
    const timeoutOf = (database: SqliteDatabase) =>
      Object.values(database.prepare('PRAGMA busy_timeout').get() as object)[0]
    const [unlimited, limited] = [open(':memory:'), open(':memory:')]
    unlimited.exec('PRAGMA busy_timeout = 0')
    limited.exec('PRAGMA busy_timeout = 70')

    for (const database of [unlimited, limited]) createWebhookStore(database)

    expect([timeoutOf(unlimited), timeoutOf(limited)]).toEqual([5000, 70])
  })

  testExpiry({
    name: 'sqlite',
    webhooks: (options) => createWebhookStore(database, options),
    expire: (table, seconds) => database.exec(`UPDATE ${table} SET expires_at = expires_at - ${seconds * 1000}`),
  })

  it('deletes expired rows after every thousand claims', async () => {
    const store = await aStore({ tablePrefix: 'busy_', rememberFor: 1 })
    await store.claim('old', 1, 'a')
    await store.complete('old', 'a')
    await new Promise((resolve) => setTimeout(resolve, 10))

    for (let index = 0; index < 999; index++) await store.claim('new', 60_000, String(index))

    expect(rowsOf('busy_webhooks')).toBe(1)
  })

  it('adds columns that older tables lack', async () => {
    const store = await aStore({ tablePrefix: 'older_' })
    database.exec('ALTER TABLE older_resources DROP COLUMN previous_ms')

    await store.migrate()

    expect(database.prepare('SELECT previous_ms FROM older_resources').all()).toEqual([])
  })

  it('makes the handler respond 500 until the migration has created the tables', async () => {
    const database = open(':memory:')
    const store = createWebhookStore(database)
    const { deliver, onError } = aHandler({ deduplicate: store })

    const before = await deliver()
    await store.migrate()

    expect([before, await deliver()]).toEqual([500, 200])
    expect(onError).toHaveBeenCalledTimes(1)
  })
})

describe.each(Object.entries(unusualSqliteDrivers))('stores/sqlite with %s', (_, open) => {
  const create = async () => {
    const store = createWebhookStore(open(':memory:'))
    await store.migrate()
    return store
  }

  for (const { name, run } of testWebhookStore(create)) it(name, run)

  it('sets a busy_timeout on its connection', () => {
    const database = open(':memory:')
    database.exec('PRAGMA busy_timeout = 0')

    createWebhookStore(database)

    expect(Object.values(database.prepare('PRAGMA busy_timeout').get() as object).map(Number)).toEqual([5000])
  })
})

describe('createWebhookStore of stores/sqlite', () => {
  it('puts tablePrefix before each table name, by default payments_client_', () => {
    expect(migrationSql({ tablePrefix: 'shop_' })).toContain('CREATE TABLE IF NOT EXISTS "shop_webhooks"')
    expect(migrationSql()).toContain('"payments_client_resources"')
  })

  it.each([
    [{ tablePrefix: 'a"; drop table b' }, 'tablePrefix must be at most 40 letters, digits and underscores'],
    [{ rememberFor: 0 }, 'rememberFor must be a positive integer of milliseconds'],
    [{ prefix: 'a' }, 'prefix is not an option'],
  ])('rejects the options %j, and so does migrationSql', (options, message) => {
    expect(() => migrationSql(options as object)).toThrow(message)
    expect(() =>
      createWebhookStore(sqliteDrivers['node:sqlite']?.(':memory:') as SqliteDatabase, options as object),
    ).toThrow(message)
  })

  it.each([undefined, null, {}, { prepare: () => {} }, 'file.db'])('rejects %j as a database', (database) => {
    expect(() => createWebhookStore(database as unknown as SqliteDatabase)).toThrow(
      'The connection must be a DatabaseSync',
    )
  })
})
