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
try {
  const BetterSqlite = driver('better-sqlite3')
  sqliteDrivers['better-sqlite3'] = (file) => new BetterSqlite(file)
} catch {
  // Only `npm run check -- stores` installs the driver.
}
