import { vi } from 'vitest'
import type { SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { driver } from './drivers.js'

/** Loads `node:sqlite` without Node's warning that it is experimental. */
function nodeSqlite(): typeof import('node:sqlite') {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const sqlite = process.getBuiltinModule('node:sqlite')
  emitWarning.mockRestore()
  return sqlite
}

/** Opens a file with each installed driver. */
export const sqliteDrivers: Record<string, (file: string) => SqliteDatabase> = {
  'node:sqlite': (file) => new (nodeSqlite().DatabaseSync)(file),
}
for (const name of ['better-sqlite3', 'libsql']) {
  try {
    const Database = driver(name)
    sqliteDrivers[name] = (file) => new Database(file)
  } catch {
    // Only `npm run check -- stores` installs the driver.
  }
}

/** Databases with options that change the form of results. */
export const unusualSqliteDrivers: Record<string, (file: string) => SqliteDatabase> = {
  'node:sqlite with returnArrays and readBigInts': (file) =>
    new (nodeSqlite().DatabaseSync)(file, { returnArrays: true, readBigInts: true }),
  /** As `bun:sqlite` does, `get` returns null if there is no row. */
  'a driver that returns null for no row': (file) => {
    const database = new (nodeSqlite().DatabaseSync)(file)
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql)
        return {
          run: (...values) => statement.run(...values),
          all: (...values) => statement.all(...values),
          get: (...values) => statement.get(...values) ?? null,
        }
      },
    }
  },
}
