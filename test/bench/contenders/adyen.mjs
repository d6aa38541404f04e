import { withoutTls } from './without-tls.mjs'

/** Creates and reads payment links, because Adyen's API has no endpoint that reads a payment. */
export async function open(service) {
  withoutTls(service)
  const { default: adyen } = await import('@adyen/api-library')
  const client = new adyen.Client({ apiKey: 'key', environment: adyen.EnvironmentEnum.TEST })
  const { PaymentLinksApi } = new adyen.CheckoutAPI(client)
  return {
    create: async (index) => {
      const link = await PaymentLinksApi.paymentLinks({
        merchantAccount: 'merchant',
        reference: `order-${index}`,
        amount: { currency: 'EUR', value: 1000 + (index % 9000) },
        shopperEmail: `customer-${index}@example.com`,
        metadata: { basket: String(index) },
      })
      return link.amount.value
    },
    read: async (index) => (await PaymentLinksApi.getPaymentLink(`PL${index}`)).amount.value,
  }
}
