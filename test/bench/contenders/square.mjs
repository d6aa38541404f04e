import { SquareClient } from 'square'

export function open({ origin }) {
  const square = new SquareClient({ token: 'key', baseUrl: `${origin}/square` })
  return {
    create: async (index) => {
      const { payment } = await square.payments.create({
        sourceId: `token-${index}`,
        idempotencyKey: crypto.randomUUID(),
        amountMoney: { amount: BigInt(1000 + (index % 9000)), currency: 'EUR' },
        referenceId: `order-${index}`,
        buyerEmailAddress: `customer-${index}@example.com`,
      })
      return payment.amountMoney.amount
    },
    read: async (index) => (await square.payments.get({ paymentId: `pay_${index}` })).payment.amountMoney.amount,
  }
}
