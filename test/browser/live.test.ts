import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startInspector } from './support.js'

const body = { paymentMethodToken: 'tok_card', orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

describe('the inspector with live updates', () => {
  it('shows new payments and status changes', async () => {
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

  it('adds entries to the displayed timeline, and removes it after a reset', async () => {
    const { open, client } = await startInspector()
    const { id } = await client.payments.create(body)
    const page = await open(`payments/${id}`)
    await client.payments.capture(id)
    await page.getByRole('region', { name: 'Timeline' }).getByText('Became SETTLED').waitFor()

    await page.getByRole('button', { name: 'Reset' }).click()

    await page.getByRole('alert').filter({ hasText: 'no payment' }).waitFor()
    await page.getByRole('button', { name: 'Settle' }).waitFor({ state: 'detached' })
  })

  it('shares one event stream between two tabs', async () => {
    const paths: (string | undefined)[] = []
    const onRequest = (message: unknown) => void paths.push((message as { request: IncomingMessage }).request.url)
    subscribe('http.server.request.start', onRequest)
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
    const { open, client } = await startInspector()
    const pages = [await open(), await open()]

    await client.payments.create(body)
    for (const page of pages) await page.getByRole('link', { name: 'order-1' }).waitFor()

    expect(paths.filter((path) => path === '/__sandbox/')).toHaveLength(2)
    expect(paths.filter((path) => path === '/__sandbox/api/events')).toHaveLength(1)
  })

  it('reports a lost connection, and reconnects', async () => {
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

  it('works in a browser without SharedWorker', async () => {
    const { open, client } = await startInspector()
    const page = await open()
    // Closes the tab, because other tests need a tab with SharedWorker.
    onTestFinished(() => page.close())
    await page.addInitScript('delete globalThis.SharedWorker')
    await page.reload()
    await page.getByText('No payments yet').waitFor()

    await client.payments.create(body)

    await page.getByRole('link', { name: 'order-1' }).waitFor()
  })
})
