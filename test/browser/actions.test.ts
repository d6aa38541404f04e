import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PaymentsClient } from 'payments-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { act, goTo, startInspector } from './support.js'

/** Creates a payment. The token selects the sandbox scenario. */
function pay(client: PaymentsClient, paymentMethodToken: string) {
  return client.payments.create({ paymentMethodToken, orderId: 'order-1', currencyCode: 'EUR', amount: 5000 })
}

/** Starts a webhook receiver that responds with the given status. */
async function startReceiver(status = 200) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    bodies.push(body)
    response.writeHead(status).end('from the receiver')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, bodies }
}

describe('a payment’s page in the inspector', () => {
  it.each([
    { action: 'Settle', token: 'tok_card', status: 'SETTLED' },
    { action: 'Authorize', token: 'tok_pending', status: 'AUTHORIZED' },
    { action: 'Decline', token: 'tok_pending', status: 'DECLINED' },
    { action: 'Fail', token: 'tok_card', status: 'FAILED' },
  ])(
    'changes the payment’s status to $status when the button $action is clicked',
    async ({ action, token, status }) => {
      const { open, client } = await startInspector()
      const { id } = await pay(client, token)
      const page = await open(`payments/${id}`)

      await act(page, action)

      await page.locator('.heading').getByText(status).waitFor()
      expect((await client.payments.get(id)).status).toBe(status)
    },
  )

  it('shows the resume token after Complete action is clicked', async () => {
    const { open, client } = await startInspector()
    const { id } = await pay(client, 'tok_requires3ds')
    const page = await open(`payments/${id}`)

    const message = await act(page, 'Complete action')

    const resumeToken = message.split(' ').at(-1) as string
    expect(await client.payments.resume(id, { resumeToken })).toMatchObject({ status: 'AUTHORIZED' })
  })

  it('finishes a refund with the status selected in the Finish refund form', async () => {
    const { open, client } = await startInspector()
    const { id } = await pay(client, 'tok_card')
    await client.payments.capture(id)
    await client.payments.refund(id)
    const page = await open(`payments/${id}`)

    await act(page, 'Finish refund', { Status: 'FAILED' })

    const { transactions } = await client.payments.get(id)
    expect(transactions?.at(-1)).toMatchObject({ transactionType: 'REFUND', processorStatus: 'FAILED' })
  })

  it('opens a dispute, changes its status, and sends webhooks with the entered values', async () => {
    const { open, client, sandbox } = await startInspector()
    const events: unknown[] = []
    sandbox.webhooks.subscribe(async (request) => {
      events.push(await request.json())
      return new Response()
    })
    const { id } = await pay(client, 'tok_card')
    const page = await open(`payments/${id}`)

    await act(page, 'Open dispute', { Amount: '1200', Reason: 'DUPLICATE' })
    await page.getByRole('region', { name: 'Timeline' }).getByText('OPEN').waitFor()
    await act(page, 'Move dispute', { Status: 'WON' })

    await page.getByRole('region', { name: 'Timeline' }).getByText('WON').waitFor()
    await sandbox.webhooks.flush()
    expect(events.slice(-2)).toMatchObject([
      { amount: 1200, reason: 'DUPLICATE', status: 'OPEN' },
      { amount: 1200, reason: 'DUPLICATE', status: 'WON' },
    ])
  })

  it('disables an action that the payment’s status does not allow, and shows why', async () => {
    const { open, client } = await startInspector()
    const { id } = await pay(client, 'tok_declined')
    const page = await open(`payments/${id}`)

    const settle = page.getByRole('button', { name: 'Settle' })
    await settle.waitFor()

    expect(await settle.isDisabled()).toBe(true)
    expect(await settle.getAttribute('title')).toBe('Needs the status AUTHORIZED or SETTLING')
  })
})

