import { PaymentsClient } from 'payments-client'
import { PaymentSchema, PaymentSummarySchema } from 'payments-client/schemas'
import { pageIn, paymentIn } from '../fixtures/formats.mjs'

/**
 * Returns functions that read responses with validation, without validation and with only `JSON.parse`. No request uses
 * the network.
 */
export function open() {
  const payments = Array.from({ length: 400 }, (_, index) => paymentIn.ours(index))
  const pages = Array.from({ length: 40 }, (_, page) =>
    JSON.stringify(pageIn.ours(Array.from({ length: 100 }, (_, index) => 100 * page + index))),
  )
  const reading = (texts, responseValidation) => {
    let next = 0
    return new PaymentsClient({
      apiKey: 'key',
      baseUrl: 'https://payments.example',
      responseValidation,
      fetch: async () => new Response(texts[next++ % texts.length], json),
    })
  }
  const client = {
    payment: { checked: reading(payments, 'throw'), unchecked: reading(payments, 'off') },
    page: { checked: reading(pages, 'throw'), unchecked: reading(pages, 'off') },
  }
  return {
    'parse payment': (index) => JSON.parse(payments[index % payments.length]),
    'checked payment': () => client.payment.checked.payments.get('pay_1'),
    'unchecked payment': () => client.payment.unchecked.payments.get('pay_1'),
    'parse page': (index) => JSON.parse(pages[index % pages.length]),
    'checked page': () => client.page.checked.payments.list({ limit: 100 }),
    'unchecked page': () => client.page.unchecked.payments.list({ limit: 100 }),
    'schema payment': (index) => PaymentSchema.parse(JSON.parse(payments[index % payments.length])),
    'schema page': (index) =>
      JSON.parse(pages[index % pages.length]).data.map((row) => PaymentSummarySchema.parse(row)),
  }
}

const json = { headers: { 'content-type': 'application/json' } }
