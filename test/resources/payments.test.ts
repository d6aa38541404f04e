import { expect, it } from 'vitest'
import { aClient, aNewKey } from '../support/clients.js'
import { itSends } from '../support/requests.js'
import {
  authorizedPayment,
  authorizedPaymentV21,
  cancelledPayment,
  declinedPayment,
  lastPaymentsPage,
  orderDetails,
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

const token = { paymentMethodToken: 'tok_1' }
const cart = { lineItems, orderDetails }
const order = { lineItems, ...orderDetails }
const refund = { amount: 1500, orderId: 'refund-17', reason: 'broken lid' }
const processor = { processorMerchantId: 'merchant-a', name: 'PROCESSOR_A' }
const idempotencyKey = aNewKey

itSends('2021-09-27', [
  [
    'creates a payment with every field',
    ({ payments }) => payments.create({ ...token, ...facts, order }),
    'POST /payments',
    { body: { ...token, ...facts, order }, idempotencyKey, response: authorizedPayment },
  ],
  [
    'creates a payment with the caller’s idempotency key',
    ({ payments }) => payments.create(token, { idempotencyKey: 'order-17/try-1' }),
    'POST /payments',
    { body: token, idempotencyKey: 'order-17/try-1', response: declinedPayment },
  ],
  [
    'percent-encodes the payment id',
    ({ payments }) => payments.get('a/b?c#d%2e e\\ü'),
    'GET /payments/a%2Fb%3Fc%23d%252e%20e%5C%C3%BC',
    { response: pendingPayment },
  ],
  [
    'lists all payments by default',
    async ({ payments }) => ({ ...(await payments.list()) }),
    'GET /payments',
    { response: paymentsPage, result: { ...paymentsPage, hasNextPage: true } },
  ],
  [
    'lists payments by one status, and omits undefined filters',
    async ({ payments }) => (await payments.list({ status: 'SETTLED', orderId: undefined, limit: undefined })).data,
    'GET /payments?status=SETTLED',
    { response: lastPaymentsPage, result: lastPaymentsPage.data },
  ],
  [
    'authorizes a payment with a processor',
    ({ payments }) => payments.authorize('pay_1', { processor }),
    'POST /payments/pay_1/authorize',
    { body: { processor }, idempotencyKey, response: authorizedPayment },
  ],
  [
    'captures the full amount without a request body',
    ({ payments }) => payments.capture('pay_1'),
    'POST /payments/pay_1/capture',
    { idempotencyKey, response: settlingPayment },
  ],
  [
    'captures a partial amount with the order',
    ({ payments }) => payments.capture('pay_1', { amount: 0, final: true, order }),
    'POST /payments/pay_1/capture',
    { body: { amount: 0, final: true, order }, idempotencyKey, response: settlingPayment },
  ],
  [
    'captures without a body but with options',
    ({ payments }) => payments.capture('pay_1', undefined, { idempotencyKey: 'capture-17' }),
    'POST /payments/pay_1/capture',
    { idempotencyKey: 'capture-17', response: settlingPayment },
  ],
  [
    'cancels a payment without a request body',
    ({ payments }) => payments.cancel('pay_1'),
    'POST /payments/pay_1/cancel',
    { idempotencyKey, response: cancelledPayment },
  ],
  [
    'refunds the remaining amount without a request body',
    ({ payments }) => payments.refund('pay_1'),
    'POST /payments/pay_1/refund',
    { idempotencyKey, response: refundedPayment },
  ],
])

itSends('2.1', [
  [
    'creates a payment with the cart at the top level',
    ({ payments }) => payments.create({ ...token, ...facts, ...cart }),
    'POST /payments',
    { body: { ...token, ...facts, ...cart }, idempotencyKey, response: authorizedPaymentV21 },
  ],
  [
    'lists payments',
    async ({ payments }) => (await payments.list({ limit: 2 })).data,
    'GET /payments?limit=2',
    { response: paymentsPage, result: paymentsPage.data },
  ],
  [
    'captures a partial amount with line items',
    ({ payments }) => payments.capture('pay_1', { amount: 2000, final: false, ...cart }),
    'POST /payments/pay_1/capture',
    { body: { amount: 2000, final: false, ...cart }, idempotencyKey, response: settlingPayment },
  ],
  [
    'refunds a partial amount with an order id and a reason',
    ({ payments }) => payments.refund('pay_1', refund),
    'POST /payments/pay_1/refund',
    { body: refund, idempotencyKey, response: refundedPayment },
  ],
])

it('payments.list sends every parameter under its name in the specification', async () => {
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
  expect(requests[0]?.line).toBe(`GET /payments?${query.join('&')}`)
})
