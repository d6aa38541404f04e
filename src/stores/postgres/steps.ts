import type { Deadline } from '../../core/internal/deadline.js'
import { awaitQueries } from '../../core/internal/queries.js'
import { run, type Steps } from '../steps.js'
import { lockStatements, type Names } from './journal-sql.js'
import { toDatabase } from './to-database.js'
import { isolated, retried, slotsOf } from './transactions.js'
import type { Connection } from './types.js'

const lockRetryMs = 25

/**
 * Returns functions that perform steps.
 *
 * @param names The names of the journal's tables, whose locks the steps share.
 * @param hasHook Whether steps call functions of the merchant.
 */
export function postgresSteps(connection: Connection, names: Names, hasHook: boolean) {
  const database = toDatabase(connection)
  const { lock, tryLock } = lockStatements(names)
  const slots = slotsOf(database)
  const runIn = <T>(steps: Steps<T>, transaction?: unknown) =>
    run(steps, async (step) => {
      if (typeof step === 'function') return awaitQueries(await step(transaction))
      const { sql, values } = step
      return transaction === undefined ? database.query(sql, values) : database.queryIn(transaction, sql, values)
    })
  return {
    /** Performs steps in an open transaction, or outside one. */
    run: runIn,
    /** Waits in an open transaction until no other transaction has locked the resource. */
    *lock(resource: string): Steps<void> {
      yield { sql: lock, values: [resource] }
    },
    /**
     * Performs steps in a transaction of its own, which locks the resource. Waits without a connection.
     *
     * @throws {Interrupted} The deadline passed before the transaction began.
     */
    async transaction<T>(resource: string | undefined, work: () => Steps<T>, deadline: Deadline): Promise<T> {
      const attempt = () =>
        isolated(database, async (query, transaction) => {
          const [row] = resource === undefined ? [{ locked: 'true' }] : await query(tryLock, [resource])
          return Object.values(Object(row))[0] === 'true' ? { value: await runIn(work(), transaction) } : undefined
        })
      for (;;) {
        await deadline.run(async (cutoff) => {
          if (hasHook && !slots.takeFree()) await slots.wait(cutoff)
        })
        // A transaction that calls a function of the merchant is not retried, and leaves connections for this function.
        const done = await (hasHook ? attempt().finally(() => slots.release()) : retried(attempt))
        if (done) return done.value
        await deadline.sleep(lockRetryMs)
      }
    },
  }
}
