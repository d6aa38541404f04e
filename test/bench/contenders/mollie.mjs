import { withoutTls } from './without-tls.mjs'

export async function open(service) {
  withoutTls(service)
  const { default: mollie } = await import('@mollie/api-client')
  const client = mollie.createMollieClient({
    apiKey: 'test_0123456789abcdefghijABCDEFGHIJ',
    apiEndpoint: `${service.origin}/mollie/`,
  })
  return {
    create: async (index) => {
      const payment = await client.payments.create({
        amount: { value: '10.00', currency: 'EUR' },
        description: `order-${index}`,
        redirectUrl: 'https://shop.example/thanks',
        billingAddress: { email: `customer-${index}@example.com` },
        metadata: { basket: index },
      })
      return payment.amount.value
    },
    read: async (index) => (await client.payments.get(`tr_${index}`)).amount.value,
  }
}
