import { createHmac, timingSafeEqual } from 'node:crypto'
import { bodies, hmac, key } from '../fixtures/deliveries.mjs'

/**
 * Returns a contender whose `verify` operation takes the index of a body.
 *
 * Every contender verifies raw bytes, returns the event, and creates its headers in advance.
 */
const over = (verify) => ({ verify: (index) => verify(index % bodies.length) })
const now = Math.floor(Date.now() / 1000)
const base64Key = key.toString('base64')

/** Does the minimum: computes the HMAC, compares the signature and parses the body. */
export function bare() {
  const signatures = bodies.map((body) => hmac('base64', body))
  return over((index) => {
    const expected = createHmac('sha256', key).update(bodies[index]).digest()
    const received = Buffer.from(signatures[index], 'base64')
    if (expected.length !== received.length || !timingSafeEqual(expected, received))
      throw new Error('invalid signature')
    return JSON.parse(bodies[index].toString())
  })
}

/** Uses payments-client, the only contender that validates the event. */
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

/** Calls the SDK's `verify`, which returns no event, and then parses the body. */
export async function svix() {
  const { Webhook } = await import('svix')
  const webhook = new Webhook(`whsec_${base64Key}`)
  const headers = bodies.map((body, index) => standardHeaders(body, index, 'svix'))
  return over((index) => {
    webhook.verify(bodies[index], headers[index])
    return JSON.parse(bodies[index].toString())
  })
}

export async function standardwebhooks() {
  const { Webhook } = await import('standardwebhooks')
  const webhook = new Webhook(`whsec_${base64Key}`)
  const headers = bodies.map((body, index) => standardHeaders(body, index, 'webhook'))
  return over((index) => webhook.verify(bodies[index], headers[index]))
}

export async function openai() {
  const { default: OpenAI } = await import('openai')
  const { webhooks } = new OpenAI({ apiKey: 'key' })
  const headers = bodies.map((body, index) => standardHeaders(body, index, 'webhook'))
  return over((index) => webhooks.unwrap(bodies[index].toString(), headers[index], `whsec_${base64Key}`))
}

/** Calls the SDK's `verify`, which returns no event, and then parses the body. */
export async function octokit() {
  const { Webhooks } = await import('@octokit/webhooks')
  const webhooks = new Webhooks({ secret: key.toString() })
  const signatures = bodies.map((body) => `sha256=${hmac('hex', body)}`)
  return over(async (index) => {
    const text = bodies[index].toString()
    if (!(await webhooks.verify(text, signatures[index]))) throw new Error('invalid signature')
    return JSON.parse(text)
  })
}

function standardHeaders(body, index, prefix) {
  const id = `msg_${index}`
  const signature = `v1,${hmac('base64', `${id}.${now}.`, body)}`
  return { [`${prefix}-id`]: id, [`${prefix}-timestamp`]: String(now), [`${prefix}-signature`]: signature }
}

/** Headers that every delivery has besides the signature. */
const ordinaryHeaders = { host: 'shop.example', 'content-type': 'application/json', 'user-agent': 'hooks/1.0' }