describe('the webhooks page in the inspector', () => {
  it('subscribes a URL, redelivers a webhook and unsubscribes the URL', async () => {
    const { open, client, sandbox } = await startInspector()
    const receiver = await startReceiver()
    const page = await open('webhooks')

    await act(page, 'Subscribe', { URL: receiver.url })
    await pay(client, 'tok_card')
    await sandbox.webhooks.flush()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('Delivered again.').waitFor()
    expect(receiver.bodies).toHaveLength(2)
    expect(receiver.bodies[1]).toBe(receiver.bodies[0])

    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByText('No URL is subscribed.').waitFor()
    await pay(client, 'tok_card')
    await sandbox.webhooks.flush()
    expect(receiver.bodies).toHaveLength(2)
  })

  it('copies the exact body of a webhook to the clipboard', async () => {
    const { open, client, sandbox } = await startInspector()
    const receiver = await startReceiver()
    sandbox.webhooks.subscribe(receiver.url)
    await pay(client, 'tok_card')
    await sandbox.webhooks.flush()
    const page = await open('webhooks')
    await page.getByRole('link', { name: 'PAYMENT.STATUS' }).click()

    const body = page.getByRole('region', { name: 'Body', exact: true })
    await body.getByRole('button', { name: 'Copy' }).click()
    await body.getByText('Copied').waitFor()

    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(receiver.bodies[0])
  })

  it('explains why a receiver rejected a webhook, and checks the receiver’s secret', async () => {
    const { open, client, sandbox } = await startInspector()
    const receiver = await startReceiver(401)
    sandbox.webhooks.subscribe(receiver.url)
    await pay(client, 'tok_card')
    await sandbox.webhooks.flush()
    const page = await open('webhooks')

    await page.getByRole('link', { name: 'PAYMENT.STATUS' }).click()
    const reason = await page.getByRole('region', { name: 'Result' }).innerText()
    expect(reason).toContain('The receiver responded 401')
    expect(reason).toContain('Wrong secret')
    expect(reason).toContain('Changed body')
    expect(reason).toContain('Clock')
    expect(await page.getByRole('region', { name: 'Response body' }).innerText()).toContain('from the receiver')

    expect(await act(page, 'Check secret', { Secret: 'another secret of another receiver' })).toContain(
      'No signature matches',
    )
    expect(await act(page, 'Check secret', { Secret: `"${sandbox.webhooks.secret}"` })).toContain('quotes')
    expect(await act(page, 'Check secret', { Secret: sandbox.webhooks.secret })).toContain('the signature matches')
  })

  it('rotates the signing secret, and shows the new one', async () => {
    const { open, sandbox } = await startInspector()
    const page = await open('webhooks')

    expect(await act(page, 'Rotate secret')).toContain(sandbox.webhooks.secret)
  })
})

