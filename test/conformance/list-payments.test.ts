import { expect, it } from 'vitest'
import type { ListPaymentsParams } from '../../src/index.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

/** Four payments, an hour apart, that differ in everything a list can be filtered by, and who of them a list finds. */
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
  /** Query of the last request. */
  const query = () => new URL(service.requests.at(-1)?.url ?? '').search
  return { ...service, find, namesOf, query }
}

const all = ['card', 'paypal', 'klarna', 'pending']

describeService('GET /payments', (start) => {
  it('list.summaries: leaves out customer, order and payment method', async () => {
    const { client } = await startWithPayments(start)

    const { data } = await client.payments.list({ orderId: 'order-card' })

    const [row = { id: '' }] = data
    const { customer, customerId, paymentMethod, transactions, riskData, ...rest } = await client.payments.get(row.id)
    expect(row).toEqual(rest)
    expect([customer, customerId, paymentMethod, transactions, riskData]).not.toContain(undefined)
  })

  it('list.delay: shows a new payment within a minute, and not before', async () => {
    const { client, sandbox } = await start({ listDelay: '60s' })
    const { id } = await client.payments.create(aPayment())
    const listed = async () => (await client.payments.list()).data.map((row) => row.id)

    const atOnce = await listed()
    await sandbox.clock.advance('60s')

    expect(atOnce).toEqual([])
    expect(await listed()).toEqual([id])
  })

  it('list.optional: lists everything where nothing is asked for', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({})

    expect(found).toEqual(all)
    expect(query()).toBe('')
  })

  it('list.status: finds by status', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ status: 'SETTLING' })

    expect(found).toEqual(['klarna'])
    expect(query()).toBe('?status=SETTLING')
  })

  it('list.payment-method-type: finds by payment method type', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ paymentMethodType: 'PAYMENT_CARD' })

    expect(found).toEqual(['card', 'pending'])
    expect(query()).toBe('?payment_method_type=PAYMENT_CARD')
  })

  it('list.processor: finds by processor', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ processor: 'OTHER' })

    expect(found).toEqual(['pending'])
    expect(query()).toBe('?processor=OTHER')
  })

  it('list.currency-code: finds by currency', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ currencyCode: 'USD' })

    expect(found).toEqual(['paypal'])
    expect(query()).toBe('?currency_code=USD')
  })

  it('list.from-date: finds from a date on, that instant included', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ fromDate: '2026-01-31T14:00:00Z' })
    const sent = query()
    const later = await find({ fromDate: new Date('2026-01-31T14:00:00.001Z') })

    expect([found, later]).toEqual([['klarna', 'pending'], ['pending']])
    expect(sent).toBe('?from_date=2026-01-31T14%3A00%3A00Z')
  })

  it('list.to-date: finds up to a date, that instant included', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ toDate: '2026-01-31T13:00:00Z' })
    const sent = query()
    const earlier = await find({ toDate: new Date('2026-01-31T12:59:59.999Z') })

    expect([found, earlier]).toEqual([['card', 'paypal'], ['card']])
    expect(sent).toBe('?to_date=2026-01-31T13%3A00%3A00Z')
  })

  it('list.order-id: finds the payments of an order', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ orderId: 'order-card' })

    expect(found).toEqual(['card'])
    expect(query()).toBe('?order_id=order-card')
  })

  it('list.min-amount: finds from an amount on, that amount included', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ minAmount: 3000 })

    expect(found).toEqual(['klarna', 'pending'])
    expect(query()).toBe('?min_amount=3000')
  })

  it('list.max-amount: finds up to an amount, that amount included', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ maxAmount: 2000 })

    expect(found).toEqual(['card', 'paypal'])
    expect(query()).toBe('?max_amount=2000')
  })

  it('list.customer-id: finds the payments of a customer', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ customerId: 'customer-1' })

    expect(found).toEqual(['card'])
    expect(query()).toBe('?customer_id=customer-1')
  })

  it('list.merchant-id: finds by the merchant at the processor', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ merchantId: 'merchant-b' })

    expect(found).toEqual(['pending'])
    expect(query()).toBe('?merchant_id=merchant-b')
  })

  it('list.customer-email-address: finds by the customer’s e-mail address', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ customerEmailAddress: 'zoe@example.com' })

    expect(found).toEqual(['card'])
    expect(query()).toBe('?customer_email_address=zoe%40example.com')
  })

  it('list.last-4-digits: finds by the last digits of the card', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ last4Digits: '1111' })

    expect(found).toEqual(['card'])
    expect(query()).toBe('?last_4_digits=1111')
  })

  it('list.partnera-email: finds by the e-mail address of a wallet account', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ partneraEmail: 'wallet@example.com' })

    expect(found).toEqual(['paypal'])
    expect(query()).toBe('?partnera_email=wallet%40example.com')
  })

  it('list.partnerb-email: finds by the e-mail address of another account', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ partnerbEmail: 'later@example.com' })

    expect(found).toEqual(['klarna'])
    expect(query()).toBe('?partnerb_email=later%40example.com')
  })

  it('list.limit: shows no more on a page than asked for', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ limit: 3 })

    expect(found).toEqual(['card', 'paypal', 'klarna'])
    expect(query()).toBe('?limit=3')
  })

  it('list.cursor: goes on where the page before ended', async () => {
    const { client, find, query } = await startWithPayments(start)
    const { nextCursor } = await client.payments.list({ limit: 3 })

    const found = await find({ limit: 3, cursor: nextCursor })

    expect(found).toEqual(['pending'])
    expect(query()).toBe(`?limit=3&cursor=${nextCursor}`)
  })

  it('list.combined: finds what fits all parameters', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ paymentMethodType: 'PAYMENT_CARD', minAmount: 1001 })

    expect(found).toEqual(['pending'])
    expect(query()).toBe('?payment_method_type=PAYMENT_CARD&min_amount=1001')
  })

  it('list.comma: finds what fits any of several values', async () => {
    const { find, query } = await startWithPayments(start)

    const found = await find({ status: ['SETTLING', 'DECLINED'] })
    const sent = query()
    const more = await find({ status: ['AUTHORIZED', 'SETTLING'] })

    expect([found, more]).toEqual([['klarna'], all])
    expect(decodeURIComponent(sent)).toBe('?status=SETTLING,DECLINED')
  })

  it('list.response: has rows, and a cursor where there is something on that side', async () => {
    const { ask, client, namesOf } = await startWithPayments(start)
    const first = await client.payments.list({ limit: 2 })

    const { json } = await ask('GET', `/payments?limit=1&cursor=${first.nextCursor}`)
    const whole = await ask('GET', '/payments')

    expect(json).toEqual({ data: [expect.any(Object)], nextCursor: expect.any(String), prevCursor: expect.any(String) })
    expect(namesOf(json['data'] as { id: string }[])).toEqual(['klarna'])
    expect(Object.keys(whole.json)).toEqual(['data'])
  })

  it('list.back: goes forward with nextCursor, and back with prevCursor', async () => {
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
