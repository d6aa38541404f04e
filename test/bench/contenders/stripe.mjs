import Stripe from 'stripe'

export function open({ port }) {
  const stripe = new Stripe('sk_test_key', { host: '127.0.0.1', port, protocol: 'http' })
  return {
    create: async (index) => {
      const intent = await stripe.paymentIntents.create({
        payment_method: `token-${index}`,
        amount: 1000 + (index % 9000),
        currency: 'eur',
        receipt_email: `customer-${index}@example.com`,
        metadata: { basket: index, order: `order-${index}` },
      })
      return intent.amount
    },
    read: async (index) => (await stripe.paymentIntents.retrieve(`pi_${index}`)).amount,
    list: () => stripe.paymentIntents.list({ limit: 100 }),
  }
}
