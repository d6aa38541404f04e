import { afterAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import type { Orders } from '../../src/orders/index.js'
import type { Database } from '../../src/stores/postgres/index.js'
import { toDatabase } from '../../src/stores/postgres/to-database.js'
import { testOrders, testOrdersBriefly } from '../orders/behaviour.js'
import { aShop, type OrdersTestDatabase } from '../orders/shop.js'
import { driver, isTestedFully } from './drivers.js'
import { type LibraryPool, libraries } from './libraries.js'
import { startPostgres } from './servers.js'

function toTestDatabase(pool: LibraryPool): OrdersTestDatabase {
  return {
    database: pool.connection,
    write: (transaction, sql) => pool.run(sql, transaction),
    query: async (sql) => pool.run(sql),
    transact: (work) => pool.transaction(async (transaction) => void (await work(transaction))),
    async rollBack(work) {
      const rollback = new Error('Roll back')
      const ending = pool.transaction(async (transaction) => {
        await work(transaction)
        throw rollback
      })
      await expect(ending).rejects.toBe(rollback)
    },
  }
}

const open = async (name: string) => {
  const pool = await (libraries[name] as (typeof libraries)[string])()
  afterAll(() => pool.close())
  return toTestDatabase(pool)
}

describe.each(['pg', 'Prisma'].filter(isTestedFully))('orders in PostgreSQL with %s', async (name) => {
  testOrders(await open(name))
})

describe.each(Object.keys(libraries))('orders in PostgreSQL with the library %s', async (name) => {
  testOrdersBriefly(await open(name))
})

describe('orders in many processes', async () => {
  const test = await open('pg')

  it('runs calls, webhooks, recover and sync at the same time', async () => {
    const { open: openProcess, request, subscribe, sandbox, effects, orders } = await aShop(test)
    subscribe()
    const processes = [orders, openProcess(), openProcess()]
    const ids = ['a', 'b', 'c', 'd', 'e']

    await Promise.all(
      processes.flatMap((process) => [
        ...ids.map(async (id) => {
          await process.pay(id, request())
          await process.capture(id, { id: 'parcel', amount: 5000 })
          await process.refund(id, { id: 'return', amount: 500 })
        }),
        process.recover(),
        process.sync(),
      ]),
    )
    await sandbox.webhooks.flush()

    expect(['create', 'capture', 'refund'].map((name) => effects(`payments.${name}`))).toEqual([5, 5, 5])
    const { data } = await orders.list()
    expect(data.map(({ state, refunded }) => [state, refunded])).toEqual(ids.map(() => ['partially_refunded', 500]))
  })
})

describe.each(Object.keys(libraries))('the lock of an order with %s', async (name) => {
  const pool = await (libraries[name] as (typeof libraries)[string])()
  afterAll(() => pool.close())

  /** Opens a shop. `tries` counts the attempts to lock the order. */
  async function aCountingShop() {
    const database = toDatabase(pool.connection)
    const counted = { tries: 0 }
    const counting: Database = {
      ...database,
      queryIn(transaction, sql, values) {
        if (sql.includes('pg_try_advisory_xact_lock') && values[0] === 'order:17') counted.tries++
        return database.queryIn(transaction, sql, values)
      },
    }
    const test = { ...toTestDatabase(pool), database: counting }
    const shop = await aShop(test)
    /** Locks the order until `start` has tried to lock it more than once. */
    const during = (start: () => unknown) =>
      test.transact(async (transaction) => {
        await shop.orders.cancel('17', {}, { transaction })
        counted.tries = 0
        start()
        await expect.poll(() => counted.tries).toBeGreaterThan(1)
      })
    return { ...shop, test, during }
  }

  it('ends the transaction of a webhook while the order is locked', async () => {
    const { during, pay, orders, sandbox, subscribe } = await aCountingShop()
    const { payment } = await pay(sandbox.tokens.pending)
    subscribe()

    await during(() => sandbox.processor.authorize(String(payment?.id)))
    await sandbox.webhooks.flush()

    expect(await orders.get('17')).toMatchObject({ state: 'authorized' })
  })

  it('ends the transaction of a result while the order is locked', async () => {
    const { during, test, pay, orders } = await aCountingShop()
    await pay()
    await test.transact((transaction) => orders.capture('17', { amount: 1000 }, { transaction }))
    let recovering: Promise<unknown> | undefined

    await during(() => {
      recovering = orders.recover()
    })
    await recovering

    expect(await orders.get('17')).toMatchObject({ captured: 1000 })
  })
})

describe.each(Object.keys(libraries))('onChange that ignores a failed statement, with %s', async (name) => {
  const test = await open(name)

  /** Opens a shop with a captured order, and `careless`: a process whose `onChange` ignores a failed statement. */
  async function aCarelessShop() {
    const shop = await aShop(test)
    const onChange = async (_: unknown, { transaction }: { transaction: unknown }) => {
      await Promise.resolve(test.write(transaction, 'SELECT 1/0')).catch(() => {})
    }
    await shop.sell()
    return { ...shop, careless: shop.open({ onChange }) }
  }

  it.each<[string, message: string, (orders: Orders) => Promise<unknown>]>([
    ['its own', 'retry it unchanged, because orders.recover may execute it', (orders) => orders.refund('17')],
    [
      'the caller’s',
      'PostgreSQL rolls the transaction back, because a statement failed: do not catch the errors of statements',
      (orders) => test.transact((transaction) => orders.refund('17', {}, { transaction })),
    ],
  ])('rejects a refund in %s transaction, and sends nothing', async (_, message, refund) => {
    const { careless, orders, effects } = await aCarelessShop()

    await expect(refund(careless)).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      outcome: 'not_sent',
      message: expect.stringContaining(message),
    })

    await orders.recover()
    expect(effects('payments.refund')).toBe(0)
    expect((await orders.get('17'))?.decisions).toHaveLength(2)
  })

  it('keeps the change for the next recover', async () => {
    const { careless, orders, open: openProcess, request, changes } = await aCarelessShop()
    await openProcess({ onChange: undefined as never }).pay('18', request())

    expect(await careless.recover()).toEqual({ finished: 0, open: 1, needsReview: 0 })

    expect(await orders.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
    expect(changes.at(-1)).toMatchObject({ state: 'authorized', cause: 'planned' })
  })
})

