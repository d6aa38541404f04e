import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ListPaymentsParams } from '../../src/index.js'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

/** Three payments, an hour apart, that differ in everything a list can be filtered by. */
async function startWithPayments() {
  const started = startSandbox()
  const { client, sandbox } = started
  const bodies = {
    card: aPayment({
      orderId: 'order-card',
      amount: 1000,
      customerId: 'customer-1',
      customer: { emailAddress: 'ada@example.com' },
    }),
    paypal: aPayment({ orderId: 'order-paypal', amount: 2000, currencyCode: 'USD', paymentMethodToken: 'tok_paypal' }),
    klarna: aPayment({ orderId: 'order-klarna', amount: 3000, paymentMethodToken: 'tok_klarna' }),
    pending: aPayment({ orderId: 'order-pending', amount: 4000, paymentMethodToken: 'tok_pending' }),
  }
  const ids: Record<string, string> = {}
  for (const [name, body] of Object.entries(bodies)) {
    const { id } = await client.payments.create(body)
    ids[id] = name
    if (name === 'klarna') await client.payments.capture(id)
    if (name === 'pending')
      await client.payments.authorize(id, { processor: { processorMerchantId: 'm-2', name: 'TWO' } })
    await sandbox.clock.advance('1h')
  }
  const namesOf = (rows: { id: string }[]) => rows.map(({ id }) => ids[id])
  return { ...started, namesOf }
}

