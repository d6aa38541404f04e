import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inject } from 'vitest'
import { run } from '../package/consumer.js'
import { driver } from '../stores/drivers.js'
import { account, apps } from './app.js'
import { migration } from './guides.js'
import type { Server } from './servers.js'

interface ShopDatabase {
  /** The environment variables that tell a guide's server which database to use. */
  readonly env: Readonly<Record<string, string>>
  /** Lets other processes continue the operations of a dead process immediately, instead of after a minute. */
  expireClaims(): Promise<unknown>
}

const expireClaims = 'UPDATE payments_client_claims SET expires_at = 0'

/** Creates an empty database for a guide's server. */
export function openDatabase({ database }: Pick<Server, 'database'>): Promise<ShopDatabase> {
  return database === 'postgres' ? openPostgres() : openSqlite()
}

async function openSqlite(): Promise<ShopDatabase> {
  const DATABASE = join(mkdtempSync(join(tmpdir(), 'shop-')), 'shop.db')
  return { env: { DATABASE }, expireClaims: async () => new DatabaseSync(DATABASE).exec(expireClaims) }
}

let databases = 0

/** Creates the tables by running the command in the guide. */
async function openPostgres(): Promise<ShopDatabase> {
  const { Client } = driver('pg')
  const query = async (connectionString: string, sql: string) => {
    const client = new Client({ connectionString })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  const url = new URL(inject('postgresUrl'))
  const name = `shop_${process.pid}_${++databases}`
  await query(url.href, `CREATE DATABASE ${name}`)
  url.pathname = name
  const env = { DATABASE_URL: url.href }
  await run(process.execPath, ['--eval', migration], join(apps, 'guides/aws-lambda-postgres'), { ...account, ...env })
  return { env, expireClaims: () => query(url.href, expireClaims) }
}