describe.each(['pg', 'postgres'])('orders in a database that is down, with %s', (name) => {
  it('rejects with not_sent, and stores the call after a restart', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const pool = await (libraries[name] as (typeof libraries)[string])(2, server.url)
    onTestFinished(() => pool.close())
    const { orders, request, sandbox, effects } = await aShop(toTestDatabase(pool))
    await server.kill()

    for (const call of [() => orders.pay('17', request()), () => orders.get('17'), () => orders.recover()]) {
      const error = await call().catch((error: unknown) => error)
      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', retry: 'same-key' })
      expect(Object(error).message).toContain('its database failed (see error.cause)')
    }
    expect(sandbox.requests).toHaveLength(0)

    await server.restart()
    await vi.waitFor(() => orders.get('17'))
    expect(await orders.pay('17', request())).toMatchObject({ state: 'authorized' })
    expect(effects('payments.create')).toBe(1)
  })
})

describe('orders with a connection that changes results', () => {
  const postgres = driver('postgres')
  const transform = { ...postgres.camel, undefined: null }
  const sql = postgres(inject('postgresUrl'), {
    max: 5,
    onnotice: () => {},
    transform,
    types: { bigint: postgres.BigInt },
  })
  afterAll(() => sql.end())

  it('stores and reads orders over a connection that changes results', async () => {
    const write = (transaction: unknown, text: string) => Object(transaction).unsafe(text)
    const query = async (text: string) => [...(await sql.unsafe(text))]
    const unused = async () => {}
    const { orders, sell } = await aShop({ database: sql, write, query, transact: unused, rollBack: unused })

    const order = await sell()

    expect(await orders.get('17')).toEqual(order)
    expect((await orders.list()).data).toEqual([order])
  })
})
