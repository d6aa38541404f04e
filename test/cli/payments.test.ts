import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

  it.each([
    ['fails', 1],
    ['is interrupted', 130],
  ])('prints the cursor for continuing the list if a later page %s', async (_, code) => {
    const { env, interrupt, notes, output, run, sandbox } = await startService(manyOrders)
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', ...(code === 1 ? { status: 400 } : { hang: true }) })

    const listing = run('payments', 'list', '--json')
    if (code === 130) {
      await vi.waitFor(() => expect(output).toHaveLength(100))
      interrupt()
    }

    expect(await listing).toBe(code)
    const cursor = /Continue with --cursor (\S+)/.exec(notes[0] ?? '')?.[1] ?? ''
    const rest = fakeTerminal({ env })
    await rest.run('payments', 'list', '--json', '--cursor', cursor)
    expect(new Set([...output, ...rest.output]).size).toBe(102)
  })

  it('prints a cursor if --limit ends a full page and more payments follow', async () => {
    const { notes, run } = await startService(manyOrders)

    await run('payments', 'list', '--limit', '100')
    await run('payments', 'list', '--limit', '101')

    expect(notes).toEqual([expect.stringMatching(/^Continue with --cursor /)])
  })

  const orders = ['order-1', 'order-2']

  it('prints the same payments in the formats ndjson and json', async () => {
    const { run, payments, written } = await startService(orders)
    const ids = payments.map(({ id }) => id)

    expect(await run('payments', 'list', '--format', 'ndjson')).toBe(0)
    const lines = written()
    expect(await run('payments', 'list', '--format', 'json')).toBe(0)

    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(ids)
    expect(JSON.parse(written().slice(lines.length)).map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  it.each([
    ['csv', /^id,date,.*,metadata\r\n$/],
    ['ndjson', /^$/],
    ['json', /^\[\s*\]\s*$/],
    ['table', /^ID +DATE +STATUS +ORDER +AMOUNT\n$/],
  ])('prints a valid %s document if there are no payments', async (format, content) => {
    const { run, written } = await startService()

    expect(await run('payments', 'list', '--format', format)).toBe(0)
    expect(written()).toMatch(content)
  })

  it('quotes CSV cells according to RFC 4180, and escapes spreadsheet formulas', async () => {
    const { create, run, written } = await startService([], { now: new Date('2026-03-01T00:00:00Z') })
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=HYPERLINK("http://x.test","a,b")']
    for (const orderId of [...formulas, 'a "quoted", order\r\nin two lines', 'order-1']) {
      await create(orderId, { metadata: { '=key': '=value' } })
    }

    await run('payments', 'list', '--format', 'csv')

    const date = '2026-03-01T00:00:00.000000'
    const [header, ...rows] = written().split(/\r\n(?=pay_|$)/)
    expect(header).toMatch(/^id,date,dateUpdated,status,orderId,currencyCode,amount,/)
    expect(rows.map((row) => row.split(`${date},${date},AUTHORIZED,`)[1]?.split(',EUR,5000,')[0])).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      "'\t=1",
      `"'\r=1"`,
      "'＝1",
      `"'=HYPERLINK(""http://x.test"",""a,b"")"`,
      '"a ""quoted"", order\r\nin two lines"',
      'order-1',
      undefined,
    ])
    expect(rows[0]).toMatch(/,"\{""=key"":""=value""\}"$/)
  })

  it('escapes control characters in CSV cells only on a terminal', async () => {
    const { create, env, run, written } = await startService()
    await create('order\u001b[2J')
    const screen = fakeTerminal({ env, columns: 80 })

    await run('payments', 'list', '--format', 'csv')
    await screen.run('payments', 'list', '--format', 'csv')

    expect(written()).toContain('order\u001b[2J')
    expect(screen.written()).toContain('order\\u001b[2J')
  })

  it('omits the header of a CSV file that --cursor continues', async () => {
    const { notes, run, written } = await startService(manyOrders)
    await run('payments', 'list', '--format', 'csv', '--limit', '100')

    await run('payments', 'list', '--format', 'csv', '--cursor', notes[0]?.split(' ').at(-1) ?? '')

    expect(written().match(/\r\n(?=pay_)/g)).toHaveLength(102)
    expect(written().match(/^id,/gm)).toHaveLength(1)
  })

  it('prints CSV that payments-client reconcile accepts as a file of orders', async () => {
    const { client, create, env, run, payments, written } = await startService(['=1+1'])
    await create('order-2', { customerId: 'customer-1', metadata: { a: 'b' } })
    await client.payments.capture(String(payments[0]?.id))
    await run('payments', 'list', '--format', 'csv')
    const { notes, run: reconcile } = fakeTerminal({ env, files: { 'march.csv': written() } })

    expect(await reconcile('reconcile', '--orders', 'march.csv')).toBe(0)
    expect(notes).toEqual(['2 orders, 2 payments, 0 differences'])
  })

  it.each([
    ['shows its progress every 10 s on a terminal', { redraw: () => {} }, ['100 payments listed']],
    ['shows no progress if standard error is not a terminal', {}, []],
  ])('%s', async (_, options, expected) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { env, sandbox } = await startService(manyOrders)
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', hang: true })
    const { interrupt, notes, output, run } = fakeTerminal({ env, ...options })

    const listing = run('payments', 'list', '--json')
    await vi.waitFor(() => expect(output).toHaveLength(100))
    vi.advanceTimersByTime(10_000)
    interrupt()
    await listing

    expect(notes.slice(0, -1)).toEqual(expected)
  })

  it('separates payments made before and after midnight on April 1', async () => {
    const { create, output, run, sandbox } = await startService(['order-1'], {
      now: new Date('2026-03-31T23:59:59.999Z'),
    })
    await sandbox.clock.advance(1)
    await create('order-of-april')

    await run('payments', 'list', '--json', '--from-date', '2026-03-01', '--before', '2026-04-01')
    await run('payments', 'list', '--json', '--from-date', '2026-04-01', '--before', '2026-05-01')

    expect(output.map((line) => JSON.parse(line).orderId)).toEqual(['order-1', 'order-of-april'])
  })

  it.each([
    [['--format', 'xml'], 'Allowed choices are table, csv, ndjson, json'],
    [['--format', 'csv', '--json'], 'cannot be used with'],
    [['--before', '2026-04-01', '--to-date', '2026-04-01'], 'cannot be used with'],
    [['--before', '2026-04-01T00:00:00.0000001'], 'without microseconds'],
    [['--created-since', '2026-01-01'], '--created-since needs --transactions'],
    [['--transactions', '--created-since', 'yesterday'], 'It must be an ISO 8601 time, or a duration such as 365d'],
    [['--currency-code', 'euro'], '--currency-code must'],
  ])('rejects the options %j', async (args, message) => {
    const { notes, run } = fakeTerminal({ env: { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: 'https://api.test' } })

    expect(await run('payments', 'list', ...args)).toBe(2)
    expect(notes.join('\n')).toContain(message)
  })
})

