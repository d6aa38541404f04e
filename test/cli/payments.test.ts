import { describe, expect, it, onTestFinished } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { aPayment } from '../support/start-sandbox.js'
import { fakeTerminal } from './support.js'

/** Starts a sandbox over HTTP, and creates a payment for each order. */
async function startService(orders: readonly string[] = []) {
  const sandbox = createSandbox()
  const { url, close } = await sandbox.listen()
  onTestFinished(close)
  const client = new PaymentsClient(sandbox.clientOptions())
  const payments = []
  for (const orderId of orders) payments.push(await client.payments.create(aPayment({ orderId, amount: 700 })))
  return { sandbox, payments, env: { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: url } }
}

describe('payments-client payments get', () => {
  it('prints the fields of a payment', async () => {
    const { env, payments } = await startService(['order-1'])
    const { output, run } = fakeTerminal({ env })

    expect(await run('payments', 'get', payments[0]!.id)).toBe(0)
    expect(output).toContainEqual(expect.stringMatching(/^orderId +order-1$/))
    expect(output).toContainEqual(expect.stringMatching(/^transactions\[0\]\.transactionType +SALE$/))
  })

  it('prints the payment as one line of JSON with --json', async () => {
    const { env, payments } = await startService(['order-1'])
    const { output, run } = fakeTerminal({ env })

    const code = await run('payments', 'get', payments[0]!.id, '--json')

    expect(code).toBe(0)
    expect(output.map((line) => JSON.parse(line))).toMatchObject([{ id: payments[0]!.id, orderId: 'order-1' }])
  })

  it('prints the service’s error without the API key', async () => {
    const { env } = await startService()
    const { notes, output, run } = fakeTerminal({ env: { ...env, PAYMENTS_API_KEY: 'a-wrong-key' } })

    const code = await run('payments', 'get', 'pay-1')

    expect(code).toBe(1)
    expect(output).toEqual([])
    expect(notes).toEqual([expect.stringMatching(/payments\.get \(GET \/payments\/:id\): .*401/)])
    expect(notes.join()).not.toContain('a-wrong-key')
  })

  it('exits with code 130 when interrupted', async () => {
    const { env } = await startService()
    const { interrupt, notes, run } = fakeTerminal({ env })
    interrupt()

    expect(await run('payments', 'get', 'pay-1')).toBe(130)
    expect(notes).toEqual([])
  })

  it('requires environment variables for the API key and the base URL', async () => {
    const { notes, run } = fakeTerminal({ env: { PAYMENTS_API_KEY: 'key' } })

    expect(await run('payments', 'get', 'pay-1')).toBe(2)
    expect(notes).toEqual(['Set the environment variable PAYMENTS_BASE_URL'])
  })

  it.each([
    [{ PAYMENTS_BASE_URL: 'http://api.test' }, /baseUrl.* must use https.*PAYMENTS_BASE_URL/],
    [{ PAYMENTS_BASE_URL: 'api.test' }, /baseUrl.*PAYMENTS_BASE_URL/],
    [{ PAYMENTS_API_KEY: 'two words' }, /apiKey.*PAYMENTS_API_KEY/],
  ])('names the environment variable that is invalid: %j', async (invalid, message) => {
    const env = { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: 'https://api.test', ...invalid }
    const { notes, run } = fakeTerminal({ env })

    expect(await run('payments', 'get', 'pay-1')).toBe(2)
    expect(notes).toEqual([expect.stringMatching(message)])
    expect(notes.join()).not.toContain('two words')
  })
})

describe('payments-client payments list', () => {
  it('aligns the table’s columns across pages', async () => {
    const { env, payments } = await startService(Array.from({ length: 101 }, (_, index) => `order-${index}\n`))
    const { output, run } = fakeTerminal({ env })

    expect(await run('payments', 'list')).toBe(0)

    const [header = '', ...rows] = output
    expect(header).toMatch(/^ID +DATE +STATUS +ORDER +AMOUNT$/)
    expect(rows).toHaveLength(101)
    expect(rows.at(-1)).toMatch(new RegExp(`^${payments[100]!.id} .* order-100\\\\u000a +€7\\.00$`))
    expect(new Set(output.map((line) => line.search(/ORDER|order-/))).size).toBe(1)
  })

  it('prints one line of JSON per payment with --json', async () => {
    const { env, payments } = await startService(['order-1', 'order-2', 'order-3'])
    const { output, run } = fakeTerminal({ env })

    const code = await run('payments', 'list', '--json')

    expect(code).toBe(0)
    expect(output.map((line) => JSON.parse(line).id).sort()).toEqual(payments.map(({ id }) => id).sort())
  })

  it('logs to standard error if PAYMENTS_LOG is set', async () => {
    const { env } = await startService(['order-1'])
    const { notes, output, run } = fakeTerminal({ env: { ...env, PAYMENTS_LOG: 'debug' } })

    expect(await run('payments', 'list', '--json')).toBe(0)
    expect(await run('doctor', '--json')).toBe(0)

    expect(output).toHaveLength(2)
    expect(notes.filter((line) => line.startsWith('payments.list (GET /payments), attempt 1: sending'))).toHaveLength(2)
  })

  it('prints at most --limit payments', async () => {
    const { env } = await startService(['order-1', 'order-2', 'order-3'])
    const { output, run } = fakeTerminal({ env })

    expect(await run('payments', 'list', '--json', '--limit', '2')).toBe(0)
    expect(output).toHaveLength(2)
  })

  it('filters payments by the given options', async () => {
    const { env, payments } = await startService(['order-1', 'order-2'])
    const { output, run } = fakeTerminal({ env })

    await run('payments', 'list', '--json', '--order-id=order-2', '--status=SETTLED,AUTHORIZED', '--min-amount=700')
    await run('payments', 'list', '--json', '--last-4-digits', '0000')
    await run('payments', 'list', '--json', '--max-amount', '699')

    expect(output.map((line) => JSON.parse(line).id)).toEqual([payments[1]!.id])
  })

  it('suggests a valid status for a misspelled status', async () => {
    const { env } = await startService()
    const { notes, run } = fakeTerminal({ env })

    expect(await run('payments', 'list', '--status', 'DECLNED')).toBe(0)

    expect(notes).toEqual(['--status DECLNED: is not a known status: did you mean "DECLINED"?'])
  })

  it('prints no cursor if the first page fails', async () => {
    const { env } = await startService()
    const { notes, run } = fakeTerminal({ env: { ...env, PAYMENTS_API_KEY: 'a-wrong-key' } })

    expect(await run('payments', 'list')).toBe(1)
    expect(notes).toEqual([expect.stringContaining('401')])
  })

  it('prints no cursor if the service rejects the given --cursor', async () => {
    const { env } = await startService()
    const { notes, run } = fakeTerminal({ env })

    expect(await run('payments', 'list', '--cursor', 'expired')).toBe(1)
    expect(notes).toEqual([expect.stringContaining('InvalidCursor')])
  })

  it('prints the cursor for continuing the list if a later page fails', async () => {
    const { env, sandbox } = await startService(Array.from({ length: 101 }, (_, index) => `order-${index}`))
    const { notes, output, run } = fakeTerminal({ env })
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', status: 400 })

    const code = await run('payments', 'list', '--json')
    const cursor = /Continue with --cursor (\S+)/.exec(notes[0] ?? '')?.[1] ?? ''
    await run('payments', 'list', '--json', '--cursor', cursor)

    expect(code).toBe(1)
    expect(notes[1]).toContain('400')
    expect(new Set(output).size).toBe(101)
  })
})
