import { resolve } from 'node:path'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { sign } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret } from '../webhooks/fixtures.js'
import { driver } from './drivers.js'
import { queueExamples, startProgram, writePrograms } from './programs.js'

const folder = writePrograms('queues', queueExamples)

async function start(file: string) {
  const { printed } = startProgram(resolve(folder, file), {
    PORT: '0',
    PAYMENTS_WEBHOOK_SECRET: currentSecret,
    DATABASE_URL: inject('postgresUrl'),
    REDIS_URL: inject('redisUrl'),
  })
  const portOf = (output: string) => /port: (\d+)/.exec(output)?.[1] ?? Promise.reject(new Error(output))
  const port = await vi.waitFor(() => portOf(printed()), 60_000)
  const body = JSON.stringify(aStatusEvent({ id: crypto.randomUUID() }))
  return {
    deliver: async () =>
      (await fetch(`http://localhost:${port}`, { method: 'POST', body, headers: { ...sign(body, currentSecret) } }))
        .status,
    /** Counts the jobs that ran. */
    jobs: () => printed().match(/ is AUTHORIZED$/gm)?.length ?? 0,
  }
}

it('pg-boss inserts the job only if the delivery is marked as handled', async () => {
  const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl') })
  onTestFinished(() => pool.end())
  const { deliver, jobs } = await start('pg-boss.ts')
  const countJobs = async () => (await pool.query("SELECT FROM pgboss.job WHERE name = 'payment-status'")).rowCount

  await pool.query('ALTER TABLE payments_client_webhooks ADD CONSTRAINT fails CHECK (false) NOT VALID')
  const failed = [await deliver(), await countJobs()]
  await pool.query('ALTER TABLE payments_client_webhooks DROP CONSTRAINT fails')
  const handled = [await deliver(), await deliver(), await countJobs()]

  expect([failed, handled]).toEqual([
    [500, 0],
    [200, 200, 1],
  ])
  await vi.waitFor(() => expect(jobs()).toBe(1), 60_000)
})

it('BullMQ adds one job even if the webhook function runs twice', async () => {
  const client = new (driver('ioredis').Redis)(inject('redisUrl'))
  onTestFinished(() => client.disconnect())
  const { deliver, jobs } = await start('bullmq.ts')

  const first = await deliver()
  await vi.waitFor(() => expect(jobs()).toBe(1), 60_000)
  // Simulates a crash before `complete`: removes the delivery from the store.
  await client.del(await client.keys('payments-client:webhook:*'))
  const second = await deliver()
  await new Promise((resolve) => setTimeout(resolve, 500))

  expect([first, second, jobs(), await client.zcard('bull:payment-status:completed')]).toEqual([200, 200, 1, 1])
})
