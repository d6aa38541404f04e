import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import type { OperationRecord } from '../../src/operations/record.js'
import { createJournal, type SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { aPayment } from '../support/start-sandbox.js'
import { fakeTerminal, startService } from './support.js'

const openDatabase = sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase & { close(): void }

/** Starts a shop whose journal is in an SQLite file. Its refund `refund-1` took effect, but the response was lost. */
async function aShop(options: { tablePrefix?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'))
  const file = join(folder, 'shop.db')
  const database = openDatabase(file)
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  const journal = createJournal(database, options)
  await journal.migrate()
  const service = await startService([], { env: { DATABASE_URL: file } })
  const { sandbox } = service
  const baseUrl = String(service.env['PAYMENTS_BASE_URL'])
  const client = new PaymentsClient(sandbox.clientOptions({ baseUrl, journal, maxRetries: 0, logLevel: 'off' }))
  const { id } = await client.payments.create(aPayment(), { idempotencyKey: 'pay-1' })
  await client.payments.capture(id, undefined, { idempotencyKey: 'capture-1' })
  const lose = async (key: string, at: 'before' | 'after') => {
    sandbox.faults.add({ operation: 'payments.refund', at, reset: true })
    await client.payments.refund(id, { amount: 700, reason: 'Damaged' }, { idempotencyKey: key }).catch(() => {})
  }
  await lose('refund-1', 'after')
  return { ...service, client, file, id, lose }
}

describe('payments-client operations list', () => {
  it('prints a table of the operations, oldest first', async () => {
    const { client, run, output, id } = await aShop()
    const rejectCapture = ({ operation }: OperationRecord) => {
      if (operation === 'payments.capture') throw new Error('onSettled failed')
    }
    await client.operations.recover({ limit: 2, onSettled: rejectCapture })

    expect(await run('operations', 'list')).toBe(0)

    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(output.map((line) => line.split(/ {2,}/))).toEqual([
      ['KEY', 'OPERATION', 'STATE', 'CREATED', 'ATTEMPTS', 'PAYMENT', 'ACKNOWLEDGED', 'REASON'],
      ['pay-1', 'payments.create', 'succeeded', time, '1', id, time],
      ['capture-1', 'payments.capture', 'succeeded', time, '1', id],
      ['refund-1', 'payments.refund', 'unknown', time, '1', id],
    ])
  })

  it('prints each operation as one line of JSON without its body if --json is set', async () => {
    const { run, output, id } = await aShop()

    expect(await run('operations', 'list', '--json', '--state', 'unknown')).toBe(0)

    expect(output.map((line) => JSON.parse(line))).toEqual([
      {
        key: 'refund-1',
        operation: 'payments.refund',
        id,
        state: 'unknown',
        createdAt: expect.stringContaining('T'),
        firstSentAt: expect.stringContaining('T'),
        attempts: 1,
        resendFor: 60_000,
      },
    ])
  })

  it('filters operations by payment and time', async () => {
    const { run, output, id } = await aShop()

    await run('operations', 'list', '--json', '--payment-id', id, '--before', '2999-01-01')
    await run('operations', 'list', '--json', '--payment-id', 'pay_0')
    await run('operations', 'list', '--json', '--before', '2026-01-01T00:00:00Z')

    expect(output).toHaveLength(3)
  })

  it('reads operations from tables with the prefix in --table-prefix', async () => {
    const { run, output, notes } = await aShop({ tablePrefix: 'our_' })

    expect(await run('operations', 'list', '--json', '--table-prefix', 'our_')).toBe(0)
    expect(output).toHaveLength(3)
    expect(await run('operations', 'list')).toBe(1)
    expect(notes).toEqual([
      '--database: no such table: payments_client_operations',
      'Create the tables with journal.migrate() or orders.migrate(), or check --schema and --table-prefix',
    ])
  })
})

describe('payments-client operations show', () => {
  it('prints the fields and the body of an operation', async () => {
    const { run, output } = await aShop()

    expect(await run('operations', 'show', 'refund-1')).toBe(0)
    expect(await run('operations', 'show', 'refund-1', '--json')).toBe(0)

    expect(output).toContainEqual(expect.stringMatching(/^state +unknown$/))
    expect(output).toContainEqual(expect.stringMatching(/^body\.amount +700$/))
    expect(JSON.parse(output.at(-1) ?? '')).toMatchObject({ key: 'refund-1', body: { amount: 700, reason: 'Damaged' } })
  })

  it('fails if no operation has the given key', async () => {
    const { run, notes } = await aShop()

    expect(await run('operations', 'show', 'refund-9')).toBe(1)
    expect(notes).toEqual(['The journal has no operation with this key'])
  })
})

describe('payments-client operations recover', () => {
  it('finishes each open operation once, and keeps its result for onSettled', async () => {
    const { run, output, client, sandbox } = await aShop()

    expect(await run('operations', 'recover')).toBe(0)
    expect(await run('operations', 'settle', '--json')).toBe(0)

    expect(output).toEqual([
      'FIELD        VALUE',
      'finished     1',
      'open         0',
      'needsReview  0',
      '{"finished":0,"open":0,"needsReview":0}',
    ])
    expect(sandbox.ledger.filter(({ operation }) => operation === 'payments.refund')).toHaveLength(1)
    const settled: string[] = []
    await client.operations.recover({ onSettled: ({ key }) => void settled.push(key) })
    expect(settled).toContain('refund-1')
  })

  it('sends no request after --key-lifetime, and fails if a review is needed', async () => {
    const { run, output, sandbox, lose } = await aShop()
    await lose('refund-2', 'before')
    const sent = () => sandbox.requests.filter(({ operation }) => operation === 'payments.refund').length
    const before = sent()

    expect(await run('operations', 'recover', '--json', '--key-lifetime', '1ms')).toBe(1)

    expect(output.map((line) => JSON.parse(line))).toEqual([{ finished: 1, open: 0, needsReview: 1 }])
    expect(sent()).toBe(before)
  })

  it('finishes at most as many operations as --limit allows', async () => {
    const { run, output, lose } = await aShop()
    await lose('refund-2', 'after')

    await run('operations', 'recover', '--json', '--limit', '1', '--concurrency', '1')

    expect(output.map((line) => JSON.parse(line))).toMatchObject([{ finished: 1 }])
  })

  it('requires environment variables for the API key and the base URL', async () => {
    const { file } = await aShop()
    const { notes, run } = fakeTerminal()

    expect(await run('operations', 'recover', '--database', file)).toBe(2)
    expect(notes).toEqual(['Set the environment variable PAYMENTS_API_KEY'])
  })
})

describe('payments-client operations recover with another base URL', () => {
  it('exits with code 2, and changes no operation of another base URL', async () => {
    const { file, client, env } = await aShop()
    const other = { ...env, PAYMENTS_BASE_URL: 'https://staging.example/', DATABASE_URL: file }
    const { notes, run } = fakeTerminal({ env: other })

    expect(await run('operations', 'recover')).toBe(2)

    expect(notes.join()).toContain('1 operation (with the key refund-1) belongs to another service')
    expect(await client.operations.get('refund-1')).toMatchObject({ state: 'unknown' })
  })
})

describe('payments-client operations resolve', () => {
  it('stores a person’s answer about an operation that needs a review', async () => {
    const { run, output, lose } = await aShop()
    await lose('refund-2', 'before')
    await run('operations', 'recover', '--key-lifetime', '1ms')
    output.length = 0

    expect(await run('operations', 'resolve', 'refund-2', '--outcome', 'not_executed', '--json')).toBe(0)

    expect(output.map((line) => JSON.parse(line))).toMatchObject([{ key: 'refund-2', state: 'not_executed' }])
  })

  it('rejects an answer about an operation that does not need a review', async () => {
    const { run, notes } = await aShop()

    expect(await run('operations', 'resolve', 'capture-1', '--outcome', 'not_executed')).toBe(1)
    expect(notes.join()).toContain('only an operation in the state needs_review can be resolved')
  })
})

describe('payments-client operations with invalid arguments', () => {
  it.each([
    [[], 'Pass --database, or set the environment variable DATABASE_URL'],
    [['--database', 'missing.db'], '--database must be a postgres:// URL, or an SQLite file that exists'],
    [['--database', 'mysql://u:secret@h/shop'], '--database must be a postgres:// URL, or an SQLite file that exists'],
    [['--database', 'package.json', '--schema', 'shop'], '--schema is only for PostgreSQL'],
    [
      ['--database', 'postgres://u:secret@h/shop'],
      '--database: PostgreSQL needs the package pg or postgres: npm install pg, in the current folder',
    ],
    [['--database', 'shop.db', '--table-prefix', 'a-b'], 'must be at most 40 letters'],
    [['--database', 'shop.db', '--state', 'open'], 'Allowed choices are planned, sent, unknown, succeeded'],
    [['--database', 'shop.db', '--before', 'yesterday'], 'It must be an ISO 8601 time'],
  ])('rejects the arguments %j', async (args, message) => {
    const { notes, run } = fakeTerminal()

    expect(await run('operations', 'list', ...args)).toBe(2)

    expect(notes.join('\n')).toContain(message)
    expect(notes.join('\n')).not.toContain('secret')
    expect(existsSync('missing.db')).toBe(false)
  })

  it.each(['0', '24', '24 hours', '1w'])('rejects the key lifetime %s', async (lifetime) => {
    const { notes, run } = fakeTerminal()

    expect(await run('operations', 'recover', '--database', 'shop.db', '--key-lifetime', lifetime)).toBe(2)
    expect(notes.join('\n')).toContain('It must be a duration, such as 24h or 90m')
  })

  it('fails if the file in --database is not a database', async () => {
    const { notes, run } = fakeTerminal()

    expect(await run('operations', 'list', '--database', 'package.json')).toBe(1)
    expect(notes).toEqual(['--database: file is not a database'])
  })
})
