import { expect, it } from 'vitest'
import * as postgres from '../../src/stores/postgres/index.js'
import * as sqlite from '../../src/stores/sqlite/index.js'
import { fakeTerminal } from './support.js'

it.each([
  [['postgres'], postgres.migrationSql()],
  [
    ['postgres', '--schema', 'shop', '--table-prefix', 'our_'],
    postgres.migrationSql({ schema: 'shop', tablePrefix: 'our_' }),
  ],
  [['sqlite'], sqlite.migrationSql()],
  [['sqlite', '--table-prefix', 'our_'], sqlite.migrationSql({ tablePrefix: 'our_' })],
])('payments-client sql prints the migration for %j', async (args, expected) => {
  const { output, run } = fakeTerminal()

  expect(await run('sql', ...args)).toBe(0)
  expect(`${output.join('\n')}\n`).toBe(expected)
})

it('payments-client sql prints JSON with --json', async () => {
  const { output, run } = fakeTerminal()

  expect(await run('sql', 'sqlite', '--json')).toBe(0)
  expect(JSON.parse(output.join())).toEqual({ sql: sqlite.migrationSql() })
})
