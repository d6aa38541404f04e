import { describe, expect, it } from 'vitest'
import { sendTo, startControl } from '../support/control.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { goTo, startInspector, visitAll } from './support.js'

/** Markup that would run a script, a control character, and a character that reverses the following text. */
const hostile = '<img src=x onerror=alert(1)><b>bold</b>\u0007\u202egnp'
const shown = '<img src=x onerror=alert(1)><b>bold</b>\\u0007\\u202egnp'

describe('untrusted data in the inspector', () => {
  it('shows untrusted data as plain text, with escaped control characters', async () => {
    const { open, client, sandbox, server } = await startInspector()
    const { id } = await client.payments.create({
      paymentMethodToken: 'tok_card',
      orderId: hostile,
      currencyCode: 'EUR',
      amount: 700,
      customerId: hostile,
      customer: { firstName: hostile },
      metadata: { [hostile]: hostile },
      paymentMethod: { vaultOnSuccess: true },
    })
    await client.clientSessions.create({ orderId: hostile, customerId: hostile, currencyCode: 'EUR', amount: 700 })
    await client.observability.payments.create({ ...leastExternalPayment, paymentId: hostile })
    sandbox.loyalty.setBalance(hostile, hostile, 1)
    sandbox.disputes.open(id, { reason: hostile })
    sandbox.faults.add({ operation: 'payments.list', body: hostile, headers: { 'x-fault': '<b>bold</b>' } })
    sandbox.webhooks.subscribe(() => new Response(hostile, { status: 500 }))
    sandbox.processor.settle(id)
    await sandbox.webhooks.flush()
    await fetch(`${server.url}/payments/${encodeURIComponent(hostile)}`, { headers: { 'user-agent': '<b>bold</b>' } })
    const page = await open()

    let count = 0
    const check = async () => {
      expect(await page.locator('b, main img').count()).toBe(0)
      const text = await page.evaluate(() => document.body.innerText)
      expect(text).not.toContain('\u0007')
      expect(text).not.toContain('\u202e')
      if (text.includes(shown)) count++
    }
    await visitAll(page, check)
    await goTo(page, 'Payments')
    await page.locator('tbody a').first().click()
    await page.getByRole('button', { name: 'Copy as test' }).click()
    await page.getByRole('region', { name: 'Test' }).getByText('vitest').first().waitFor()
    await check()
    // Lists truncate long text only with CSS, so the document contains all of it.
    expect(count).toBeGreaterThanOrEqual(7)
  })
})

describe('the inspector page', () => {
  it('serves the inspector page with a strict Content-Security-Policy', async () => {
    const { url } = await startControl()

    const page = await sendTo(`${url}/__sandbox/`)
    const script = await sendTo(`${url}/__sandbox/app.js?v=1`)

    expect(page.text).toMatch(/^<!doctype html>/)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(page.headers['content-security-policy']?.toString().split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it('responds 404 for files outside the inspector page, and 405 to POST', async () => {
    const { url } = await startControl()

    const responses = await Promise.all(
      ['constructor', '__proto__', '../package.json', '%2e%2e/package.json', 'app.map'].map((name) =>
        sendTo(`${url}/__sandbox/${name}`),
      ),
    )
    const posted = await sendTo(`${url}/__sandbox/`, { method: 'POST' })

    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET'])
  })
})
