import { describe, expect, it } from 'vitest'
import { fakeTerminal, startService } from './support.js'

describe('payments-client payments get', () => {
  it('prints the fields of a payment, or one line of JSON with --json', async () => {
    const { output, payments, run } = await startService(['order-1'])
    const id = String(payments[0]?.id)

    expect(await run('payments', 'get', id)).toBe(0)
    expect(output).toContainEqual(expect.stringMatching(/^orderId +order-1$/))
    expect(output).toContainEqual(expect.stringMatching(/^transactions\[0\]\.transactionType +SALE$/))

    output.length = 0
    expect(await run('payments', 'get', id, '--json')).toBe(0)
    expect(output.map((line) => JSON.parse(line))).toMatchObject([{ id, orderId: 'order-1' }])
  })

  it('prints the service’s error without the API key', async () => {
    const { notes, output, run } = await startService([], { env: { PAYMENTS_API_KEY: 'a-wrong-key' } })

    expect(await run('payments', 'get', 'pay-1')).toBe(1)
    expect(output).toEqual([])
    expect(notes).toEqual([expect.stringMatching(/payments\.get \(GET \/payments\/:id\): .*401/)])
    expect(notes.join()).not.toContain('a-wrong-key')
  })

  it('exits with code 130 when interrupted', async () => {
    const { interrupt, notes, run } = await startService()
    interrupt()

    expect(await run('payments', 'get', 'pay-1')).toBe(130)
    expect(notes).toEqual([])
  })

  it.each([
    [{ PAYMENTS_BASE_URL: '' }, /^Set the environment variable PAYMENTS_BASE_URL$/],
    [{ PAYMENTS_BASE_URL: 'http://api.test' }, /baseUrl.* must use https.*PAYMENTS_BASE_URL/],
    [{ PAYMENTS_BASE_URL: 'api.test' }, /baseUrl.*PAYMENTS_BASE_URL/],
    [{ PAYMENTS_API_KEY: 'two words' }, /apiKey.*PAYMENTS_API_KEY/],
  ])('reports which environment variable is missing or invalid: %j', async (invalid, message) => {
    const env = { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: 'https://api.test', ...invalid }
    const { notes, run } = fakeTerminal({ env })

    expect(await run('payments', 'get', 'pay-1')).toBe(2)
    expect(notes).toEqual([expect.stringMatching(message)])
    expect(notes.join()).not.toContain('two words')
  })
})

describe('payments-client payments list', () => {
  const manyOrders = Array.from({ length: 102 }, (_, index) => `order-${index}\n`)

  it('aligns the table’s columns across pages, and stops at --limit', async () => {
    const { output, payments, run } = await startService(manyOrders)

    expect(await run('payments', 'list', '--limit', '101')).toBe(0)

    const [header = '', ...rows] = output
    expect(header).toMatch(/^ID +DATE +STATUS +ORDER +AMOUNT$/)
    expect(rows).toHaveLength(101)
    expect(rows.at(-1)).toMatch(new RegExp(`^${payments[100]?.id} .* order-100\\\\u000a +€7\\.00$`))
    expect(new Set(output.map((line) => line.search(/ORDER|order-/))).size).toBe(1)
  })

  it('logs to standard error if PAYMENTS_LOG is set', async () => {
    const { notes, output, run } = await startService(['order-1'], { env: { PAYMENTS_LOG: 'debug' } })

    expect(await run('payments', 'list', '--json')).toBe(0)
    expect(await run('doctor', '--json')).toBe(0)

    expect(output).toHaveLength(2)
    expect(notes.filter((line) => line.startsWith('payments.list (GET /payments), attempt 1: sending'))).toHaveLength(2)
  })

  it.each([
    [[], [0, 1, 2]],
    [
      ['--limit', '2'],
      [0, 1],
    ],
    [['--order-id=order-2', '--status=SETTLED,AUTHORIZED', '--min-amount=700'], [1]],
    [['--last-4-digits', '0000'], []],
    [['--max-amount', '699'], []],
  ])('prints one line of JSON per payment that matches %j', async (args, expected) => {
    const { output, payments, run } = await startService(['order-1', 'order-2', 'order-3'])

    expect(await run('payments', 'list', '--json', ...args)).toBe(0)

    expect(output.map((line) => JSON.parse(line).id)).toEqual(expected.map((index) => payments[index]?.id))
  })

  it('suggests a valid status for a misspelled status', async () => {
    const { notes, run } = await startService()

    expect(await run('payments', 'list', '--status', 'DECLNED')).toBe(0)

    expect(notes).toEqual(['--status DECLNED: is not a known status: did you mean "DECLINED"?'])
  })

  it.each([
    ['the first page fails', [], { PAYMENTS_API_KEY: 'a-wrong-key' }, '401'],
    ['the service rejects the given --cursor', ['--cursor', 'expired'], {}, 'InvalidCursor'],
  ])('prints no cursor if %s', async (_, args, env, message) => {
    const { notes, run } = await startService([], { env })

    expect(await run('payments', 'list', ...args)).toBe(1)
    expect(notes).toEqual([expect.stringContaining(message)])
  })

  it('prints the cursor for continuing the list if a later page fails', async () => {
    const { notes, output, run, sandbox } = await startService(manyOrders)
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', status: 400 })

    expect(await run('payments', 'list', '--json')).toBe(1)
    expect(notes[1]).toContain('400')
    const cursor = /Continue with --cursor (\S+)/.exec(notes[0] ?? '')?.[1] ?? ''
    await run('payments', 'list', '--json', '--cursor', cursor)

    expect(new Set(output).size).toBe(102)
  })
})
