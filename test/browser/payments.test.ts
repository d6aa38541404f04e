import type { Payment } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { expectAccessible, type Inspector, narrow, startInspector } from './support.js'

const body = { paymentMethodToken: 'tok_card', currencyCode: 'EUR' }

/** Creates payments with the order ids `order-1` to `order-<count>`, and declines every fourth. */
async function pay({ client, sandbox }: Inspector, count: number): Promise<void> {
  await client.payments.create({ ...body, orderId: 'order-1', amount: 1 })
  // Adds the payments to a snapshot, because 20,000 requests would take too long.
  const snapshot = sandbox.snapshot()
  const [first] = snapshot.store['payments'] as { payment: Payment }[]
  const payments = Array.from({ length: count }, (_, index) => {
    const status = index % 4 === 3 ? 'DECLINED' : 'AUTHORIZED'
    const own = { id: `pay_${index + 1}`, orderId: `order-${index + 1}`, amount: index + 1, status }
    return { ...first, payment: { ...first?.payment, ...own } }
  })
  sandbox.restore({ ...snapshot, store: { ...snapshot.store, payments } })
}

describe('the list of payments', () => {
  it('splits 20,000 payments into pages, and searches all of them', async () => {
    const inspector = await startInspector()
    await pay(inspector, 20_000)
    const page = await inspector.open()

    await page.getByRole('link', { name: 'order-20000', exact: true }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByRole('link', { name: 'order-19950', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Newest' }).click()
    await page.getByRole('link', { name: 'order-20000', exact: true }).waitFor()
    await page.getByLabel('Search').fill('order-17')
    await page.getByRole('link', { name: 'order-17', exact: true }).waitFor()
    await page.getByLabel('Search').fill('€0.03 EUR')
    await page.getByRole('link', { name: 'order-3', exact: true }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByLabel('Search').fill('')
    await page.getByLabel('Status').selectOption('DECLINED')
    await page.locator('tbody .badge', { hasText: 'AUTHORIZED' }).first().waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'order-19996', exact: true }).waitFor()
  })

  it('shows full amounts and truncates long order IDs at a width of 360 px', async () => {
    const { open, client } = await startInspector()
    const orderId = 'order-with-a-long-identifier'
    await client.payments.create({ ...body, currencyCode: 'USD', orderId, amount: 123_456_789 })
    const page = await open('payments', { viewport: narrow })

    await page.getByRole('link', { name: orderId }).waitFor()

    const cells = page.locator('tbody tr').first().locator('td:visible')
    expect(await cells.evaluateAll((all) => all.map((cell) => cell.scrollWidth > cell.clientWidth))).toEqual([
      true,
      false,
      false,
    ])
    await expectAccessible(page)
  })

  it('keeps the search and the status filter in the page’s URL', async () => {
    const inspector = await startInspector()
    await pay(inspector, 8)
    const page = await inspector.open('payments?search=order-4&status=DECLINED')

    await page.getByRole('link', { name: 'order-4' }).waitFor()

    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByLabel('Search').fill('order-5')
    await page.getByText('No payment matches').waitFor()
    expect(new URL(page.url()).search).toBe('?search=order-5&status=DECLINED')
  })
})
