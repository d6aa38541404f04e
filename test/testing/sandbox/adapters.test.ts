import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/testing/index.js'
import { type Adapter, adapters } from '../../support/adapters.js'
import { aPayment } from '../../support/start-sandbox.js'

interface Exchange {
  status: number
  headers: [string, string][]
  body: string
}

type Row = [title: string, method: string, path: string, body?: string, headers?: Record<string, string>]

const payment = JSON.stringify(aPayment({ metadata: { note: 'é😀' } }))
const external = { 'x-api-version': '2.1' }

/** Requests whose responses differ in status, headers, encoding or size. `:id` is an authorized payment. */
const rows: readonly Row[] = [
  ['a new payment', 'POST', '/payments', payment],
  ['a new payment with an idempotency key', 'POST', '/payments', payment, { 'x-idempotency-key': 'key-1' }],
  ['a payment', 'GET', '/payments/:id'],
  ['a payment in version 2.1', 'GET', '/payments/:id', undefined, external],
  ['a page of payments', 'GET', '/payments?limit=1'],
  ['payments with several filters', 'GET', '/payments?status=AUTHORIZED,SETTLED&order_id=order-17'],
  ['a partial capture', 'POST', '/payments/:id/capture', '{"amount":700}'],
  ['a full capture without a body', 'POST', '/payments/:id/capture'],
  ['a cancellation with a reason outside ASCII', 'POST', '/payments/:id/cancel', '{"reason":"schön 😀"}'],
  ['a refund of an unpaid payment', 'POST', '/payments/:id/refund', '{}'],
  ['a client session', 'POST', '/client-session', '{"orderId":"order-17","currencyCode":"EUR","amount":700}'],
  ['a missing client session', 'GET', '/client-session?clientToken=a%2Fb%26c'],
  ['saved payment methods', 'GET', '/payment-instruments?customer_id=customer-1'],
  ['the removal of a missing payment method', 'DELETE', '/payment-instruments/tok_1'],
  ['a missing payment whose id needs encoding', 'GET', '/payments/a%2Fb%3F%23%C3%A9'],
  ['an unknown path', 'GET', '/unknown'],
  ['an unknown method', 'PUT', '/payments/:id', '{}'],
  ['invalid JSON', 'POST', '/payments', '{"amount":'],
  ['invalid fields', 'POST', '/payments', '{"amount":"five","orderId":7}'],
  ['a wrong API key', 'GET', '/payments', undefined, { 'x-api-key': 'wrong' }],
]

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function exchange(adapter: Adapter, [, method, path, body, headers]: Row): Promise<Exchange> {
  const sandbox = createSandbox({ now: new Date('2026-01-31T12:00:00Z') })
  const { baseUrl, fetch, close } = await adapter.connect(sandbox)
  open.push(close)
  const id = await authorizedPayment(sandbox)
  const response = await fetch(
    new Request(baseUrl + path.replace(':id', id), {
      method,
      body: body ?? null,
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json', ...headers },
    }),
  )
  const text = await response.text()
  const ownHeaders = [...response.headers].filter(([name]) => ['content-type', 'date', 'retry-after'].includes(name))
  return { status: response.status, headers: ownHeaders, body: withoutRandomValues(text) }
}

async function authorizedPayment(sandbox: Sandbox): Promise<string> {
  const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' }
  const init = { method: 'POST', body: payment, headers }
  const { id } = await (await sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`, init))).json()
  return id
}

function withoutRandomValues(json: string): string {
  return json.replaceAll(/\b([a-z]+[_-])[\w-]{16,}/gi, '$1…').replaceAll(/"[\w-]{20,}"/g, '"…"')
}

describe.each(adapters.slice(1))('the sandbox over $name', (adapter) => {
  it.each(rows)('returns the same response as sandbox.fetch for %s', async (...row) => {
    const inProcess = await exchange(adapters[0] as Adapter, row)

    expect(await exchange(adapter, row)).toEqual(inProcess)
  })
})
