import { describe, expect, it } from 'vitest'
import { leastExternalPayment } from '../support/external-payment.js'
import { expectAccessible, goTo, type Inspector, narrow, sections, startInspector, visitAll } from './support.js'

/** Creates data for every section. Returns the id of a payment whose timeline entries are a second apart. */
async function fill({ sandbox, client }: Inspector): Promise<string> {
  const step = async () => {
    await sandbox.webhooks.flush()
    await sandbox.clock.advance('1s')
  }
  sandbox.webhooks.subscribe(() => new Response('Invalid webhook', { status: 400 }))
  const { id } = await client.payments.create({
    paymentMethodToken: sandbox.tokens.card,
    orderId: 'order-1',
    currencyCode: 'EUR',
    amount: 5000,
    customerId: 'customer-1',
    customer: { emailAddress: 'ada@example.com' },
    paymentMethod: { vaultOnSuccess: true },
  })
  await step()
  await client.payments.capture(id, { amount: 3000 })
  await step()
  await client.payments.refund(id, { amount: 1000 })
  await step()
  await client.payments.get('unknown').catch(() => undefined)
  await client.clientSessions.create({ orderId: 'order-2', currencyCode: 'EUR', amount: 700 })
  await client.observability.payments.create(leastExternalPayment)
  sandbox.disputes.open(id)
  sandbox.loyalty.setBalance('connection-1', 'customer-1', 1200)
  sandbox.faults.add({ operation: 'payments.get', status: 503 })
  await sandbox.webhooks.flush()
  return id
}

describe('the inspector’s sections', () => {
  it('shows an explanation in each empty section, and passes accessibility checks', async () => {
    const { open } = await startInspector()
    const page = await open()

    // The explanations have the same style. The other elements, and the other look, are checked with data.
    await expectAccessible(page, [{ viewport: narrow, colorScheme: 'dark' }])
    for (const section of sections.filter((section) => section !== 'Clock')) {
      await goTo(page, section)
      await page.locator('.empty').waitFor()
    }
  })

  it('wraps or truncates long values at a width of 360 px', async () => {
    const { client, open, sandbox, server } = await startInspector()
    const long = (text: string) => text.repeat(125).slice(0, 125)
    const { id } = await client.payments.create({
      paymentMethodToken: 'tok_failed',
      orderId: long('order'),
      currencyCode: 'EUR',
      amount: 9_007_199_254_740_991,
      customerId: long('customer'),
      customer: { emailAddress: `${long('a')}@example.com` },
      paymentMethod: { vaultOnSuccess: true },
    })
    await client.clientSessions.create({ orderId: long('order'), customerId: long('customer') })
    await client.paymentInstruments.vault('tok_card', { customerId: long('customer') })
    await client.observability.payments.create({ ...leastExternalPayment, paymentId: long('external') })
    sandbox.loyalty.setBalance(long('connection'), long('customer'), 9_007_199_254_740_991)
    sandbox.faults.add({
      operation: 'payments.adjustAuthorization',
      body: long('body'),
      headers: { 'x-fault': long('x') },
    })
    sandbox.webhooks.subscribe(`${server.url}/${long('hooks')}`)
    sandbox.disputes.open(id, { reason: long('reason') })
    await fetch(`${server.url}/${long('path')}`, { headers: { 'user-agent': long('agent') } })
    await sandbox.webhooks.flush()
    const page = await open('payments', { viewport: narrow })
    const widths: Record<string, number> = {}
    const measure = async (name: string) => {
      // Waits for the style sheet, which limits the width.
      await page.waitForLoadState()
      widths[name] = await page.evaluate(() => document.documentElement.scrollWidth)
    }

    await visitAll(page, measure)

    expect(widths).toEqual(Object.fromEntries(Object.keys(widths).map((name) => [name, narrow.width])))
  })

  it('passes accessibility checks for the lists and details of each section', async () => {
    const inspector = await startInspector()
    await fill(inspector)
    const page = await inspector.open()

    await visitAll(page, () => expectAccessible(page))
  })
})

