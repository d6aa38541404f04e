import { bodies, hmac, key } from '../fixtures/deliveries.mjs'

/**
 * Returns a contender whose `verify` operation takes the index of a body.
 *
 * Every contender verifies raw bytes, returns the event, and creates its headers in advance.
 */
const over = (verify) => ({ verify: (index) => verify(index % bodies.length) })
const now = Math.floor(Date.now() / 1000)

/** Also validates the event, unlike stripe. */
export async function paymentsClient() {
  const { verify } = await import('payments-client/webhooks')
  const secret = key.toString()
  const headers = bodies.map((body) => ({ 'x-signature-primary': hmac('base64', body), ...ordinaryHeaders }))
  return over((index) => verify(bodies[index], headers[index], secret))
}

export async function stripe() {
  const { default: Stripe } = await import('stripe')
  const { webhooks } = new Stripe('sk_test_key')
  const secret = key.toString()
  const headers = bodies.map((body) => `t=${now},v1=${hmac('hex', `${now}.`, body)}`)
  return over((index) => webhooks.constructEvent(bodies[index], headers[index], secret))
}

/** Headers that every delivery has besides the signature. */
const ordinaryHeaders = { host: 'shop.example', 'content-type': 'application/json', 'user-agent': 'hooks/1.0' }
