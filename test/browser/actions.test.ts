import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { listen } from '../support/listen.js'
import { act, goTo, startInspector } from './support.js'

/** Creates a payment. The token selects the sandbox scenario. */
function pay(client: PaymentsClient, paymentMethodToken: string) {
  return client.payments.create({ paymentMethodToken, orderId: 'order-1', currencyCode: 'EUR', amount: 5000 })
}

/** Starts a webhook receiver that responds with the given status. */
async function startReceiver(status = 200) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    response.writeHead(status).end('from the receiver')
  })
  return { url: `http://127.0.0.1:${await listen(server)}/webhooks`, bodies }
}

type Form = [
  button: string,
  page: string,
  fields: Record<string, string>,
  args: object,
  /** A part of the expected message. */
  shows: string,
]

const disputeId = expect.stringMatching(/^dispute_/)
const scopes = ['transactions:retrieve', 'transactions:refund']
const dispute = { amount: 1200, reason: 'DUPLICATE' }
const customer = { 'Connection ID': 'connection-1', 'Customer ID': 'customer-1' }
const headers = { 'x-fault': '1' }
const now = '2026-05-01T00:00:00Z'

/** Every form, with the arguments that it sends. `:id` is a payment with a pending refund and a dispute. */
const forms: Form[] = [
  ['Settle', 'payments/:id', {}, { paymentId: ':id' }, 'was settled'],
  ['Authorize', 'payments/:id', {}, { paymentId: ':id' }, 'was authorized'],
  ['Decline', 'payments/:id', {}, { paymentId: ':id' }, 'was declined'],
  ['Fail', 'payments/:id', {}, { paymentId: ':id' }, 'payment failed'],
  ['Complete action', 'payments/:id', {}, { paymentId: ':id' }, 'with this token: resume_'],
  ['Finish refund', 'payments/:id', { Status: 'FAILED' }, { paymentId: ':id', status: 'FAILED' }, 'was finished'],
  [
    'Open dispute',
    'payments/:id',
    { Amount: '1200', Reason: 'DUPLICATE' },
    { paymentId: ':id', fields: dispute },
    'opened',
  ],
  ['Move dispute', 'payments/:id', { Status: 'WON' }, { disputeId, status: 'WON' }, 'was moved'],
  ['Create API key', 'requests', { Scopes: scopes.join(', ') }, { scopes }, 'key_'],
  ['Revoke API key', 'requests', { 'API key': 'key_1' }, { apiKey: 'key_1' }, 'There is no API key'],
  ['Rotate secret', 'webhooks', {}, {}, 'to sig_'],
  ['Tokenize', 'sessions', { Scenario: 'declined' }, { scenario: 'declined' }, 'tok_'],
  [
    'Tokenize',
    'sessions',
    { 'Client token': 'client_1' },
    { clientToken: 'client_1', scenario: 'card' },
    'There is no',
  ],
  [
    'Set balance',
    'loyalty',
    { ...customer, Points: '1200' },
    { connectionId: 'connection-1', customerId: 'customer-1', points: 1200 },
    'balance was set',
  ],
  [
    'Add fault',
    'faults',
    { Operation: 'payments.list', Times: 'Infinity', Status: '418', Headers: '{ "x-fault": "1" }', Body: '{ "a": 1 }' },
    { operation: 'payments.list', times: 'Infinity', status: 418, headers, body: { a: 1 } },
    'fault was added',
  ],
  ['Add fault', 'faults', { Times: '2', Body: '{"id":' }, { times: 2, body: '{"id":' }, 'fault was added'],
  ['Clear faults', 'faults', {}, {}, 'All faults were cleared'],
  [
    'Set options',
    'clock',
    { Idempotency: 'conflict', 'List delay': '60s', Now: now },
    { idempotency: 'conflict', listDelay: '60s', now },
    'options were changed',
  ],
  ['Advance clock', 'clock', { By: '24h' }, { by: '24h' }, 'The clock is at'],
]

const tokens: Readonly<Record<string, string>> = {
  Authorize: 'tok_pending',
  Decline: 'tok_pending',
  'Complete action': 'tok_requires3ds',
}

describe('a form in the inspector', () => {
  it.each(forms)(
    'sends the form’s fields to the control API, and shows the result: %s',
    async (button, path, fields, args, shows) => {
      const { open, client, sandbox } = await startInspector()
      const { id } = await pay(client, tokens[button] ?? 'tok_card')
      if (button === 'Move dispute') sandbox.disputes.open(id)
      if (button === 'Finish refund') {
        await client.payments.capture(id)
        await client.payments.refund(id)
      }
      const page = await open(path.replace(':id', id))
      const sent = page.waitForRequest(/\/actions\//)

      const message = await act(page, button, fields)

      const request = await sent
      const expected = 'paymentId' in args ? { ...args, paymentId: id } : args
      expect(request.url().split('/').at(-1)?.toLowerCase()).toBe(button.replaceAll(' ', '').toLowerCase())
      expect(request.postDataJSON()).toEqual(expected)
      expect(message).toContain(shows)
    },
  )

  it('reports invalid JSON in the headers field of the fault form', async () => {
    const { open } = await startInspector()
    const page = await open('faults')

    expect(await act(page, 'Add fault', { Headers: '{ x }' })).toBe('Headers must be valid JSON, with double quotes')
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
    await page.getByRole('button', { name: 'Unsubscribe' }).waitFor()
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

  it('copies the exact webhook body to the clipboard', async () => {
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
})

describe('the inspector', () => {
  it('restores the state of the last snapshot', async () => {
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

  it('lets the user perform every inspector action with only the keyboard', async () => {
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
