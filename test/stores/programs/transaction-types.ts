// Compiled by ../compile.test.ts with the types of the libraries.
import { DatabaseSync } from 'node:sqlite'
import type { PrismaClient } from '@prisma/client'
import { sql } from 'drizzle-orm'
import { drizzle as drizzlePg, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js'
import type { Knex } from 'knex'
import type { Kysely, Transaction } from 'kysely'
import { PaymentsClient } from 'payments-client'
import { createOrders, type Orders } from 'payments-client/orders'
import {
  createWebhookStore,
  type Database,
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPrisma,
  fromTypeOrm,
} from 'payments-client/postgres'
import { createHandler, createMemoryStore, type WebhookContext, type WebhookStore } from 'payments-client/webhooks'
import pg from 'pg'
import postgres from 'postgres'
import type { DataSource, EntityManager } from 'typeorm'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const check = <IsTrue extends true>(_: IsTrue[]): void => {}

interface Tables {
  orders: { payment_id: string; status: string | null }
}
type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0]
type DrizzleTransaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0]
type TransactionOf<Store> = Store extends WebhookStore<infer Transaction> ? Transaction : never

declare const prisma: PrismaClient
declare const kysely: Kysely<Tables>
declare const knex: Knex
declare const dataSource: DataSource
const pool = new pg.Pool()
const instance = postgres()

const stores = {
  pg: createWebhookStore(pool),
  postgres: createWebhookStore(instance),
  prisma: createWebhookStore(fromPrisma(prisma, { timeout: 1, maxWait: 1 })),
  drizzlePg: createWebhookStore(fromDrizzle(drizzlePg({ client: pool }), sql)),
  drizzlePostgres: createWebhookStore(fromDrizzle(drizzlePostgres({ client: instance }), sql)),
  kysely: createWebhookStore(fromKysely(kysely)),
  knex: createWebhookStore(fromKnex(knex)),
  typeorm: createWebhookStore(fromTypeOrm(dataSource)),
}

check<Equal<TransactionOf<typeof stores.pg>, pg.PoolClient>>([])
check<Equal<TransactionOf<typeof stores.postgres>, postgres.TransactionSql>>([])
check<Equal<TransactionOf<typeof stores.prisma>, PrismaTransaction>>([])
check<Equal<TransactionOf<typeof stores.kysely>, Transaction<Tables>>>([])
check<Equal<TransactionOf<typeof stores.knex>, Knex.Transaction>>([])
check<Equal<TransactionOf<typeof stores.typeorm>, EntityManager>>([])

declare const drizzleTransaction: TransactionOf<typeof stores.drizzlePg>
export const sameDrizzleTransaction: Pick<DrizzleTransaction, 'execute' | 'rollback'> = drizzleTransaction

const secret = 'a secret of at least 16 bytes'
const options = { secret, deduplicate: stores.pg }

createHandler({
  secret,
  deduplicate: stores.prisma,
  on: {
    'PAYMENT.STATUS': async ({ payment }, { transaction }) => {
      await transaction.order.update({ where: { paymentId: payment.id }, data: { status: 'SETTLED' } })
      // @ts-expect-error A transaction of Prisma is not a client of pg.
      await transaction.query('SELECT 1')
    },
  },
  onUnrecognized: (_, { transaction }) => transaction.order.count(),
})
createHandler({
  ...options,
  on: {
    'PAYMENT.STATUS': async ({ payment }, { transaction }) => {
      const { rows } = await transaction.query<{ status: string }>('SELECT status FROM orders WHERE id = $1', [
        payment.id,
      ])
      const db = drizzlePg({ client: transaction })
      await db.execute(`SELECT '${rows[0]?.status}'`)
    },
  },
})
createHandler({
  secret,
  deduplicate: stores.kysely,
  // @ts-expect-error The store has another library's transactions.
  on: { 'PAYMENT.STATUS': (_, context: WebhookContext<EntityManager>) => context.transaction.query('SELECT 1') },
})
createHandler({
  secret,
  deduplicate: createMemoryStore(),
  // @ts-expect-error A memory store has no transactions.
  on: { 'PAYMENT.STATUS': (_, { transaction }) => transaction.query('SELECT 1') },
})

const wrong = fromKysely(kysely)
// @ts-expect-error A transaction of Knex is not a transaction of Kysely.
export const mismatch: Promise<unknown> = wrong.queryIn(0 as unknown as Knex.Transaction, 'SELECT 1', [])
// @ts-expect-error A data source is not an instance of Kysely.
fromKysely(dataSource)
// @ts-expect-error A client is not a pool.
createWebhookStore(new pg.Client())

export const byHand: Database<pg.PoolClient> = {
  query: async (sql, values) => (await pool.query(sql, [...values])).rows,
  transaction: () => Promise.reject(new Error('not used')),
  queryIn: async (client, sql, values) => (await client.query(sql, [...values])).rows,
}
check<Equal<TransactionOf<ReturnType<typeof createWebhookStore<typeof byHand>>>, pg.PoolClient>>([])

type OrdersTransactionOf<Value> = Value extends Orders<infer Given> ? Given : never
const client = new PaymentsClient()
const database = new DatabaseSync(':memory:')
const orders = {
  pg: createOrders({ client, database: pool, onChange: (_, { transaction }) => transaction.release }),
  prisma: createOrders({
    client,
    database: fromPrisma(prisma),
    onChange: ({ id, state }, { transaction }) => transaction.sale.update({ where: { id }, data: { state } }),
  }),
  sqlite: createOrders({ client, database, onChange: (_, { transaction }) => transaction.exec('SELECT 1') }),
}
check<Equal<OrdersTransactionOf<typeof orders.pg>, pg.PoolClient>>([])
check<Equal<OrdersTransactionOf<typeof orders.prisma>, PrismaTransaction>>([])
check<Equal<OrdersTransactionOf<typeof orders.sqlite>, DatabaseSync>>([])
prisma.$transaction((transaction) => orders.prisma.refund('17', {}, { transaction }))
// @ts-expect-error A transaction of Prisma is not a client of pg.
prisma.$transaction((transaction) => orders.pg.refund('17', {}, { transaction }))
orders.prisma.webhooks({
  secret,
  on: { 'PAYMENT.STATUS': (_, { transaction }) => transaction.sale.count() },
})
// @ts-expect-error The amount is missing.
orders.pg.pay('17', { paymentMethodToken: 'tok', currencyCode: 'EUR' })