describe('the inspector’s page for a payment', () => {
  it('shows a payment’s statuses, requests, webhooks and disputes, oldest first', async () => {
    const inspector = await startInspector()
    const id = await fill(inspector)
    const page = await inspector.open(`payments/${id}`)

    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    const entries = await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').allInnerTexts()

    expect(entries.map((entry) => entry.split('\n')[0]?.replace(/dispute_\w+/, '…'))).toEqual([
      'payments.create 200 succeeded',
      'Created as AUTHORIZED',
      'Webhook PAYMENT.STATUS 400',
      'payments.capture 200 succeeded',
      'Became SETTLED',
      'payments.refund 200 succeeded',
      'Dispute … OPEN €50.00 EUR, FRAUDULENT',
    ])
  })

  it('shows the idempotency key of each request, and marks requests that reuse a key', async () => {
    const { client, open, sandbox } = await startInspector()
    const body = { paymentMethodToken: 'tok_card', orderId: 'order-1', currencyCode: 'EUR', amount: 700 }
    const { id } = await client.payments.create(body, { idempotencyKey: 'create-1' })
    sandbox.faults.add({ operation: 'payments.capture', at: 'after', status: 503, headers: { 'retry-after': '0' } })
    await client.payments.capture(id, {}, { idempotencyKey: 'capture-1' })
    await client.payments.get(id)
    const page = await open(`payments/${id}`)

    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    const entries = await page.getByRole('region', { name: 'Timeline' }).locator('.request .entry').allInnerTexts()

    expect(entries.map((entry) => entry.split(/\s*\n+/).slice(0, 2))).toEqual([
      ['payments.create 200 succeeded', 'Key create-1'],
      ['payments.capture 503 unknown', 'Key capture-1'],
      ['payments.capture 200 succeeded', 'Key capture-1 repeats the key'],
      ['payments.get 200 succeeded'],
    ])
  })

  it('shows the decision, order and number that an order’s idempotency key contains', async () => {
    const { client, open } = await startInspector()
    const body = { paymentMethodToken: 'tok_card', orderId: 'order-1', currencyCode: 'EUR', amount: 700 }
    const { id } = await client.payments.create(body, { idempotencyKey: 'pay-order%2D1-1' })
    await client.payments.capture(id, {}, { idempotencyKey: 'capture-order%2D1-parcel%2D1-2' })
    const page = await open(`payments/${id}`)

    const keys = await page.getByRole('region', { name: 'Timeline' }).locator('.request p').allInnerTexts()

    expect(keys.map((key) => key.trim())).toEqual([
      'Key pay-order%2D1-1 (pay, order order-1, number 1)',
      'Key capture-order%2D1-parcel%2D1-2 (capture parcel-1, order order-1, number 2)',
    ])
  })

  it('formats each amount with its currency’s code and number of decimals', async () => {
    const { open, client } = await startInspector()
    for (const currencyCode of ['EUR', 'JPY', 'KWD', 'CHF']) {
      await client.payments.create({
        paymentMethodToken: 'tok_card',
        orderId: currencyCode,
        currencyCode,
        amount: 7000,
      })
    }
    const page = await open()

    await page.getByRole('link', { name: 'CHF' }).waitFor()
    const amounts = await page.locator('tbody td.num').allInnerTexts()

    expect(amounts.map((amount) => amount.replace(/\s/g, ' '))).toEqual([
      'CHF 70.00',
      'KWD 7.000',
      '¥7,000 JPY',
      '€70.00 EUR',
    ])
  })
})

describe('the inspector’s list of requests', () => {
  it('shows no outcome for a 2xx response whose recorded body is truncated', async () => {
    const { open, client, sandbox } = await startInspector()
    const bodies = [{ error: { errorId: 'Failed' } }, JSON.stringify('x'.repeat(70_000)), '{"id":']
    for (const body of bodies) {
      sandbox.faults.add({ operation: 'payments.get', status: 200, body })
      await client.payments.get('payment-1', { maxRetries: 0 }).catch(() => undefined)
    }
    const page = await open('requests')

    await page.locator('tbody tr').nth(2).waitFor()
    const outcomes = await page.locator('tbody td:nth-child(3)').allInnerTexts()

    expect(outcomes).toEqual(['accepted', '–', 'unknown'])
  })

  it('shows an outcome only for requests that this SDK sent', async () => {
    const { open, client, server, sandbox } = await startInspector()
    sandbox.faults.add({ operation: 'payments.capture', at: 'after', reset: true, times: 3 })
    const body = { paymentMethodToken: 'tok_card', orderId: 'order-1', currencyCode: 'EUR', amount: 700 }
    const { id } = await client.payments.create(body)
    await client.payments.capture(id, {}, { maxRetries: 0 }).catch(() => undefined)
    await client.payments.get('unknown').catch(() => undefined)
    await fetch(`${server.url}/payments/${id}`, { headers: { 'x-api-key': sandbox.apiKey } })
    const page = await open('requests')

    await page.locator('tbody tr').nth(3).waitFor()
    const outcomes = await page.locator('tbody td:nth-child(3)').allInnerTexts()

    expect(outcomes).toEqual(['–', 'rejected', 'unknown', 'succeeded'])
  })
})
