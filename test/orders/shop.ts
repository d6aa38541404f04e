import { onTestFinished } from 'vitest'
import { PaymentsClient } from '../../src/index.js'
import {
  type ChangeCause,
  createOrders,
  type Order,
  type Orders,
  type OrdersDatabase,
  type OrdersOptions,
} from '../../src/orders/index.js'
import { createSandbox, type Fault, type SandboxOptions } from '../../src/testing/index.js'
import { sign } from '../../src/webhooks/index.js'

/** A database in which orders are tested. */
export interface OrdersTestDatabase {
  /** The value for the option `database`. */
  readonly database: OrdersDatabase
  /** Whether the database is SQLite. */
  readonly isSynchronous?: boolean
  /** Runs a statement in a transaction. Synchronous in a synchronous database. */
  write(transaction: unknown, sql: string): unknown
  /** Runs `work` in a transaction of the caller. */
  transact(work: (transaction: unknown) => Promise<unknown>): Promise<void>
  /** Runs `work` in a transaction of the caller, and rolls it back. */
  rollBack(work: (transaction: unknown) => Promise<unknown>): Promise<void>
  /** Returns rows outside a transaction. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

export interface Change {
  readonly state: Order['state']
  readonly cause: ChangeCause
  readonly mayShip: boolean
}

let shops = 0

/** Starts a shop with its own sandbox and tables. `changes` contains what its function `onChange` received. */
export async function aShop(test: OrdersTestDatabase, options: ShopOptions = {}) {
  const { sandbox: sandboxOptions, failures = [], ...more } = options
  const sandbox = createSandbox(sandboxOptions)
  onTestFinished(() => sandbox.faults.clear())
  const tablePrefix = `o${++shops}_`
  const changes: Change[] = []
  const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0, logLevel: 'off' }))
  const onChange = (order: Order, { transaction, cause }: { transaction: unknown; cause: ChangeCause }) => {
    if (failures.includes(cause)) {
      failures.splice(failures.indexOf(cause), 1)
      throw new Error(`onChange failed at ${cause}`)
    }
    changes.push({ state: order.state, cause, mayShip: order.mayShip })
    return test.write(transaction, `INSERT INTO ${tablePrefix}seen (state) VALUES ('${order.state}')`)
  }
  /** Opens the orders in another process of the shop. */
  const open = (changed: Partial<OrdersOptions> = {}) =>
    createOrders({ client, database: test.database, tablePrefix, onChange, ...more, ...changed } as never) as Orders
  const orders = open()
  await orders.migrate()
  await test.query(`CREATE TABLE ${tablePrefix}seen (state text)`)
  const webhooks = orders.webhooks({ secret: sandbox.webhooks.secret })
  const { tokens } = sandbox
  const request = (paymentMethodToken = tokens.card, amount = 5000) => ({
    paymentMethodToken,
    amount,
    currencyCode: 'EUR',
  })
  return {
    sandbox,
    client,
    orders,
    open,
    changes,
    tablePrefix,
    request,
    webhooks,
    /** Delivers an event that the sandbox does not send. */
    async deliver(event: object) {
      const body = JSON.stringify(event)
      const headers = sign(body, sandbox.webhooks.secret)
      const { status } = await webhooks(new Request('https://shop.example/', { method: 'POST', body, headers }))
      if (status !== 200) throw new Error(`The handler responded ${status}`)
    },
    /** Delivers webhooks from now on. */
    subscribe: () => sandbox.webhooks.subscribe(webhooks),
    pay: (token?: string, amount?: number) => orders.pay('17', request(token, amount)),
    /** Pays for the order 17 and captures the amount. */
    async sell(token?: string) {
      await orders.pay('17', request(token))
      return orders.capture('17')
    },
    /** Loses the next response of an operation, before or after it takes effect. */
    lose: (
      operation: 'create' | 'capture' | 'refund' | 'cancel' | 'resume' | 'get',
      at: 'before' | 'after' = 'after',
    ) => sandbox.faults.add({ operation: `payments.${operation}`, at, reset: true }),
    fail: (operation: 'create' | 'capture' | 'refund' | 'cancel' | 'resume' | 'get', fault: Fault) =>
      sandbox.faults.add({ operation: `payments.${operation}`, ...fault }),
    effects: (type: string) => sandbox.ledger.filter(({ operation }) => operation === type).length,
    seen: async () => (await test.query(`SELECT state FROM ${tablePrefix}seen`)).map(({ state }) => state),
    /** Copies all tables. Returns a function that restores the copies. */
    async backUp() {
      const tables = ['orders', 'payments', 'refunds', 'disputes', 'decisions', 'watermarks', 'operations', 'claims']
      const names = tables.map((table) => tablePrefix + table)
      for (const name of names) await test.query(`CREATE TABLE ${name}_copy AS SELECT * FROM ${name}`)
      return async () => {
        for (const name of names) {
          await test.query(`DELETE FROM ${name}`)
          await test.query(`INSERT INTO ${name} SELECT * FROM ${name}_copy`)
        }
      }
    },
    /** Returns all rows of the orders' tables. */
    async rows() {
      const tables = ['orders', 'payments', 'refunds', 'disputes', 'decisions']
      const read = tables.map((table) => test.query(`SELECT * FROM ${tablePrefix}${table} ORDER BY 1`))
      return (await Promise.all(read)).map((rows) => rows.map(({ changed_at, ...row }) => ({ ...row })))
    },
  }
}

interface ShopOptions extends Partial<Pick<OrdersOptions, 'keyPrefix'>> {
  readonly sandbox?: SandboxOptions
  /** Causes at which `onChange` throws, once each. */
  readonly failures?: ChangeCause[]
  /** Undefined for a process without the function. */
  readonly onChange?: undefined
}
