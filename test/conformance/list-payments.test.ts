import { expect, it } from 'vitest'
import type { ListPaymentsParams } from '../../src/index.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

/** Starts a sandbox with four payments, created an hour apart, which differ in every field that can be filtered. */
async function startWithPayments(start: Start) {
  const service = await start()
  const { client, sandbox } = service
  const customer = { emailAddress: 'zoe@example.com' }
  const bodies = {
    card: aPayment({ orderId: 'order-card', amount: 1000, customerId: 'customer-1', customer }),
    paypal: aPayment({ paymentMethodToken: sandbox.tokens.paypal, amount: 2000, currencyCode: 'USD' }),
    klarna: aPayment({ paymentMethodToken: sandbox.tokens.klarna, amount: 3000 }),
    pending: aPayment({ paymentMethodToken: sandbox.tokens.pending, amount: 4000 }),
  }
  const names: Record<string, string> = {}
  for (const [name, body] of Object.entries(bodies)) {
    const { id } = await client.payments.create(body)
    names[id] = name
    if (name === 'klarna') await client.payments.capture(id)
    if (name === 'pending') {
      await client.payments.authorize(id, { processor: { name: 'OTHER', processorMerchantId: 'merchant-b' } })
    }
    await sandbox.clock.advance('1h')
  }
  const namesOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => names[id])
  const find = async (params: ListPaymentsParams) => namesOf((await client.payments.list(params)).data)
  const query = () => new URL(service.requests.at(-1)?.url ?? '').search
  return { ...service, find, namesOf, query }
}

const all = ['card', 'paypal', 'klarna', 'pending']

