import { describe, expect, it } from 'vitest'
import { parseCsv } from '../../src/cli/csv.js'
import { fakeTerminal, startService } from './support.js'

/** Starts a service on March 31, and returns a function that runs `reconcile` with the given file. */
async function start() {
  const service = await startService([], { now: new Date('2026-03-31T12:00:00Z') })
  const reconcile = async (lines: string[], ...args: string[]) => {
    const { notes, output, run } = fakeTerminal({ env: service.env, files: { 'orders.csv': lines.join('\r\n') } })
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
    [[''], 'the first line must name the columns orderId, amount, currency'],
    [['order,amount,currency'], 'the first line must name the columns orderId'],
    [[header, 'order-1,50.00,EUR,,'], 'the amount in row 2 must be an integer in minor units'],
    [[header, ',5000,EUR,,'], 'row 2 has no orderId'],
    [[header, 'order-1,5000'], 'row 2 has 2 cells, but the first line has 5'],
    [[header, 'order-1'], 'row 2 has 1 cell, but the first line has 5'],
    [[header, 'order-1,5000,EUR,,', 'a"b,1,EUR,,'], 'the file is not valid CSV'],
  ])('rejects a file with the lines %j', async (lines, message) => {
    const { reconcile } = await start()

    const { code, notes } = await reconcile(lines)

    expect(code).toBe(2)
    expect(notes.join()).toContain(`--orders: ${message}`)
  })

  it.each([['--from'], ['--before']])('rejects an invalid time in the option %s', async (option) => {
    const { reconcile } = await start()

    expect(await reconcile([header], option, 'yesterday')).toMatchObject({
      code: 2,
      notes: expect.arrayContaining([expect.stringContaining('must be an ISO 8601 time')]),
    })
  })
})

describe('parseCsv', () => {
  it.each([
    ['a,b\r\n1,2\r\n', '[["a","b"],["1","2"]]'],
    ['\uFEFFa,b\n1,2', '[["a","b"],["1","2"]]'],
    ['a,"b,\r\n""c"""\n\n,\n', '[["a","b,\\r\\n\\"c\\""],["",""]]'],
    ['', '[]'],
    ['"a', undefined],
    ['a"b"', undefined],
    ['"a"b', undefined],
  ])('returns the rows of the CSV text %j, or undefined if the text is invalid', (text, rows) => {
    expect(JSON.stringify(parseCsv(text))).toEqual(rows)
  })
})
