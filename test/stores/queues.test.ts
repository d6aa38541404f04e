import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { sign } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret } from '../webhooks/fixtures.js'
import { driver } from './drivers.js'

// Holds copies of the examples, because only this folder has the drivers that they import.
const apps = resolve(import.meta.dirname, '.apps')
mkdirSync(apps, { recursive: true })
for (const file of ['pg-boss.ts', 'bullmq.ts']) copyFileSync(resolve('examples/webhooks', file), resolve(apps, file))

async function start(file: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', resolve(apps, file)], {
    env: {
      ...process.env,
      PORT: '0',
      PAYMENTS_WEBHOOK_SECRET: currentSecret,
      DATABASE_URL: inject('postgresUrl'),
      REDIS_URL: inject('redisUrl'),
      TSX_TSCONFIG_PATH: resolve('tsconfig.json'),
    },
  })
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    if (child.kill('SIGKILL')) await exited
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const port = await vi.waitFor(() => /port: (\d+)/.exec(printed)?.[1] ?? Promise.reject(new Error(printed)), 60_000)
  const body = JSON.stringify(aStatusEvent({ id: crypto.randomUUID() }))
  return {
    deliver: async () =>
      (await fetch(`http://localhost:${port}`, { method: 'POST', body, headers: { ...sign(body, currentSecret) } }))
        .status,
    /** Counts the jobs that ran. */
    jobs: () => printed.match(/ is AUTHORIZED$/gm)?.length ?? 0,
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
  // Simulates a crash before `complete` by removing the delivery from the store.
  await client.del(await client.keys('payments-client:webhook:*'))
  const second = await deliver()
  await new Promise((resolve) => setTimeout(resolve, 500))

  expect([first, second, jobs(), await client.zcard('bull:payment-status:completed')]).toEqual([200, 200, 1, 1])
})

it('the queue examples compile', () => {
  const config = { extends: resolve('tsconfig.json'), include: ['*.ts'], exclude: [] }
  writeFileSync(resolve(apps, 'tsconfig.json'), JSON.stringify(config))

  const compiled = spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', apps])

  expect(String(compiled.stdout)).toBe('')
}, 120_000)