describeService('GET /payments', (start) => {
  it('the service omits customer, payment method, transactions and risk data in lists', async () => {
    const { client } = await startWithPayments(start)

    const { data } = await client.payments.list({ orderId: 'order-card' })

    const [row = { id: '' }] = data
    const { customer, customerId, paymentMethod, transactions, riskData, ...rest } = await client.payments.get(row.id)
    expect(row).toEqual(rest)
    expect([customer, customerId, paymentMethod, transactions, riskData]).not.toContain(undefined)
  })

  it('the service lists a new payment within a minute of its creation', async () => {
    const { client, sandbox } = await start({ listDelay: '60s' })
    const { id } = await client.payments.create(aPayment())
    const listed = async () => (await client.payments.list()).data.map((row) => row.id)

    const atOnce = await listed()
    await sandbox.clock.advance('60s')

    expect(atOnce).toEqual([])
    expect(await listed()).toEqual([id])
  })

  it('the service lists all payments if no filter is given', async () => {
    const { find, query } = await startWithPayments(start)

    expect(await find({})).toEqual(all)
    expect(query()).toBe('')
  })

  it.each<[title: string, ListPaymentsParams, expected: string[], query: string]>([
    ['the service filters payments by status', { status: 'SETTLING' }, ['klarna'], '?status=SETTLING'],
    [
      'the service filters payments by payment method type',
      { paymentMethodType: 'PAYMENT_CARD' },
      ['card', 'pending'],
      '?payment_method_type=PAYMENT_CARD',
    ],
    ['the service filters payments by processor', { processor: 'OTHER' }, ['pending'], '?processor=OTHER'],
    ['the service filters payments by currency', { currencyCode: 'USD' }, ['paypal'], '?currency_code=USD'],
    ['the service filters payments by order', { orderId: 'order-card' }, ['card'], '?order_id=order-card'],
    [
      'the service lists payments of at least the given amount',
      { minAmount: 3000 },
      ['klarna', 'pending'],
      '?min_amount=3000',
    ],
    [
      'the service lists payments of at most the given amount',
      { maxAmount: 2000 },
      ['card', 'paypal'],
      '?max_amount=2000',
    ],
    ['the service filters payments by customer', { customerId: 'customer-1' }, ['card'], '?customer_id=customer-1'],
    [
      'the service filters payments by the processor’s merchant ID',
      { merchantId: 'merchant-b' },
      ['pending'],
      '?merchant_id=merchant-b',
    ],
    [
      'the service filters payments by the customer’s e-mail address',
      { customerEmailAddress: 'zoe@example.com' },
      ['card'],
      '?customer_email_address=zoe%40example.com',
    ],
    [
      'the service filters payments by the last four digits of the card',
      { last4Digits: '1111' },
      ['card'],
      '?last_4_digits=1111',
    ],
    [
      'the service filters payments by the e-mail address of a partner A account',
      { partneraEmail: 'wallet@example.com' },
      ['paypal'],
      '?partnera_email=wallet%40example.com',
    ],
    [
      'the service filters payments by the e-mail address of a partner B account',
      { partnerbEmail: 'later@example.com' },
      ['klarna'],
      '?partnerb_email=later%40example.com',
    ],
    ['the service returns at most `limit` payments per page', { limit: 3 }, ['card', 'paypal', 'klarna'], '?limit=3'],
    [
      'the service lists payments that match all of several filters',
      { paymentMethodType: 'PAYMENT_CARD', minAmount: 1001 },
      ['pending'],
      '?payment_method_type=PAYMENT_CARD&min_amount=1001',
    ],
  ])('%s', async (_, params, expected, sent) => {
    const { find, query } = await startWithPayments(start)

    expect(await find(params)).toEqual(expected)
    expect(query()).toBe(sent)
  })

  it('the service lists payments created at or after the given time', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ fromDate: '2026-01-31T14:00:00Z' })
    const sent = query()
    const later = await find({ fromDate: new Date('2026-01-31T14:00:00.001Z') })

    expect([found, later]).toEqual([['klarna', 'pending'], ['pending']])
    expect(sent).toBe('?from_date=2026-01-31T14%3A00%3A00Z')
  })

  it('the service lists payments created at or before the given time', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ toDate: '2026-01-31T13:00:00Z' })
    const sent = query()
    const earlier = await find({ toDate: new Date('2026-01-31T12:59:59.999Z') })

    expect([found, earlier]).toEqual([['card', 'paypal'], ['card']])
    expect(sent).toBe('?to_date=2026-01-31T13%3A00%3A00Z')
  })

  it('the service returns the next page if the request has the previous page’s cursor', async () => {
    const { client, find, query } = await startWithPayments(start)
    const { nextCursor } = await client.payments.list({ limit: 3 })

    expect(await find({ limit: 3, cursor: nextCursor })).toEqual(['pending'])
    expect(query()).toBe(`?limit=3&cursor=${nextCursor}`)
  })

  it('the service lists payments that match any of several comma-separated values', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ status: ['SETTLING', 'DECLINED'] })
    const sent = query()
    const more = await find({ status: ['AUTHORIZED', 'SETTLING'] })

    expect([found, more]).toEqual([['klarna'], all])
    expect(decodeURIComponent(sent)).toBe('?status=SETTLING,DECLINED')
  })

  it('the service returns a page, and a cursor for each direction with more payments', async () => {
    const { ask, client, namesOf } = await startWithPayments(start)
    const first = await client.payments.list({ limit: 2 })

    const { json } = await ask('GET', `/payments?limit=1&cursor=${first.nextCursor}`)
    const whole = await ask('GET', '/payments')

    expect(json).toEqual({ data: [expect.any(Object)], nextCursor: expect.any(String), prevCursor: expect.any(String) })
    expect(namesOf(json['data'] as { id: string }[])).toEqual(['klarna'])
    expect(Object.keys(whole.json)).toEqual(['data'])
  })

  it('the service returns the next page for nextCursor and the previous for prevCursor', async () => {
    const { client, namesOf } = await startWithPayments(start)

    const first = await client.payments.list({ limit: 2 })
    const second = await client.payments.list({ limit: 2, cursor: first.nextCursor })
    const again = await client.payments.list({ limit: 2, cursor: second.prevCursor })

    expect([first, second, again].map(({ data }) => namesOf(data))).toEqual([
      ['card', 'paypal'],
      ['klarna', 'pending'],
      ['card', 'paypal'],
    ])
  })
})
