import { DatabaseSync } from 'node:sqlite'
import { createMemoryJournal, PaymentsClient } from '../../src/index.js'
import { createJournal } from '../../src/stores/sqlite/index.js'
import { createSandbox } from '../../src/testing/index.js'
async function measure(n: number, engine: string, response: number) {
  const database = new DatabaseSync(':memory:')
  const journal = engine === 'sqlite' ? createJournal(database) : createMemoryJournal()
  if ('migrate' in journal) await (journal as any).migrate()
  const sandbox = createSandbox()
  let requests = 0
  const fetch = async () => { requests++; return Response.json({ error: { errorId: 'X', description: 'Wait' } }, { status: response, headers: { 'retry-after': '600' } }) }
  const client = new PaymentsClient(sandbox.clientOptions({ journal, fetch, logLevel: 'off' } as any))
  if (engine === 'sqlite') database.exec('BEGIN')
  for (let i = 0; i < n; i++) {
    const intent = { key: `r-${i}`, operation: 'payments.refund', id: `pay_${i}` } as any
    if (engine === 'sqlite') (client.operations as any).planSync(database, intent)
    else await client.operations.plan(intent)
  }
  if (engine === 'sqlite') database.exec('COMMIT')
  const before = process.cpuUsage()
  let left = n
  while (requests < n) await client.operations.recover()
  const { user, system } = process.cpuUsage(before)
  console.log(engine, n, requests, Math.round((user + system) / n), 'µs per operation')
  return (user + system) / n
}
for (const engine of process.argv.slice(2)) {
  await measure(300, engine, 429)
  const a = await measure(1000, engine, 429)
  const b = await measure(10000, engine, 429)
  console.log(engine, 'ratio', (b / a).toFixed(2))
}
