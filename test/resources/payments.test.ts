import { describe, expect, it } from 'vitest'
import { aClient, aNewKey, sent } from '../support/clients.js'
import {
  authorizedPayment,
  authorizedPaymentV21,
  cancelledPayment,
  declinedPayment,
  lastPaymentsPage,
  paymentsPage,
  pendingPayment,
  refundedPayment,
  settlingPayment,
} from '../support/responses/payments.js'

const customer = {
  emailAddress: 'zoe@example.com',
  firstName: 'Zoë',
  billingAddress: { addressLine1: 'Unter den Linden 1', city: 'Berlin', countryCode: 'DE', postalCode: '10117' },
}
const lineItems = [
  {
    itemId: 'item_1',
    name: 'Kettle ☕',
    amount: 2300,
    quantity: 2,
    productType: 'PHYSICAL',
    productData: { sku: 'KET-1', weight: 1.25, weightUnit: 'kg' },
  },
]
const orderDetails = {
  countryCode: 'DE',
  retailerCountryCode: 'FR',
  fees: [{ amount: 50, type: 'SURCHARGE', description: 'Packing' }],
  shipping: { amount: 450 },
}
const facts = {
  orderId: 'order-17',
  currencyCode: 'EUR',
  amount: 5000,
  customerId: 'customer-1',
  customer,
  metadata: { basket: 'b-1', visits: 3 },
  paymentMethod: {
    descriptor: 'KETTLES AND MORE',
    paymentType: 'FIRST_PAYMENT',
    authorizationType: 'ESTIMATED',
    vaultOnSuccess: true,
    options: { PAYMENT_CARD: { surcharge: { amount: 140 } } },
  },
} as const

describe('payments.create', () => {
  it('sends the body with a new key, and returns the payment', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const body = { paymentMethodToken: 'tok_1', ...facts, order: { lineItems, ...orderDetails } }

    const payment = await client.payments.create(body)

    expect(requests).toEqual([sent('POST /payments', { body, idempotencyKey: aNewKey })])
    expect(payment).toEqual(authorizedPayment)
  })

  it('sends only the token if all other fields come from the client session', async () => {
    const { client, requests } = aClient([authorizedPayment])

    await client.payments.create({ paymentMethodToken: 'tok_1' })

    expect(requests[0]?.body).toBe('{"paymentMethodToken":"tok_1"}')
  })

  it('writes the cart at the top level in version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2.1' })
    const body = { paymentMethodToken: 'tok_1', ...facts, lineItems, orderDetails }

    const payment = await client.payments.create(body)

    expect(requests).toEqual([sent('POST /payments', { body, idempotencyKey: aNewKey, version: '2.1' })])
    expect(payment).toEqual(authorizedPaymentV21)
  })

  it('sends the token alone in version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2.1' })
    const body = { paymentMethodToken: 'tok_1' }

    await client.payments.create(body)

    expect(requests).toEqual([sent('POST /payments', { body, idempotencyKey: aNewKey, version: '2.1' })])
  })

  it('sends the key of the caller', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const body = { paymentMethodToken: 'tok_1' }

    await client.payments.create(body, { idempotencyKey: 'order-17/try-1' })

    expect(requests).toEqual([sent('POST /payments', { body, idempotencyKey: 'order-17/try-1' })])
  })

  it('creates a new key for every call, even for an identical one', async () => {
    const { client, requests } = aClient([authorizedPayment, authorizedPayment])

    await client.payments.create({ paymentMethodToken: 'tok_1' })
    await client.payments.create({ paymentMethodToken: 'tok_1' })

    const keys = requests.map(({ headers }) => headers['x-idempotency-key'])
    expect(new Set(keys).size).toBe(2)
  })

  it('returns a declined payment like any other', async () => {
    const { client } = aClient([declinedPayment])

    const payment = await client.payments.create({ paymentMethodToken: 'tok_1' })

    expect(payment).toEqual(declinedPayment)
  })

  it('returns a payment that waits for the customer', async () => {
    const { client } = aClient([pendingPayment])

    const payment = await client.payments.create({ paymentMethodToken: 'tok_1' })

    expect(payment.requiredAction).toEqual(pendingPayment.requiredAction)
  })

  it('encodes strings as UTF-8', async () => {
    const bytes: Uint8Array[] = []
    const { client } = aClient([
      async (request) => {
        bytes.push(new Uint8Array(await request.arrayBuffer()))
        return Response.json(authorizedPayment)
      },
    ])

    await client.payments.create({ paymentMethodToken: 'tok_1', customer: { firstName: 'Zoë ☕' } })

    const text = '{"paymentMethodToken":"tok_1","customer":{"firstName":"Zo\u00eb \u2615"}}'
    expect(bytes).toEqual([new TextEncoder().encode(text)])
  })
})

