import { describe, expect, it } from 'vitest'
import { act, startInspector } from './support.js'

const body = { paymentMethodToken: 'tok_card', orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

describe('the inspector with live updates', () => {
  it('shows new payments and status changes as they happen', async () => {
    const { open, client } = await startInspector()
    const page = await open()
    await page.getByText('No payments yet').waitFor()

    const { id } = await client.payments.create(body)
    await page.getByRole('row', { name: /order-1.*AUTHORIZED/ }).waitFor()
    await client.payments.capture(id)

    await page.getByRole('row', { name: /order-1.*SETTLED/ }).waitFor()
  })

  it('removes a payment whose status no longer matches the filter', async () => {
    const { open, client } = await startInspector()
    const { id } = await client.payments.create(body)
    const page = await open('payments?status=AUTHORIZED&search=order-1')
    await page.getByRole('link', { name: 'order-1' }).waitFor()

    await client.payments.capture(id)

    await page.getByText('No payment matches').waitFor()
  })

  it('adds entries to the open payment’s timeline, and removes it after a reset', async () => {
    const { open, client } = await startInspector()
    const { id } = await client.payments.create(body)
    const page = await open(`payments/${id}`)
    await client.payments.capture(id)
    await page.getByRole('region', { name: 'Timeline' }).getByText('Became SETTLED').waitFor()

    await page.getByRole('button', { name: 'Reset' }).click()

    await page.getByRole('alert').filter({ hasText: 'no payment' }).waitFor()
    await page.getByRole('button', { name: 'Settle' }).waitFor({ state: 'detached' })
  })

  it('keeps focus, edited fields and messages during live updates', async () => {
    const { open, client, sandbox } = await startInspector()
    const { id } = await client.payments.create(body)
    const page = await open(`payments/${id}`)
    await act(page, 'Settle')
    await page.getByLabel('Reason').fill('DUPLICATE')

    sandbox.disputes.open(id)
    await page.getByRole('region', { name: 'Timeline' }).getByText('OPEN').waitFor()

    expect(await page.getByLabel('Reason').inputValue()).toBe('DUPLICATE')
    expect(await page.getByLabel('Reason').evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await page.locator('.notice:not(:empty)').allInnerTexts()).toEqual(['The payment was settled.'])
    expect(await page.getByRole('button', { name: 'Settle' }).isDisabled()).toBe(true)
  })

  it('shows that the live connection was lost, and reconnects', async () => {
    const { open, client, server } = await startInspector()
    await client.payments.create(body)
    const page = await open()
    await page.getByRole('link', { name: 'order-1' }).waitFor()
    const { port } = new URL(server.url)

    await server.close()
    await page.getByRole('status').filter({ hasText: 'Connection lost' }).waitFor()
    expect(await page.getByRole('link', { name: 'order-1' }).isVisible()).toBe(true)

    const restarted = await startInspector(Number(port))
    await restarted.client.payments.create({ ...body, orderId: 'order-2' })
    await page.getByRole('link', { name: 'order-2' }).waitFor()
    await page.getByText('Connection lost').waitFor({ state: 'detached' })
  })
})
