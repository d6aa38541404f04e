/**
 * A small program for each package. It makes one call or verifies one webhook. The benchmarks bundle and compile it.
 */
export const programs = {
  'payments-client': `import { PaymentsClient } from 'payments-client'
const client = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example' })
export const result = await client.payments.get('pay_1')
`,
  'payments-client/webhooks': `import { verify } from 'payments-client/webhooks'
export const receive = (body: string, headers: Record<string, string>) => verify(body, headers, 'secret')
`,
  stripe: `import Stripe from 'stripe'
const stripe = new Stripe('sk_test_key')
export const result = await stripe.paymentIntents.retrieve('pi_1')
`,
  openai: `import OpenAI from 'openai'
const openai = new OpenAI({ apiKey: 'key' })
export const result = await openai.batches.retrieve('batch_1')
`,
  '@adyen/api-library': `import { CheckoutAPI, Client, EnvironmentEnum } from '@adyen/api-library'
const checkout = new CheckoutAPI(new Client({ apiKey: 'key', environment: EnvironmentEnum.TEST }))
export const result = await checkout.PaymentLinksApi.getPaymentLink('PL1')
`,
  square: `import { SquareClient } from 'square'
const square = new SquareClient({ token: 'key' })
export const result = await square.payments.get({ paymentId: 'pay_1' })
`,
  '@mollie/api-client': `import { createMollieClient } from '@mollie/api-client'
const mollie = createMollieClient({ apiKey: 'test_key' })
export const result = await mollie.payments.get('tr_1')
`,
  'checkout-sdk-node': `import { Checkout } from 'checkout-sdk-node'
const checkout = new Checkout('sk_key', { subdomain: 'abcdefgh' })
export const result = await checkout.payments.get('pay_1')
`,
  svix: `import { Svix } from 'svix'
const svix = new Svix('key')
export const result = await svix.application.get('app_1')
`,
  standardwebhooks: `import { Webhook } from 'standardwebhooks'
export const receive = (body: string, headers: Record<string, string>) => new Webhook('secret').verify(body, headers)
`,
  '@octokit/webhooks': `import { Webhooks } from '@octokit/webhooks'
export const receive = (body: string, signature: string) => new Webhooks({ secret: 'secret' }).verify(body, signature)
`,
}