describe('payments.get', () => {
  it('reads one payment', async () => {
    const { client, requests } = aClient([authorizedPayment])

    const payment = await client.payments.get('pay_1')

    expect(requests).toEqual([sent('GET /payments/pay_1')])
    expect(payment).toEqual(authorizedPayment)
  })

  it('reads one payment in the shape of version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2.1' })

    const payment = await client.payments.get('pay_1')

    expect(requests).toEqual([sent('GET /payments/pay_1', { version: '2.1' })])
    expect(payment.lineItems).toEqual(authorizedPaymentV21.lineItems)
    expect(payment.orderDetails).toEqual(authorizedPaymentV21.orderDetails)
  })

  it('encodes an id as one segment of the path', async () => {
    const { client, requests } = aClient([authorizedPayment])

    await client.payments.get('a/b?c#d%2e e\\ü')

    expect(requests).toEqual([sent('GET /payments/a%2Fb%3Fc%23d%252e%20e%5C%C3%BC')])
  })
})

describe('payments.list', () => {
  it('requests all payments by default', async () => {
    const { client, requests } = aClient([paymentsPage])

    const page = await client.payments.list()

    expect(requests).toEqual([sent('GET /payments')])
    expect(page.data).toEqual(paymentsPage.data)
    expect(page.nextCursor).toBe('cursor_next')
    expect(page.prevCursor).toBe('cursor_prev')
    expect(page.hasNextPage).toBe(true)
  })

  it('sends every parameter under its specified name', async () => {
    const { client, requests } = aClient([lastPaymentsPage])

    await client.payments.list({
      status: ['SETTLED', 'DECLINED'],
      paymentMethodType: 'PAYMENT_CARD',
      processor: 'PROCESSOR_A',
      currencyCode: 'EUR',
      fromDate: new Date('2026-03-01T10:00:00+02:00'),
      toDate: '2026-03-02T00:00:00Z',
      orderId: 'order 17/β',
      minAmount: 100,
      maxAmount: 70000,
      customerId: 'customer-1',
      merchantId: 'merchant-a',
      customerEmailAddress: 'zoe+shop@example.com',
      last4Digits: '0011',
      partneraEmail: 'a@example.com',
      partnerbEmail: 'b@example.com',
      limit: 100,
      cursor: 'c=&1',
    })

    const query = [
      'status=SETTLED,DECLINED',
      'payment_method_type=PAYMENT_CARD',
      'processor=PROCESSOR_A',
      'currency_code=EUR',
      'from_date=2026-03-01T08%3A00%3A00.000Z',
      'to_date=2026-03-02T00%3A00%3A00Z',
      'order_id=order%2017%2F%CE%B2',
      'min_amount=100',
      'max_amount=70000',
      'customer_id=customer-1',
      'merchant_id=merchant-a',
      'customer_email_address=zoe%2Bshop%40example.com',
      'last_4_digits=0011',
      'partnera_email=a%40example.com',
      'partnerb_email=b%40example.com',
      'limit=100',
      'cursor=c%3D%261',
    ]
    expect(requests).toEqual([sent(`GET /payments?${query.join('&')}`)])
  })

  it('takes one status, and omits undefined filters', async () => {
    const { client, requests } = aClient([lastPaymentsPage])

    await client.payments.list({ status: 'SETTLED', orderId: undefined, limit: undefined })

    expect(requests).toEqual([sent('GET /payments?status=SETTLED')])
  })

  it('is the same in version 2.1', async () => {
    const { client, requests } = aClient([paymentsPage], { apiVersion: '2.1' })

    const page = await client.payments.list({ limit: 2 })

    expect(requests).toEqual([sent('GET /payments?limit=2', { version: '2.1' })])
    expect(page.data).toEqual(paymentsPage.data)
  })
})

describe('payments.authorize', () => {
  it('names the processor, under a new key', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const body = { processor: { processorMerchantId: 'merchant-a', name: 'PROCESSOR_A' } }

    const payment = await client.payments.authorize('pay_1', body)

    expect(requests).toEqual([sent('POST /payments/pay_1/authorize', { body, idempotencyKey: aNewKey })])
    expect(payment).toEqual(authorizedPayment)
  })

  it('returns the shape of version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2.1' })
    const body = { processor: { processorMerchantId: 'merchant-a' } }

    const payment = await client.payments.authorize('pay_1', body)

    const expected = sent('POST /payments/pay_1/authorize', { body, idempotencyKey: aNewKey, version: '2.1' })
    expect(requests).toEqual([expected])
    expect(payment).toEqual(authorizedPaymentV21)
  })
})

