import { Checkout } from 'checkout-sdk-node'

export function open({ origin }) {
  const checkout = new Checkout('sk_sbox_abcdefghijklmnopqrstuvwxyz1', { host: `${origin}/checkout` })
  return {
    create: async (index) => {
      const payment = await checkout.payments.request(
        {
          source: { type: 'token', token: `token-${index}` },
          amount: 1000 + (index % 9000),
          currency: 'EUR',
          reference: `order-${index}`,
          customer: { email: `customer-${index}@example.com` },
          metadata: { basket: index },
        },
        crypto.randomUUID(),
      )
      return payment.amount
    },
    read: async (index) => (await checkout.payments.get(`pay_${index}`)).amount,
  }
}
