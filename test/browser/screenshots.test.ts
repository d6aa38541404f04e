import { mkdirSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type Inspector, startInspector } from './support.js'

const folder = 'docs/guides/images'

/** Creates the data for the screenshots at a fixed time. Returns the id of the payment to show. */
async function fill({ client, sandbox }: Inspector): Promise<string> {
  const orders = [
    ['order-1041', 'tok_card', 'EUR', 4900, 'ada@example.com'],
    ['order-1042', 'tok_declined', 'USD', 12_900, 'grace@example.com'],
    ['order-1043', 'tok_requires3ds', 'EUR', 2450, 'alan@example.com'],
    ['order-1044', 'tok_klarna', 'SEK', 89_900, 'edsger@example.com'],
    ['order-1045', 'tok_card', 'JPY', 5400, 'barbara@example.com'],
    ['order-1046', 'tok_card', 'EUR', 5000, 'ada@example.com'],
  ] as const
  let id = ''
  for (const [orderId, paymentMethodToken, currencyCode, amount, emailAddress] of orders) {
    // Sets the key, because a generated key would change the screenshot in each run.
    const payment = await client.payments.create(
      { orderId, paymentMethodToken, currencyCode, amount, customer: { emailAddress } },
      { idempotencyKey: orderId },
    )
    id = payment.id
    if (orderId === 'order-1044') await client.payments.capture(id)
    if (orderId === 'order-1045') await client.payments.cancel(id)
    await sandbox.clock.advance('7m')
  }
  sandbox.webhooks.subscribe(() => new Response('Invalid webhook', { status: 400 }))
  await client.payments.capture(id, { amount: 3000 }, { idempotencyKey: 'capture-1046' })
  await client.payments.refund(id, { amount: 1000 }, { idempotencyKey: 'refund-1046' })
  await sandbox.webhooks.flush()
  return id
}

it('takes the screenshots for the guide to the inspector', async () => {
  const inspector = await startInspector(0, { seed: 'screenshots', now: new Date('2026-03-02T09:00:00Z') })
  const id = await fill(inspector)
  const page = await inspector.open('payments', { viewport: { width: 1100, height: 560 } })
  mkdirSync(folder, { recursive: true })

  await page.goto(`${inspector.server.url}/__sandbox/payments/${id}`)
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  await take(page, 'inspector-payment')
  await page.goto(`${inspector.server.url}/__sandbox/webhooks`)
  await page.getByRole('link', { name: 'PAYMENT.STATUS' }).first().click()
  await page.getByRole('region', { name: 'Result' }).waitFor()
  await take(page, 'inspector-webhook')
  await page.goto(`${inspector.server.url}/__sandbox/payments`)
  await page.getByRole('link', { name: 'order-1041' }).waitFor()
  // Waits until the page shows the sandbox's clock.
  await page.getByText('2026-03-02 09:42:00 UTC').first().waitFor()
  await take(page, 'inspector-payments')
})

/** Takes a screenshot of the visible part of the page. Playwright cannot write WebP, which is half as large as PNG. */
async function take(page: Page, name: string): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish()
  })
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  const image = Buffer.from(data, 'base64')
  writeFileSync(`${folder}/${name}.webp`, image)
  expect(image.length).toBeLessThan(50_000)
}
