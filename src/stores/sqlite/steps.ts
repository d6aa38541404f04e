import { ConfigurationError } from '../../core/errors.js'
import { run, type Statement, type Step, type Steps, type Value } from '../steps.js'
import { prepare, type SqliteDatabase, type SqliteStatement } from './connection.js'

/** Returns functions that perform steps synchronously: `run` in the current transaction, and `transaction` in its own. */
export function sqliteSteps(database: SqliteDatabase) {
  const prepared = new Map<string, SqliteStatement>()

  function query({ sql, values }: Statement): unknown {
    // The drivers differ in how they pass numbered parameters, so each occurrence gets a value of its own.
    const ordered: Value[] = []
    const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
      ordered.push(values[number - 1] ?? null)
      return '?'
    })
    const statement = prepared.get(text) ?? prepare(database, text)
    prepared.set(text, statement)
    return text.startsWith('SELECT') ? statement.all(...ordered) : statement.run(...ordered)
  }

  const perform = (step: Step) => (typeof step === 'function' ? requireSynchronous(step(database)) : query(step))
  return {
    run: <T>(steps: Steps<T>) => run(steps, perform),
    transaction<T>(work: () => Steps<T>) {
      database.exec('BEGIN IMMEDIATE')
      try {
        const result = run(work(), perform)
        database.exec('COMMIT')
        return result
      } catch (error) {
        // Ignores an error from ROLLBACK, because a failed COMMIT may already have rolled back.
        try {
          database.exec('ROLLBACK')
        } catch {}
        throw error
      }
    },
  }
}

/** Throws if a function of the merchant continues after its transaction. */
function requireSynchronous(returned: unknown): unknown {
  const pending = [returned].flat().filter((value) => typeof Object(value).then === 'function')
  for (const value of pending) Promise.resolve(value).catch(() => {})
  if (pending.length === 0) return returned
  throw new ConfigurationError(
    'The functions onChange and on must be synchronous with SQLite, because other statements share the connection',
  )
}