/** So many payments, whose ids come back in the order of creation. */
async function startWithMany(count: number) {
  const started = startSandbox()
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    const { id } = await started.client.payments.create(aPayment({ orderId: `order-${number}`, amount: number }))
    ids.push(id)
  }
  return { ...started, ids }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('payments.list', () => {
  const filters: [ListPaymentsParams, string[]][] = [
    [{}, ['card', 'paypal', 'klarna', 'pending']],
    [{ status: 'SETTLING' }, ['klarna']],
    [{ status: ['SETTLING', 'DECLINED'] }, ['klarna']],
    [{ status: ['AUTHORIZED', 'SETTLING'] }, ['card', 'paypal', 'klarna', 'pending']],
    [{ paymentMethodType: 'PAYMENT_CARD' }, ['card', 'pending']],
    [{ processor: 'TWO' }, ['pending']],
    [{ currencyCode: 'USD' }, ['paypal']],
    [{ fromDate: new Date('2026-01-31T13:00:00Z') }, ['paypal', 'klarna', 'pending']],
    [{ fromDate: '2026-01-31T13:00:00.001' }, ['klarna', 'pending']],
    [{ toDate: '2026-01-31 13:00:00' }, ['card', 'paypal']],
    [{ fromDate: '2026-01-31T14:00:00+01:00', toDate: '2026-01-31T13:00:00Z' }, ['paypal']],
    [{ toDate: '2026-01-31' }, []],
    [{ orderId: 'order-klarna' }, ['klarna']],
    [{ minAmount: 3000 }, ['klarna', 'pending']],
    [{ maxAmount: 2000 }, ['card', 'paypal']],
    [{ minAmount: 2000, maxAmount: 3000 }, ['paypal', 'klarna']],
    [{ customerId: 'customer-1' }, ['card']],
    [{ merchantId: 'm-2' }, ['pending']],
    [{ customerEmailAddress: 'ada@example.com' }, ['card']],
    [{ last4Digits: '1111' }, ['card']],
    [{ partneraEmail: 'wallet@example.com' }, ['paypal']],
    [{ partnerbEmail: 'later@example.com' }, ['klarna']],
    [{ paymentMethodType: 'PAYMENT_CARD', minAmount: 1001 }, ['pending']],
    [{ orderId: 'order-nobody-made' }, []],
    [{ customerId: 'customer-of-nobody' }, []],
  ]

  it.each(filters)('finds by %j', async (params, expected) => {
    const { client, namesOf } = await startWithPayments()

    const { data, nextCursor, prevCursor } = await client.payments.list(params)

    expect(namesOf(data)).toEqual(expected)
    expect({ nextCursor, prevCursor }).toEqual({})
  })

  it('finds by when a payment was made, not by when it changed', async () => {
    const { client, namesOf } = await startWithPayments()
    const [first] = (await client.payments.list()).data
    await client.payments.capture(first?.id as string)

    const { data } = await client.payments.list({ toDate: '2026-01-31T12:30:00Z' })

    expect(namesOf(data)).toEqual(['card'])
  })

  it('finds by time although the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-31T12:00:10Z') })
    const { client } = startSandbox({ now: undefined })
    const ids: string[] = []
    for (const second of ['10', '00', '20']) {
      vi.setSystemTime(`2026-01-31T12:00:${second}Z`)
      ids.push((await client.payments.create(aPayment())).id)
    }

    const since = await client.payments.list({ fromDate: '2026-01-31T12:00:05Z' })
    const until = await client.payments.list({ toDate: '2026-01-31T12:00:05Z' })

    expect(since.data.map(({ id }) => id)).toEqual(ids)
    expect(until.data).toEqual([])
  })

  it('shows summaries only', async () => {
    const { client } = startSandbox()
    const order = { lineItems: [{ amount: 5000 }] }
    const payment = await client.payments.create(aPayment({ metadata: { a: 1 }, customerId: 'customer-1', order }))

    const { data } = await client.payments.list()

    const { id, date, dateUpdated, status, orderId, currencyCode, amount, processor, metadata } = payment
    expect(data).toEqual([{ id, date, dateUpdated, status, orderId, currencyCode, amount, processor, metadata }])
  })

  it('returns up to 100 payments a page, and any smaller number', async () => {
    const { client, ids } = await startWithMany(101)

    const whole = await client.payments.list()
    const one = await client.payments.list({ limit: 1 })

    expect(whole.data.map(({ id }) => id)).toEqual(ids.slice(0, 100))
    expect(whole.hasNextPage).toBe(true)
    expect(one.data).toHaveLength(1)
    expect(await client.payments.list().toArray({ limit: 1000 })).toHaveLength(101)
  })

  it.each([
    ['0', 'must be an integer, 1 to 100'],
    ['101', 'must be an integer, 1 to 100'],
    ['-1', 'must be an integer, 1 to 100'],
    ['ten', 'must be an integer'],
    ['1.5', 'must be an integer'],
    ['', 'must be an integer'],
    ['1e1', 'must be an integer'],
    ['0x10', 'must be an integer'],
    ['1&limit=2', 'must be an integer'],
  ])('refuses a limit of %s', async (limit, description) => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'GET', `/payments?limit=${limit}`)

    expect(status).toBe(400)
    expect(json.error.validationErrors).toEqual([{ model: 'query', errors: [{ path: '$.limit', description }] }])
  })

  it.each([
    ['min_amount=-1&limit=100', 2],
    ['min_amount=1&limit=100', 1],
    ['max_amount=-1', 0],
    ['limit=1&max_amount=10', 1],
  ])('takes numbers of any sign and length: %s', async (query, expected) => {
    const { sandbox } = await startWithMany(2)

    const { json } = await send(sandbox, 'GET', `/payments?${query}`)

    expect(json.data).toHaveLength(expected)
  })

  it('refuses parameters that do not exist, and hints at the right one', async () => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'GET', '/payments?last4Digits=1111')

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors).toEqual([
      { path: '$.last4Digits', description: expect.stringContaining('"last_4_digits"') },
    ])
  })

  it('takes an order id of digits as the text that it is', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment({ orderId: '0017' }))

    const { data } = await client.payments.list({ orderId: '0017', limit: 1 })

    expect(data.map((row) => row.id)).toEqual([id])
  })

  it('takes several statuses in one parameter or in many', async () => {
    const { namesOf, sandbox } = await startWithPayments()

    const comma = await send(sandbox, 'GET', '/payments?status=SETTLING,DECLINED')
    const repeated = await send(sandbox, 'GET', '/payments?status=SETTLING&status=DECLINED')

    expect(namesOf(comma.json.data)).toEqual(['klarna'])
    expect(repeated.json.data).toEqual(comma.json.data)
  })

  it('goes forward and back in pages', async () => {
    const { client, ids } = await startWithMany(5)

    const first = await client.payments.list({ limit: 2 })
    const second = await first.nextPage()
    const third = await second?.nextPage()
    const secondAgain = await third?.previousPage()
    const firstAgain = await secondAgain?.previousPage()

    const onAgain = await firstAgain?.nextPage()
    const { prevCursor } = second ?? {}
    const whole = await client.payments.list({ limit: 100, cursor: prevCursor })

    const pages = [first, second, third, secondAgain, firstAgain, onAgain, whole]
    expect(pages.map((page) => page?.data.map(({ id }) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 4),
      ids.slice(4),
      ids.slice(2, 4),
      ids.slice(0, 2),
      ids.slice(2, 4),
      ids.slice(0, 2),
    ])
    expect(first.prevCursor).toBeUndefined()
    expect(third?.nextCursor).toBeUndefined()
    expect(firstAgain?.prevCursor).toBeUndefined()
  })

  it('pages through a filter without empty pages or gaps', async () => {
    const { client, ids } = await startWithMany(6)

    const page = await client.payments.list({ limit: 2, minAmount: 1, maxAmount: 4 })
    const last = await page.nextPage()

    expect([page, last].map((each) => each?.data.map(({ id }) => id))).toEqual([ids.slice(1, 3), ids.slice(3, 5)])
    expect(last?.hasNextPage).toBe(false)
    expect((await last?.previousPage())?.data).toEqual(page.data)
  })

  it('keeps its place while payments are made and move', async () => {
    const { client, ids } = await startWithMany(4)
    const first = await client.payments.list({ limit: 2 })

    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(ids[0] as string, {})
    const rest = await client.payments.list({ limit: 100, cursor: first.nextCursor })

    expect(rest.data.map((row) => row.id)).toEqual([...ids.slice(2), id])
  })

  it('takes a cursor only with the filters it was made for', async () => {
    const { client } = await startWithMany(3)
    const { nextCursor } = await client.payments.list({ limit: 1, currencyCode: 'EUR' })

    const withOthers = await refusal(client.payments.list({ limit: 1, currencyCode: 'USD', cursor: nextCursor }))
    const without = await refusal(client.payments.list({ cursor: nextCursor }))
    const invented = await refusal(client.payments.list({ cursor: 'page-2' }))
    const unreadable = await refusal(client.payments.list({ cursor: 'no base64!' }))

    expect([withOthers, without, invented, unreadable]).toMatchObject(
      Array(4).fill({ status: 400, errorId: 'InvalidCursor' }),
    )
  })

  it('goes on from an empty page, when what was on it no longer fits', async () => {
    const { client, ids } = await startWithMany(2)
    const filters = { status: 'AUTHORIZED', limit: 1 }
    const second = await (await client.payments.list(filters)).nextPage()
    await client.payments.capture(ids[0] as string)

    const empty = await client.payments.list({ ...filters, cursor: second?.prevCursor })
    const after = await client.payments.list({ ...filters, cursor: empty.nextCursor })

    expect(empty.data).toEqual([])
    expect(empty.prevCursor).toBeUndefined()
    expect(after.data.map(({ id }) => id)).toEqual([ids[1]])
  })

  it('goes back from an empty page, too', async () => {
    const { client, ids } = await startWithMany(2)
    const filters = { status: 'AUTHORIZED', limit: 1 }
    const { nextCursor } = await client.payments.list(filters)
    await client.payments.capture(ids[1] as string)

    const empty = await client.payments.list({ ...filters, cursor: nextCursor })
    const before = await client.payments.list({ ...filters, cursor: empty.prevCursor })

    expect(empty.data).toEqual([])
    expect(empty.nextCursor).toBeUndefined()
    expect(before.data.map(({ id }) => id)).toEqual([ids[0]])
    expect(before.nextCursor).toBeUndefined()
  })

  it.each([
    ['another direction', (text: string) => text.replace('on', 'off')],
    ['no position', (text: string) => text.replace('.1.', '..')],
    ['an endless position', (text: string) => text.replace('.1.', '.1000000000000000.')],
    ['something before it', (text: string) => `x${text}`],
    ['something behind it', (text: string) => `${text}x`],
    ['other marks in it', (text: string) => text.replaceAll('.', ',')],
    ['no number for its filters', (text: string) => text.replace(/\d+$/, '')],
  ])('takes no cursor that has %s', async (_, spoil) => {
    const { client } = await startWithMany(2)
    const { nextCursor } = await client.payments.list({ limit: 1 })
    const text = atob(nextCursor as string)

    const cursor = btoa(spoil(text))

    expect(spoil(text)).not.toBe(text)
    expect(await refusal(client.payments.list({ cursor }))).toMatchObject({ status: 400, errorId: 'InvalidCursor' })
  })

  it('makes cursors that need no escaping in a URL', async () => {
    const { client } = await startWithMany(3)

    const pages = await Promise.all([1, 2].map((limit) => client.payments.list({ limit })))
    const back = await pages[0]?.nextPage()

    for (const cursor of [...pages.map((page) => page.nextCursor), back?.prevCursor]) {
      expect(cursor).toMatch(/^[A-Za-z0-9]+$/)
    }
  })

  it('shows a new payment only after the delay', async () => {
    const { client, sandbox } = startSandbox({ listDelay: '60s' })
    const { id } = await client.payments.create(aPayment())
    const listed = async () => (await client.payments.list({ toDate: '2026-12-31' })).data.map((row) => row.id)

    const atOnce = await listed()
    await sandbox.clock.advance('59s')
    const almost = await listed()
    await sandbox.clock.advance('1s')

    expect(atOnce).toEqual([])
    expect(almost).toEqual([])
    expect(await listed()).toEqual([id])
    expect((await client.payments.get(id)).id).toBe(id)
  })

  it('has no pages when there are no payments', async () => {
    const { sandbox } = startSandbox()

    expect((await send(sandbox, 'GET', '/payments')).json).toEqual({ data: [] })
  })
})