describe('payments.capture', () => {
  it('captures the full amount with a request without a body', async () => {
    const { client, requests } = aClient([settlingPayment])

    const payment = await client.payments.capture('pay_1')

    expect(requests).toEqual([sent('POST /payments/pay_1/capture', { idempotencyKey: aNewKey })])
    expect(payment).toEqual(settlingPayment)
  })

  it('captures a part, with the order', async () => {
    const { client, requests } = aClient([settlingPayment])
    const body = { amount: 2000, final: true, order: { lineItems, ...orderDetails } }

    await client.payments.capture('pay_1', body)

    expect(requests).toEqual([sent('POST /payments/pay_1/capture', { body, idempotencyKey: aNewKey })])
  })

  it('captures a part, with the lines, in version 2.1', async () => {
    const { client, requests } = aClient([settlingPayment], { apiVersion: '2.1' })
    const body = { amount: 2000, final: false, lineItems, orderDetails }

    const payment = await client.payments.capture('pay_1', body)

    const expected = sent('POST /payments/pay_1/capture', { body, idempotencyKey: aNewKey, version: '2.1' })
    expect(requests).toEqual([expected])
    expect(payment).toEqual(settlingPayment)
  })

  it('sends an amount of zero as zero', async () => {
    const { client, requests } = aClient([settlingPayment])

    await client.payments.capture('pay_1', { amount: 0 })

    expect(requests[0]?.body).toBe('{"amount":0}')
  })

  it('takes options after an omitted body', async () => {
    const { client, requests } = aClient([settlingPayment])

    await client.payments.capture('pay_1', undefined, { idempotencyKey: 'capture-17' })

    expect(requests).toEqual([sent('POST /payments/pay_1/capture', { idempotencyKey: 'capture-17' })])
  })
})

describe('payments.cancel', () => {
  it('voids the payment with a request that has no body', async () => {
    const { client, requests } = aClient([cancelledPayment])

    const payment = await client.payments.cancel('pay_1')

    expect(requests).toEqual([sent('POST /payments/pay_1/cancel', { idempotencyKey: aNewKey })])
    expect(payment).toEqual(cancelledPayment)
  })

  it('gives the reason', async () => {
    const { client, requests } = aClient([cancelledPayment], { apiVersion: '2.1' })
    const body = { reason: 'out of stock' }

    await client.payments.cancel('pay_1', body)

    const expected = sent('POST /payments/pay_1/cancel', { body, idempotencyKey: aNewKey, version: '2.1' })
    expect(requests).toEqual([expected])
  })
})

describe('payments.refund', () => {
  it('refunds the remaining amount with a request without a body', async () => {
    const { client, requests } = aClient([refundedPayment])

    const payment = await client.payments.refund('pay_1')

    expect(requests).toEqual([sent('POST /payments/pay_1/refund', { idempotencyKey: aNewKey })])
    expect(payment).toEqual(refundedPayment)
  })

  it('refunds a part, for another order, with the reason', async () => {
    const { client, requests } = aClient([refundedPayment], { apiVersion: '2.1' })
    const body = { amount: 1500, orderId: 'refund-17', reason: 'broken lid' }

    await client.payments.refund('pay_1', body)

    const expected = sent('POST /payments/pay_1/refund', { body, idempotencyKey: aNewKey, version: '2.1' })
    expect(requests).toEqual([expected])
  })
})

describe('payments.adjustAuthorization', () => {
  it('sends the final amount, without a key', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const body = { amount: 4200 }

    const payment = await client.payments.adjustAuthorization('pay_1', body)

    expect(requests).toEqual([sent('POST /payments/pay_1/adjust-authorization', { body })])
    expect(payment).toEqual(authorizedPayment)
  })

  it('returns the shape of version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2.1' })
    const body = { amount: 4200 }

    const payment = await client.payments.adjustAuthorization('pay_1', body)

    expect(requests).toEqual([sent('POST /payments/pay_1/adjust-authorization', { body, version: '2.1' })])
    expect(payment).toEqual(authorizedPaymentV21)
  })
})

describe('payments.resume', () => {
  it('sends the resume token, without a key', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const body = { resumeToken: 'resume_1' }

    const payment = await client.payments.resume('pay_1', body)

    expect(requests).toEqual([sent('POST /payments/pay_1/resume', { body })])
    expect(payment).toEqual(authorizedPayment)
  })

  it('returns the shape of version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2.1' })
    const body = { resumeToken: 'resume_1' }

    const payment = await client.payments.resume('pay_1', body)

    expect(requests).toEqual([sent('POST /payments/pay_1/resume', { body, version: '2.1' })])
    expect(payment).toEqual(authorizedPaymentV21)
  })
})
