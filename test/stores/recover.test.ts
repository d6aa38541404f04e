import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PaymentsClient, type RecoveryReport } from 'payments-client'
import * as postgres from 'payments-client/postgres'
import { createSandbox } from 'payments-client/sandbox'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { evaluate } from '../support/snippets.js'
import { driver } from './drivers.js'
import { journalPrograms, startProgram, writePrograms } from './programs.js'

const page = 'docs/guides/durable-operations.md'
const folder = writePrograms('recover', journalPrograms)

interface Pool extends postgres.PgPool {
  end(): Promise<void>
}

interface Refunds {
  readonly client: PaymentsClient
  readonly pool: Pool
  migrate(): Promise<void>
  planRefund(key: string, paymentId: string, amount: number): Promise<void>
  runRefund(key: string): Promise<unknown>
  recover(): Promise<RecoveryReport>
}

/** Starts a sandbox, to which clients without options send their requests. */
async function startService() {
  const sandbox = createSandbox()
  const service = await sandbox.listen()
  vi.stubEnv('PAYMENTS_BASE_URL', service.url)
  vi.stubEnv('PAYMENTS_API_KEY', sandbox.apiKey)
  vi.spyOn(Math, 'random').mockReturnValue(0) // makes the client retry without delays
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
    await service.close()
  })
  return sandbox
}

/** Starts a shop with its own database. The shop's refund of 1500 took effect, but the response was lost. */
async function aLostRefund(name: string) {
  const url = new URL(inject('postgresUrl'))
  const server: Pool = new (driver('pg').Pool)({ connectionString: url.href })
  await server.query(`CREATE DATABASE ${name}`)
  await server.end()
  url.pathname = name
  const sandbox = await startService()
  vi.stubEnv('DATABASE_URL', url.href)

  const modules = { pg: driver('pg'), 'payments-client/postgres': postgres }
  const refunds = (await evaluate(journalPrograms['refunds.ts'] ?? '', {}, modules)) as unknown as Refunds
  const { client, pool } = refunds
  onTestFinished(() => pool.end())
  await refunds.migrate()

  const outside = new PaymentsClient(sandbox.clientOptions())
  const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
  const { id } = await outside.payments.create({ ...order, paymentMethodToken: sandbox.tokens.card })
  await outside.payments.capture(id)
  await refunds.planRefund('refund-1', id, 1500)
  sandbox.faults.add({ operation: 'payments.refund', at: 'after', reset: true, times: 3 })
  await expect(refunds.runRefund('refund-1')).rejects.toMatchObject({ outcome: 'unknown' })
  return {
    pool,
    client,
    paymentId: id,
    refunds,
    /** Waits until the refund is settled, and checks that it took effect once. */
    settled: async () => {
      await vi.waitFor(
        async () => {
          const { rows } = await pool.query('SELECT * FROM returns')
          expect(rows).toMatchObject([{ key: 'refund-1', state: 'succeeded', transaction_id: expect.any(String) }])
        },
        { timeout: 60_000, interval: 100 },
      )
      expect(sandbox.ledger.filter(({ operation }) => operation === 'payments.refund')).toMatchObject([
        { amount: 1500 },
      ])
    },
  }
}

/** Starts a program in its own process. */
const start = (file: string) => startProgram(resolve(folder, file), { REDIS_URL: inject('redisUrl') })

describe('recover in examples/recipes/refunds.ts', () => {
  it('does not plan a refund again after the journal has removed its record', async () => {
    const { pool, paymentId, refunds, settled } = await aLostRefund('recover_pruned')
    await refunds.recover()
    await pool.query('TRUNCATE payments_client_operations, payments_client_claims') // as `prune` does after 90 days

    await refunds.planRefund('refund-1', paymentId, 1500)

    await expect(refunds.runRefund('refund-1')).rejects.toThrow('key is not in the journal')
    await settled()
  })

  it('leaves a refund open until the shop has a row in which to store its result', async () => {
    const { pool, refunds, settled } = await aLostRefund('recover_no_row')
    const { rows } = await pool.query('DELETE FROM returns RETURNING *', [])
    const error = vi.spyOn(console, 'error').mockReturnValue()

    const report = await refunds.recover()

    expect([report, error.mock.calls.length]).toEqual([{ finished: 0, open: 1, needsReview: 0 }, 1])
    await pool.query('INSERT INTO returns VALUES ($1, $2, $3)', ['refund-1', rows[0]?.['payment_id'], 1500])
    await refunds.recover()
    await settled()
  })

  it('passes a result to onSettled again after the guide’s SQL has reset it', async () => {
    const { pool, refunds, settled } = await aLostRefund('recover_again')
    await refunds.recover()
    await pool.query("UPDATE returns SET state = 'open', transaction_id = NULL")
    const [, statement = ''] = /`(UPDATE payments_client_operations [^`]*)`/.exec(readFileSync(page, 'utf8')) ?? []

    await pool.query(statement.replace('…', 'refund-1'))
    await refunds.recover()

    await settled()
  })

  it('logs no error for payments, which have no row in the table of refunds', async () => {
    const { client, refunds, settled } = await aLostRefund('recover_payment')
    const order = { orderId: 'order-18', currencyCode: 'EUR', amount: 5000, paymentMethodToken: 'tok_card' }
    await client.payments.create(order, { idempotencyKey: 'pay-order-18-1' })
    const error = vi.spyOn(console, 'error').mockReturnValue()

    await refunds.recover()

    expect(error).not.toHaveBeenCalled()
    await settled()
  })

  it('recovers operations when cron runs it, and exits', async () => {
    const { settled } = await aLostRefund('recover_cron')
    const { child, printed } = start('start-cron.ts')

    const [code] = await once(child, 'exit')

    expect([code, printed().trim()]).toEqual([0, '{ finished: 1, open: 0, needsReview: 0 }'])
    await settled()
  })

  it('recovers operations in a pg-boss job that runs every minute', async () => {
    const { pool, settled } = await aLostRefund('recover_boss')
    const { printed } = start('start-pg-boss.ts')
    const schedule = async () => {
      const { rows } = await pool.query('SELECT name, cron FROM pgboss.schedule').catch(() => ({ rows: [] }))
      expect(rows, printed()).toEqual([{ name: 'recover', cron: '* * * * *' }])
    }
    await vi.waitFor(schedule, { timeout: 60_000, interval: 100 })
    const { PgBoss } = driver('pg-boss')
    const boss = await new PgBoss(process.env['DATABASE_URL']).start()
    onTestFinished(() => boss.stop())

    // Adds the job immediately, because the schedule may wait for up to a minute.
    await boss.send('recover')

    await settled()
  })

  it('recovers operations in a BullMQ job that runs every 30 seconds', async () => {
    const { settled } = await aLostRefund('recover_bull')
    start('start-bullmq.ts')

    await settled()

    const redis = new (driver('ioredis').Redis)(inject('redisUrl'))
    onTestFinished(() => redis.disconnect())
    expect(await redis.hget('bull:recover:repeat:recover', 'every')).toBe('30000')
  })
})