describe('the inspector', () => {
  it('creates and revokes an API key', async () => {
    const { open, client } = await startInspector()
    const page = await open('requests')

    const message = await act(page, 'Create API key', { Scopes: 'transactions:retrieve, transactions:refund' })
    const limited = client.withOptions({ apiKey: message.split(' ').at(-1) as string })
    expect(await limited.payments.list()).toMatchObject({ data: [] })

    await act(page, 'Revoke API key', { 'API key': message.split(' ').at(-1) as string })
    await expect(limited.payments.list()).rejects.toMatchObject({ httpStatus: 401 })
  })

  it('creates a payment method token for a client session and a scenario', async () => {
    const { open, client } = await startInspector()
    const { clientToken } = await client.clientSessions.create({ orderId: 'order-7', currencyCode: 'EUR', amount: 700 })
    const page = await open('sessions')

    const message = await act(page, 'Tokenize', { 'Client token': clientToken, Scenario: 'declined' })

    const payment = await client.payments.create({ paymentMethodToken: message.split(' ').at(-1) as string })
    expect(payment).toMatchObject({ orderId: 'order-7', status: 'DECLINED' })
  })

  it('sets a customer’s balance of loyalty points', async () => {
    const { open, client } = await startInspector()
    const page = await open('loyalty')

    await act(page, 'Set balance', { 'Connection ID': 'connection-1', 'Customer ID': 'customer-1', Points: '1200' })

    await page.getByRole('cell', { name: '1,200' }).waitFor()
    const customer = await client.loyalty.customers.get('customer-1', { connectionId: 'connection-1' })
    expect(customer.balance).toBe(1200)
  })

  it('adds a fault, and clears all faults', async () => {
    const { open, client } = await startInspector()
    const page = await open('faults')

    const fields = {
      Operation: 'payments.list',
      Times: 'Infinity',
      Status: '418',
      Headers: '{ "x-fault": "1" }',
      Body: '{ "a": 1 }',
    }
    await act(page, 'Add fault', fields)
    await page.getByRole('cell', { name: 'payments.list' }).waitFor()
    await expect(client.payments.list()).rejects.toMatchObject({ httpStatus: 418, body: { a: 1 } })

    await act(page, 'Clear faults')
    await page.getByText('No faults are queued').waitFor()
    expect(await client.payments.list()).toMatchObject({ data: [] })
  })

  it('adds a fault that responds with incomplete JSON', async () => {
    const { open, server, sandbox } = await startInspector()
    const page = await open('faults')

    await act(page, 'Add fault', { Status: '200', Body: '{"id":' })

    const response = await fetch(`${server.url}/payments`, { headers: { 'x-api-key': sandbox.apiKey } })
    expect(await response.text()).toBe('{"id":')
  })

  it('reports invalid JSON in the headers of a fault', async () => {
    const { open } = await startInspector()
    const page = await open('faults')

    expect(await act(page, 'Add fault', { Headers: '{ x }' })).toBe('Headers must be valid JSON, with double quotes')
  })

  it('changes the options of the sandbox', async () => {
    const { open, sandbox } = await startInspector()
    const page = await open('clock')

    await act(page, 'Set options', { Idempotency: 'conflict', 'List delay': '60s', Now: '2026-05-01T00:00:00Z' })

    expect(sandbox.options).toMatchObject({ idempotency: 'conflict', listDelay: 60_000, sessionUpdate: 'merge' })
    expect(sandbox.clock.now()).toEqual(new Date('2026-05-01T00:00:00Z'))
  })

  it('advances the clock by the entered time', async () => {
    const { open, sandbox } = await startInspector()
    const page = await open('clock')
    const before = sandbox.clock.now().getTime()

    await act(page, 'Advance clock', { By: '24h' })

    expect(sandbox.clock.now().getTime() - before).toBeGreaterThanOrEqual(24 * 3_600_000)
  })

  it('restores the state at the last snapshot', async () => {
    const { open, client } = await startInspector()
    const { id } = await pay(client, 'tok_card')
    const page = await open('clock')

    await act(page, 'Snapshot')
    await client.payments.capture(id)
    await act(page, 'Restore')

    expect(await client.payments.get(id)).toMatchObject({ status: 'AUTHORIZED' })
  })

  it('deletes the state when Reset is clicked, and restores it when Undo is clicked', async () => {
    const { open, client } = await startInspector()
    await pay(client, 'tok_card')
    const page = await open()

    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('No payments yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()

    await page.getByRole('link', { name: 'order-1' }).waitFor()
  })

  it('removes the Undo button when the message about the reset is closed', async () => {
    const { open } = await startInspector()
    const page = await open()

    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('The sandbox was reset. Undo does not restore').waitFor()
    await page.getByRole('button', { name: 'Close message' }).click()

    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  })

  it('shows the sandbox’s error message for a rejected action', async () => {
    const { open } = await startInspector()
    const page = await open('sessions')

    const message = await act(page, 'Tokenize', { 'Client token': 'unknown' })

    expect(message).toMatch(/client token|session/i)
  })

  it('supports every action with only the keyboard', async () => {
    const { open, client } = await startInspector()
    const { id } = await pay(client, 'tok_card')
    const page = await open()
    await page.getByRole('link', { name: 'order-1' }).waitFor()
    /** Presses Tab until the element with this text or label has focus. */
    const tabTo = async (name: string) => {
      for (let count = 0; count < 60; count++) {
        await page.keyboard.press('Tab')
        const { text, hasOutline } = await page.evaluate(() => {
          const focused = document.activeElement as HTMLInputElement
          const styles = [getComputedStyle(focused), getComputedStyle(focused, '::after')]
          return {
            text: focused.labels?.[0]?.textContent ?? focused.textContent,
            // While the view changes, the page moves the focus to its heading, which Tab cannot reach.
            hasOutline: focused.tabIndex < 0 || styles.some(({ outlineStyle }) => outlineStyle !== 'none'),
          }
        })
        expect(hasOutline).toBe(true)
        if (text === name) return
      }
      throw new Error(`Tab does not reach ${name}`)
    }

    await tabTo('order-1')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await tabTo('Settle')
    await page.keyboard.press('Enter')
    await page.locator('.heading').getByText('SETTLED').waitFor()

    expect((await client.payments.get(id)).status).toBe('SETTLED')
    await goTo(page, 'Clock')
    await tabTo('By')
    await page.keyboard.type('1h')
    await page.keyboard.press('Enter')
    await page.getByText('The clock is at').waitFor()
  })
})
