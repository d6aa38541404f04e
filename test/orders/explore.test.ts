import { DatabaseSync } from 'node:sqlite'
import { PaymentsClient } from 'payments-client'
import { createOrders } from 'payments-client/orders'
import { explore } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { createShop } from '../../examples/orders/sqlite.js'
import { type ExploredEngine, explorationOf, type Shop, type ShopOptions } from './exploration.js'

const budget = Number(process.env['RUNS'] ?? 5)

/** Mistakes in `onChange` and in callers that every run shows. */
const obviousMistakes = [
  'onChange ignores webhooks',
  'onChange stores only the first state',
  'onChange is missing',
  'onChange adds captured amounts',
  'onChange ships as soon as the order is paid',
  'each retry has a new order ID',
] as const
/** Mistakes that only some faults and crashes show. */
const hiddenMistakes = [
  'onChange ignores recover',
  'onChange swallows its errors',
  'recover is never called',
  'sync is never called',
  'each retry has a new parcel',
  'each retry has a new return',
] as const
type Mistake = (typeof obviousMistakes | typeof hiddenMistakes)[number]

/** Does the same as the example's shop, but with a mistake. */
async function createWrongShop(
  database: DatabaseSync,
  { webhookSecret, ...options }: ShopOptions,
  mistake: Mistake,
): Promise<Shop> {
  database.exec(
    'CREATE TABLE IF NOT EXISTS sales (id TEXT PRIMARY KEY, state TEXT, captured INTEGER, may_ship INTEGER)',
  )
  const adds = mistake === 'onChange adds captured amounts'
  const save = database.prepare(`INSERT INTO sales VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    state = excluded.state, captured = ${adds ? 'sales.captured + ' : ''}excluded.captured, may_ship = excluded.may_ship`)
  let changes = 0
  const orders = createOrders({
    client: new PaymentsClient(options),
    database,
    onChange({ id, state, captured, mayShip }, { cause }) {
      changes++
      if (mistake === 'onChange ignores webhooks' && cause === 'webhook') return
      if (mistake === 'onChange ignores recover' && cause === 'recover') return
      if (
        mistake === 'onChange stores only the first state' &&
        rowsOf(database, `SELECT * FROM sales WHERE id = '${id}'`)[0]
      )
        return
      if (mistake === 'onChange swallows its errors' && changes % 3 === 0) return
      const ships = mistake === 'onChange ships as soon as the order is paid' ? state === 'paid' : mayShip
      if (mistake !== 'onChange is missing') save.run(id, state, captured, Number(ships))
    },
  })
  await orders.migrate()
  let retries = 0
  const unique = (id: string, when: Mistake) => (mistake === when ? `${id}-${retries++}` : id)
  const { pay } = orders
  orders.pay = (id, ...others) => pay.call(orders, unique(id, 'each retry has a new order ID'), ...others)
  return {
    orders,
    webhooks: orders.webhooks({ secret: webhookSecret }),
    packParcel: (id, parcel, amount) =>
      orders.capture(id, { id: unique(parcel, 'each retry has a new parcel'), amount }),
    acceptReturn: (id, number, amount) => orders.refund(id, { id: number, amount }),
    async jobs() {
      if (mistake !== 'recover is never called') await orders.recover()
      if (mistake !== 'sync is never called') await orders.sync()
    },
  }
}

const sqliteEngine = (mistake?: Mistake): ExploredEngine<DatabaseSync> => ({
  open: () => new DatabaseSync(':memory:'),
  start(database, options, clock) {
    // Makes SQLite return the virtual time.
    database.function('unixepoch', { varargs: true }, () => clock.now() / 1000)
    return mistake ? createWrongShop(database, options, mistake) : createShop(database, options)
  },
  query: rowsOf,
  close: (database) => database.close(),
})

const rowsOf = (database: DatabaseSync, sql: string) => database.prepare(sql).all() as Record<string, unknown>[]

function wrongExplorationOf(mistake: Mistake) {
  let returns = 0
  const toReturn = () => (mistake === 'each retry has a new return' ? `return-2-${returns++}` : 'return-2')
  return explorationOf(sqliteEngine(mistake), toReturn)
}

describe('a shop that uses orders', () => {
  it('stays correct after faults and crashes', async () => {
    const report = await explore({ ...explorationOf(sqliteEngine()), budget })

    expect(report.failures.map(({ rule, message, replay }) => ({ rule, message, replay }))).toEqual([])
  })

  const failuresOf = async (mistake: Mistake, runs: number) =>
    (await explore({ ...wrongExplorationOf(mistake), budget: runs })).failures

  it.each(obviousMistakes)('fails explore() if %s', async (mistake) => {
    expect(await failuresOf(mistake, 4)).not.toEqual([])
  })

  it.runIf(process.env['RUNS']).each(hiddenMistakes)('fails explore() after faults if %s', async (mistake) => {
    expect(await failuresOf(mistake, budget)).not.toEqual([])
  })
})
