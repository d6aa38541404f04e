import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fakeTerminal } from './support.js'

const folder = mkdtempSync(join(tmpdir(), 'explore-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A shop that makes one payment. It uses no client, so that the file runs in any folder. */
const shop = (key: string) => `
  const start = ({ clientOptions }) => async (idempotencyKey) => {
    const { fetch, baseUrl, apiKey } = clientOptions
    const headers = { 'x-api-key': apiKey, 'x-idempotency-key': idempotencyKey, 'content-type': 'application/json' }
    const order = { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
    await fetch(baseUrl + '/payments', { method: 'POST', headers, body: JSON.stringify(order) })
  }
  let attempt = 0
  const scenario = (pay) => pay(${key})
  const checks = { start, scenario, faults: ['reset-after'], webhooks: [], budget: 20 }`

const files = {
  'good.mjs': `${shop("'pay-order-17'")}\nexport default checks`,
  'bad.mjs': `${shop("'pay-order-17-' + ++attempt")}\nexport const options = checks`,
  'typed.ts': `${shop("'pay-order-17' as string").replace('(pay)', '(pay: Function)')}\nexport default checks`,
  'invalid.mjs': `${shop("''")}\nexport default { ...checks, buget: 5 }`,
  'empty.mjs': '',
  'broken.mjs': 'throw new Error("no database")',
}
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)

function explore(file: keyof typeof files | 'missing.mjs', ...args: string[]) {
  const { run, ...rest } = fakeTerminal()
  return { ...rest, code: run('explore', join(folder, file), ...args) }
}

it('payments-client explore reports that no rule was broken', async () => {
  const { code, output, notes } = explore('good.mjs')

  expect(await code).toBe(0)
  expect(output).toEqual([
    '20 runs, 3 different requests: no broken rule',
    '17 pairs of faults did not run: increase --budget to run more',
  ])
  expect(notes[0]).toBe('2 of 20 runs, 0 broke a rule')
})

it('payments-client explore prints a timeline per broken rule, and replays the run', async () => {
  const { code, output } = explore('bad.mjs')

  expect(await code).toBe(1)
  expect(output[0]).toBe('order-17 was charged twice (2 × €50.00)')
  const replay = output
    .map((line) => /^Replay: npx payments-client explore (\S+) --replay (\S+)$/.exec(line))
    .find(Boolean)
  expect(replay?.[1]).toBe(join(folder, 'bad.mjs'))
  expect(output.at(-1)).toMatch(/^\d+ runs, \d+ different requests: 1 broken rule$/)
  const again = explore('bad.mjs', '--replay', String(replay?.[2]))
  expect(await again.code).toBe(1)
  expect(again.output[0]).toBe(output[0])
})

it('payments-client explore runs TypeScript, and prints the report as JSON', async () => {
  const { code, output } = explore('typed.ts', '--json', '--budget', '3', '--seed', 'a')

  expect(await code).toBe(0)
  expect(JSON.parse(output.join())).toEqual({ runs: 3, points: 1, pairsLeftOut: 0, failures: [] })
})

it('payments-client explore draws a progress bar on a terminal', async () => {
  const { run, terminal, output } = fakeTerminal()
  const lines: string[] = []
  Object.assign(terminal, { redraw: (line: string) => lines.push(line) })

  expect(await run('explore', join(folder, 'good.mjs'), '--budget', '4')).toBe(0)

  expect(lines).toContain('[==========          ] 2 of 4 runs, 0 broke a rule')
  expect(lines.at(-1)).toBe('')
  expect(output).toHaveLength(1)
})

it('payments-client explore stops when it is interrupted', async () => {
  const { code, interrupt, line } = explore('good.mjs', '--budget', '10')
  await line(/1 of 10 runs/)
  interrupt()

  expect(await code).toBe(130)
})

it.each([
  ['missing.mjs' as const, /missing.mjs: the file does not exist$/],
  ['empty.mjs' as const, /empty.mjs: export the options of explore\(\) as the default export or as `options`$/],
  ['invalid.mjs' as const, /^Invalid options for explore: buget is not an option: did you mean "budget"\?$/],
])('payments-client explore exits with code 2 if the file %s is missing or invalid', async (file, message) => {
  const { code, notes } = explore(file)

  expect(await code).toBe(2)
  expect(notes[0]).toMatch(message)
})

it('payments-client explore exits with code 1 if the file throws an error', async () => {
  const { code, notes } = explore('broken.mjs')

  expect(await code).toBe(1)
  expect(notes[0]).toContain('no database')
})
