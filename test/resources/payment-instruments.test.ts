import { itSends } from '../support/requests.js'
import { deletedCard, savedCard, savedCards } from '../support/responses/payment-instruments.js'

const customer = { customerId: 'customer-1' }

itSends('2021-09-27', [
  [
    'saves a verified payment method for a customer',
    ({ paymentInstruments }) => paymentInstruments.vault('tok_1', { ...customer, verify: true }),
    'POST /payment-instruments/tok_1/vault',
    { body: { ...customer, verify: true }, response: savedCard },
  ],
  [
    'lists payment methods with the response details',
    async ({ paymentInstruments }) => {
      const { data, response } = await paymentInstruments.list(customer).withResponse()
      return [data, response.status]
    },
    'GET /payment-instruments?customer_id=customer-1',
    { response: savedCards, result: [[savedCard, deletedCard], 200] },
  ],
])

itSends('2.1', [
  [
    'saves a payment method',
    ({ paymentInstruments }) => paymentInstruments.vault('tok/1', customer),
    'POST /payment-instruments/tok%2F1/vault',
    { body: customer, response: savedCard },
  ],
])