describe('payments-client payments list --transactions', () => {
  /** Creates and refunds a payment in January, and creates another in March. */
  async function start() {
    const service = await startService(['order-1'], { now: new Date('2026-01-10T12:00:00Z') })
    const { client, create, payments, sandbox } = service
    const id = String(payments[0]?.id)
    await client.payments.capture(id)
    await sandbox.clock.advance('60d') // March 11
    await client.payments.refund(id, { amount: 300 })
    await sandbox.clock.advance('24h')
    const second = await create('order-2')
    const list = async (...args: string[]) => {
      const { output, run } = fakeTerminal({ env: service.env })
      expect(await run('payments', 'list', '--transactions', '--json', ...args)).toBe(0)
      return output.map((line) => JSON.parse(line))
    }
    return { ...service, id, list, second }
  }

  const march = ['--from-date', '2026-03-01', '--before', '2026-04-01']

  it('prints every transaction in the period, including those of older payments', async () => {
    const { id, list, second } = await start()

    expect(await list(...march)).toMatchObject([
      { paymentId: id, orderId: 'order-1', transactionType: 'REFUND', amount: 300, date: '2026-03-11T12:00:00.000000' },
      { paymentId: second.id, orderId: 'order-2', transactionType: 'SALE', amount: 5000 },
    ])
  })

  it('prints all transactions if no period is given', async () => {
    const { list } = await start()

    const types = (await list()).map(({ transactionType }) => transactionType)
    expect(types).toEqual(['SALE', 'REFUND', 'SALE'])
  })

  it.each([['2026-03-01'], ['9d']])('ignores payments that were created before --created-since %s', async (since) => {
    const { list } = await start()

    expect((await list(...march, '--created-since', since)).map(({ orderId }) => orderId)).toEqual(['order-2'])
  })

  it('fetches payments created within 180 days before the period, and no older ones', async () => {
    const { list, sandbox } = await start()
    const fetched = () => sandbox.requests.filter(({ operation }) => operation === 'payments.get').length

    await list('--from-date', '2026-07-09')
    expect(fetched()).toBe(2)
    await list('--from-date', '2026-07-10')
    expect(fetched()).toBe(3)
  })

  it('prints transactions as a table or CSV', async () => {
    const { env, id } = await start()
    const { output, run } = fakeTerminal({ env })

    await run('payments', 'list', '--transactions', ...march)
    await run('payments', 'list', '--transactions', ...march, '--format', 'csv')

    expect(output[0]).toMatch(/^PAYMENT +ORDER +DATE +TYPE +STATUS +AMOUNT +TRANSACTION$/)
    expect(output[1]).toMatch(new RegExp(`^${id} +order-1 +2026-03-11T12:00:00.000000 +REFUND +PENDING +€3.00`))
    expect(output[3]).toMatch(/^paymentId,orderId,date,transactionType,/)
    expect(output[4]).toContain(`${id},order-1,2026-03-11T12:00:00.000000,REFUND,PENDING,EUR,300,`)
  })
})
