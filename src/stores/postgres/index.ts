/**
 * Webhook stores and the journal for durable operations in PostgreSQL. Supports the drivers `pg` 8 and `postgres` 3,
 * and Prisma, Drizzle, Kysely, Knex and TypeORM. Processes on many machines can share a store.
 */

export type { Journal } from '../../core/options.js'
export { type DrizzleDatabase, type DrizzleSql, type DrizzleTransaction, fromDrizzle } from '../adapters/drizzle.js'
export { fromKnex, type KnexDatabase, type KnexTransaction } from '../adapters/knex.js'
export { fromKysely, type KyselyDatabase, type KyselyTransaction } from '../adapters/kysely.js'
export { fromPrisma, type PrismaDatabase, type PrismaTransaction } from '../adapters/prisma.js'
export { fromTypeOrm, type TypeOrmDatabase, type TypeOrmTransaction } from '../adapters/typeorm.js'
export type { ClaimResult, WebhookResource, WebhookStore } from '../contract.js'
export type { Database, Row } from '../database.js'
export type { SqlMaintenance, StoreOptions } from '../store-options.js'
export { createJournal, type PostgresJournalOptions } from './journal.js'
export type { Connection, PgClient, PgPool, PgTransaction, PostgresSql, TransactionOf } from './types.js'
export {
  createWebhookStore,
  migrationSql,
  type PostgresStoreOptions,
  type PostgresWebhookStore,
  type PostgresWebhookStoreOptions,
} from './webhook-store.js'
