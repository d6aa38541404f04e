import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createJournal, type PgPool } from '../../src/stores/postgres/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { fakeTerminal } from '../cli/support.js'
import { bundled } from '../support/bundle.js'
import { driver } from './drivers.js'

const schema = 'operations_command'
let pool: PgPool & { end(): Promise<void> }
const journal = () => createJournal(pool, { schema })

beforeAll(async () => {
  pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl') })
  await journal().migrate()
})
afterAll(() => pool.end())

/** Starts a sandbox, and requests a refund whose response is lost. */
async function aLostRefund(key: string) {
  const sandbox = createSandbox()
  const { url, close } = await sandbox.listen()
  onTestFinished(close)
  const options = sandbox.clientOptions({ baseUrl: url, journal: journal(), maxRetries: 0, logLevel: 'off' as const })
  const client = new PaymentsClient(options)
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-1', currencyCode: 'EUR', amount: 5000 }
  const { id } = await client.payments.create(body)
  await client.payments.capture(id)
  sandbox.faults.add({ operation: 'payments.refund', at: 'after', reset: true })
  await client.payments.refund(id, { amount: 700 }, { idempotencyKey: key }).catch(() => {})
  const env = { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: url, DATABASE_URL: inject('postgresUrl') }
  return { id, env, client }
}

describe.each(['pg', 'postgres'])('payments-client operations with PostgreSQL and the package %s', (name) => {
  const load = (wanted: string) => (wanted === name ? driver(name) : undefined)

  it('lists, finishes and shows operations', async () => {
    const { id, env, client } = await aLostRefund(`refund-${name}`)
    const { output, notes, run } = fakeTerminal({ env, load })
    const command = (...args: string[]) => run('operations', ...args, '--schema', schema, '--json')

    const codes = [
      await command('list', '--payment-id', id, '--state', 'unknown'),
      await command('recover'),
      await command('show', `refund-${name}`),
    ]

    expect([codes, notes]).toEqual([[0, 0, 0], []])
    expect(output.map((line) => JSON.parse(line))).toMatchObject([
      { key: `refund-${name}`, state: 'unknown', id },
      { finished: 1, open: 0, needsReview: 0 },
      { key: `refund-${name}`, state: 'succeeded', body: { amount: 700 } },
    ])
    const settled: unknown[] = []
    await client.operations.recover({ onSettled: ({ key }) => settled.push(key) })
    expect(settled).toContain(`refund-${name}`)
  })

  it('fails if the tables do not exist', async () => {
    const { notes, run } = fakeTerminal({ env: { DATABASE_URL: inject('postgresUrl') }, load })

    expect(await run('operations', 'list', '--table-prefix', 'missing_')).toBe(1)
    expect(notes).toEqual([
      '--database: relation "public.missing_operations" does not exist',
      'Create the tables with journal.migrate() or orders.migrate(), or check --schema and --table-prefix',
    ])
  })

  it('fails with the reason, but without the password, if the server does not respond', async () => {
    const { notes, run } = fakeTerminal({ env: { DATABASE_URL: 'postgres://shop:canary@127.0.0.1:1/shop' }, load })

    expect(await run('operations', 'list')).toBe(1)
    expect(notes).toEqual(['--database: connect ECONNREFUSED 127.0.0.1:1'])
  })
})

/** Runs the program in a folder. */
async function runIn(cwd: string) {
  const program = resolve(await bundled('src/cli/main.ts'))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'operations', 'list', '--schema', schema, '--json', '--state', 'needs_review'],
    { cwd, encoding: 'utf8', env: { ...process.env, DATABASE_URL: inject('postgresUrl'), PORT: '' } },
  )
  return { status, stdout, stderr }
}

it('payments-client operations loads the driver from the current folder, and exits', async () => {
  expect(await runIn(import.meta.dirname)).toEqual({ status: 0, stdout: '', stderr: '' })
})

it('payments-client operations explains that the folder has no database driver', async () => {
  const message = '--database: PostgreSQL needs the package pg or postgres: npm install pg, in the current folder\n'
  expect(await runIn(tmpdir())).toEqual({ status: 2, stdout: '', stderr: message })
})
