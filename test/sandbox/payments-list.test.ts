import { describe, expect, it } from 'vitest'
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
  ]

  it.each(filters)('finds by %j', async (params, expected) => {
    const { client, namesOf } = await startWithPayments()

    const { data } = await client.payments.list(params)

    expect(namesOf(data)).toEqual(expected)
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

  it.each(['0', '101', 'ten', '1.5'])('refuses a limit of %s', async (limit) => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'GET', `/payments?limit=${limit}`)

    expect(status).toBe(400)
    expect(json.error.validationErrors).toMatchObject([{ model: 'query', errors: [{ path: '$.limit' }] }])
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

    const pages = [first, second, third, secondAgain, firstAgain].map((page) => page?.data.map(({ id }) => id))
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), ids.slice(2, 4), ids.slice(0, 2)])
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

  it('shows a new payment only after the delay', async () => {
    const { client, sandbox } = startSandbox({ listDelay: '60s' })
    const { id } = await client.payments.create(aPayment())
    const listed = async () => (await client.payments.list()).data.map((row) => row.id)

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
