import { createWebhookStore as postgresStore } from '../../../../src/stores/postgres/index.js'
import { createWebhookStore as redisStore } from '../../../../src/stores/redis/index.js'
import type { WebhookContext, WebhookStore } from '../../../../src/webhooks/index.js'
import { driver } from '../../../stores/drivers.js'

export type Engine = 'postgres' | 'redis'

/** A database with a webhook store and a record of which receiver handled which event. */
export interface Database {
  readonly store: WebhookStore
  /** Creates missing tables. */
  prepare(): Promise<void>
  /** Records that a receiver handled an event. */
  record(event: string, receiver: string, context: WebhookContext): Promise<unknown>
  /** Returns the receivers that handled each event, in order. */
  effects(): Promise<Map<string, string[]>>
  close(): Promise<void>
}

/** Opens a database with the driver `pg` or `redis`. */
export const openDatabase: Record<Engine, (url: string) => Promise<Database>> = {
  async postgres(url) {
    const pool = new (driver('pg').Pool)({ connectionString: url, max: 6 })
    const store = postgresStore(pool)
    return {
      store,
      async prepare() {
        await store.migrate()
        await pool.query('CREATE TABLE effects (id serial, event text, receiver text)')
      },
      record: (event, receiver, { transaction }) =>
        (transaction as typeof pool).query('INSERT INTO effects (event, receiver) VALUES ($1, $2)', [event, receiver]),
      async effects() {
        const { rows } = await pool.query(
          'SELECT event, array_agg(receiver ORDER BY id) AS receivers FROM effects GROUP BY 1',
        )
        return new Map(rows.map(({ event, receivers }: { event: string; receivers: string[] }) => [event, receivers]))
      },
      close: () => pool.end(),
    }
  },
  async redis(url) {
    const options = { url, disableOfflineQueue: true, socket: { reconnectStrategy: 50 } }
    const client = driver('redis')
      .createClient(options)
      .on('error', () => {})
    await client.connect()
    return {
      store: redisStore(client),
      async prepare() {},
      record: (event, receiver) => client.rPush(`effects:${event}`, receiver),
      async effects() {
        const keys: string[] = await client.keys('effects:*')
        const receivers = await Promise.all(keys.map((key) => client.lRange(key, 0, -1)))
        return new Map(keys.map((key, index) => [key.slice('effects:'.length), receivers[index]]))
      },
      close: async () => client.destroy(),
    }
  },
}
