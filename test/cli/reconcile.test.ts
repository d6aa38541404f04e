import { describe, expect, it } from 'vitest'
import { fakeTerminal, startService } from './support.js'

/** Starts a service on March 31, and returns a function that runs `reconcile` with the given file. */
async function start() {
  const service = await startService([], { now: new Date('2026-03-31T12:00:00Z') })
  const reconcile = async (lines: string[] | Uint8Array<ArrayBuffer>, ...args: string[]) => {
    const file = Array.isArray(lines) ? lines.join('\r\n') : lines
    const { notes, output, run } = fakeTerminal({ env: service.env, files: { 'orders.csv': file } })
    const code = await run('reconcile', '--orders', 'orders.csv', '--json', ...args)
    return { code, notes, differences: output.map((line) => JSON.parse(line)) }
  }
  return { ...service, reconcile }
}

const header = 'orderId,amount,currency,status,paymentId'

describe('payments-client reconcile', () => {
  it('exits with code 0 if each order matches a payment', async () => {
    const { create, reconcile } = await start()
    const first = await create('order-1')
    await create('order 2, "special"')

    const result = await reconcile([
      header,
      `order-1,5000,EUR,AUTHORIZED,${first.id}`,
      '"order 2, ""special""",5000,EUR,,',
    ])

    expect(result).toEqual({ code: 0, notes: ['2 orders, 2 payments, 0 differences'], differences: [] })
  })

  it('reads the columns and order IDs of exported payments', async () => {
    const { create, reconcile } = await start()
    await create('=1+1')

    const { code, differences } = await reconcile(['id,status,orderId,currencyCode,amount', "pay_1,,'=1+1,EUR,5000"])

    expect([code, differences]).toEqual([0, []])
  })

  it('reports payments that the file lacks, and orders that the service lacks', async () => {
    const { create, reconcile } = await start()
    const { id } = await create('order-1')

    const result = await reconcile(['orderId,amount,currency', 'order-2,700,EUR'])

    expect(result).toEqual({
      code: 1,
      notes: ['1 order, 1 payment, 2 differences'],
      differences: [
        { difference: 'missing at the service', orderId: 'order-2', file: '700 EUR' },
        { difference: 'missing in the file', orderId: 'order-1', paymentId: id, service: '5000 EUR AUTHORIZED' },
      ],
    })
  })

  it('reports payments whose amount, currency or status differs from the order', async () => {
    const { create, reconcile } = await start()
    const ids = [await create('order-1'), await create('order-2'), await create('order-3')].map(({ id }) => id)

    const { code, differences } = await reconcile([
      header,
      'order-1,500,EUR,AUTHORIZED,',
      'order-2,5000,USD,,',
      `order-3,5000,EUR,SETTLED,${ids[2]}`,
    ])

    expect(code).toBe(1)
    const amounts = { difference: 'amount', service: '5000 EUR' }
    expect(differences).toHaveLength(3)
    expect(differences).toEqual(
      expect.arrayContaining([
        { ...amounts, orderId: 'order-1', paymentId: ids[0], file: '500 EUR' },
        { ...amounts, orderId: 'order-2', paymentId: ids[1], file: '5000 USD' },
        { difference: 'status', orderId: 'order-3', paymentId: ids[2], file: 'SETTLED', service: 'AUTHORIZED' },
      ]),
    )
  })

  it('reports a second successful payment of an order, but ignores declined attempts', async () => {
    const { create, reconcile, sandbox } = await start()
    await create('order-1', { paymentMethodToken: sandbox.tokens.declined })
    await create('order-1')
    await create('order-2')
    const second = await create('order-2')

    const { differences } = await reconcile([header, 'order-1,5000,EUR,AUTHORIZED,', 'order-2,5000,EUR,,'])

    expect(differences).toEqual([
      { difference: 'missing in the file', orderId: 'order-2', paymentId: second.id, service: '5000 EUR AUTHORIZED' },
    ])
  })

  it('matches orders with payments first by payment ID, then by order ID', async () => {
    const { create, reconcile } = await start()
    const [first, second] = [await create('order-1'), await create('order-1')]

    const { code } = await reconcile([header, 'order-1,5000,EUR,,', `order-1,5000,EUR,,${first.id}`])
    const { differences } = await reconcile([header, `order-1,5000,EUR,,${second.id}`])

    expect(code).toBe(0)
    expect(differences).toMatchObject([{ difference: 'missing in the file', paymentId: first.id }])
  })

  it('reports the swapped payment IDs of two orders with equal amounts', async () => {
    const { create, reconcile } = await start()
    const [first, second] = [await create('order-1'), await create('order-2')]

    const { code, differences } = await reconcile([
      header,
      `order-1,5000,EUR,,${second.id}`,
      `order-2,5000,EUR,,${first.id}`,
    ])

    expect(code).toBe(1)
    expect(differences).toEqual([
      { difference: 'orderId', orderId: 'order-1', paymentId: second.id, file: 'order-1', service: 'order-2' },
      { difference: 'orderId', orderId: 'order-2', paymentId: first.id, file: 'order-2', service: 'order-1' },
    ])
  })

  it('reports duplicate rows', async () => {
    const { create, reconcile } = await start()
    const { id } = await create('order-1')
    await create('order-2')

    const row = `order-1,5000,EUR,,${id}`
    const { differences } = await reconcile([header, row, row, 'order-2,5000,EUR,,', 'order-2,5000,EUR,,'])

    const difference = 'duplicate in the file'
    expect(differences).toEqual([
      { difference, orderId: 'order-1', paymentId: id, file: '5000 EUR' },
      { difference, orderId: 'order-2', file: '5000 EUR' },
    ])
  })

  describe('for a file without the columns status, amountCaptured and amountRefunded', () => {
    const run = async (change: (service: Awaited<ReturnType<typeof start>>, id: string) => Promise<unknown>) => {
      const service = await start()
      const { id } = await service.create('order-1')
      await change(service, id)
      const { differences } = await service.reconcile(['orderId,amount,currency', 'order-1,5000,EUR'])
      return differences.map(({ difference, file, service }) => [difference, file, service])
    }

    it('accepts a fully captured payment', async () => {
      expect(await run(({ client }, id) => client.payments.capture(id))).toEqual([])
    })

    it('reports a partially captured payment', async () => {
      const capture = run(({ client }, id) => client.payments.capture(id, { amount: 2000 }))

      expect(await capture).toEqual([['amountCaptured', '5000', '2000']])
    })

    it.each([[5000], [700]])('reports a payment with a refund of %d', async (amount) => {
      const refund = run(async ({ client, sandbox }, id) => {
        await client.payments.capture(id)
        await client.payments.refund(id, { amount })
        sandbox.processor.finishRefund(id, 'SETTLED')
      })

      expect(await refund).toEqual([['amountRefunded', '0', String(amount)]])
    })

    it('reports a declined payment', async () => {
      const { client, reconcile, sandbox } = await start()
      const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 5000 }
      await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.declined })

      const { differences } = await reconcile(['orderId,amount,currency', 'order-1,5000,EUR'])

      expect(differences).toMatchObject([{ difference: 'status', service: 'DECLINED' }])
    })
  })

  it('compares every column with a payment field, and lists the other columns', async () => {
    const { client, create, reconcile } = await start()
    const { id, processor } = await create('order-1')
    await client.payments.capture(id)
    await client.payments.refund(id, { amount: 100 })
    const columns = 'orderId,amount,currency,amountCaptured,amountRefunded,processor.name,date,basket,empty'

    const { differences, notes } = await reconcile([
      columns,
      'order-1,5000,EUR,4000,50,OTHER,2026-03-31T12:00:00Z,b-1,',
    ])

    expect(differences.map(({ difference, file, service }) => [difference, file, service])).toEqual([
      ['amountCaptured', '4000', '5000'],
      ['amountRefunded', '50', '100'],
      ['processor.name', 'OTHER', processor?.name],
    ])
    expect(notes[0]).toBe('Not compared, because payments lack these columns: basket')
  })

  it('fetches the payments whose summaries lack the captured and refunded amounts', async () => {
    const { client, create, reconcile, sandbox } = await start()
    const { id } = await create('order-1')
    await client.payments.capture(id, { amount: 2000 })
    const summary = { id, orderId: 'order-1', amount: 5000, currencyCode: 'EUR', status: 'SETTLED' }
    sandbox.faults.add({ operation: 'payments.list', status: 200, body: { data: [summary] } })

    const { differences } = await reconcile(['orderId,amount,currency', 'order-1,5000,EUR'])

    expect(differences).toMatchObject([{ difference: 'amountCaptured', service: '2000' }])
  })

  it('matches 20,000 rows of one order in linear time', async () => {
    const { reconcile, sandbox } = await start()
    const data = Array.from({ length: 20_000 }, (_, index) => ({
      id: `pay_${index}`,
      orderId: 'order-1',
      amount: index,
      currencyCode: 'EUR',
      status: 'AUTHORIZED',
    }))
    sandbox.faults.add({ operation: 'payments.list', status: 200, body: { data } })
    const rows = data.map(({ amount }) => `order-1,${amount},EUR`).reverse()

    const { differences } = await reconcile(['orderId,amount,currency', ...rows])

    expect(differences).toEqual([])
  })

  it('compares only payments created in the given period', async () => {
    const { create, reconcile, sandbox } = await start()
    await create('order-of-march')
    await sandbox.clock.advance('12h')
    await create('order-of-april')

    const range = ['--from', '2026-03-01', '--before', '2026-04-01']
    expect(await reconcile([header, 'order-of-march,5000,EUR,,'], ...range)).toMatchObject({ code: 0 })
    expect(await reconcile([header, 'order-of-april,5000,EUR,,'], '--from', '2026-04-01')).toMatchObject({ code: 0 })
  })

  it('prints a table if --json is not set', async () => {
    const { create, env } = await start()
    const { id } = await create('order-1')
    const { output, run } = fakeTerminal({
      env,
      files: { 'orders.csv': 'orderId,amount,currency\norder-1,4999,EUR\n' },
    })

    expect(await run('reconcile', '--orders', 'orders.csv')).toBe(1)

    expect(output.map((line) => line.split(/ {2,}/))).toEqual([
      ['DIFFERENCE', 'ORDER', 'PAYMENT', 'FILE', 'SERVICE'],
      ['amount', 'order-1', id, '4999 EUR', '5000 EUR'],
    ])
  })

  it.each([
    [[''], 'the file is empty'],
    [['order,amount,currency'], 'the first line must name the columns orderId'],
    [['orderId,amount,currency,currencyCode'], 'the first line names the column currencyCode twice'],
    [[header, 'order-1,50.00,EUR,,'], 'line 2 has no integer in minor units in the column amount'],
    [
      ['orderId,amount,currency,amountCaptured', 'a,1,EUR,1.0'],
      'line 2 has no integer in minor units in the column amountC',
    ],
    [[header, '"order\n1",50,EUR,,', '', ',5000,EUR,,'], 'line 5 has no orderId'],
    [[header, 'order-1,5000'], 'line 2 has 2 cells, but the first line has 5'],
    [[header, 'order-1'], 'line 2 has 1 cell, but the first line has 5'],
    [
      [header, 'order-1,5000,EUR,,', 'a"b,1,EUR,,'],
      'the file is not valid CSV, because a quote in line 3 is misplaced',
    ],
    [[header, '"order-1,5000,EUR,,'], 'the file is not valid CSV, because a quote in line 2 is misplaced'],
    [[header, '"order-1"1,5000,EUR,,'], 'the file is not valid CSV, because a quote in line 2 is misplaced'],
    [
      ['orderId;amount;currency', 'order-1;5000;EUR'],
      'the columns are separated by semicolons: save the file with commas',
    ],
    [['orderId\tamount\tcurrency'], 'the columns are separated by tabs'],
    [['orderId,amount,currency\ra,1,EUR\r'], 'line 1 ends with a carriage return only'],
  ])('rejects a file with the lines %j', async (lines, message) => {
    const { reconcile } = await start()

    const { code, notes } = await reconcile(lines)

    expect(code).toBe(2)
    expect(notes.join()).toContain(`--orders: ${message}`)
  })

  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['Windows-1252', Buffer.from(`${header}\na,1,EUR,,\nM\u00fcller,1,EUR,,`, 'latin1'), 'Windows-1252 (see line 3)'],
    [
      'UTF-16 with a byte order mark',
      Buffer.from(`\ufeff${header}`, 'utf16le'),
      'the file is UTF-16: save it as UTF-8',
    ],
    ['UTF-16 without a byte order mark', Buffer.from(header, 'utf16le'), 'the file is UTF-16: save it as UTF-8'],
    ['zip', Buffer.from('PK\x03\x04\0'), 'the file is not a text file'],
  ])('rejects a file in the encoding %s', async (_, file, message) => {
    const { reconcile } = await start()

    const { code, notes } = await reconcile(file)

    expect(code).toBe(2)
    expect(notes.join()).toContain(message)
  })

  it('accepts a byte order mark, quoted cells, empty lines and line feeds', async () => {
    const { create, reconcile } = await start()
    await create('a,\n"b"')

    const file = Buffer.from('\ufefforderId,amount,currency\n\n"a,\n""b""",5000,EUR\n')

    expect(await reconcile(file)).toMatchObject({ code: 0, differences: [] })
  })

  it.each([['--from'], ['--before']])('rejects an invalid time in the option %s', async (option) => {
    const { reconcile } = await start()

    expect(await reconcile([header], option, 'yesterday')).toMatchObject({
      code: 2,
      notes: expect.arrayContaining([expect.stringContaining('must be an ISO 8601 time')]),
    })
  })
})
