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
}
