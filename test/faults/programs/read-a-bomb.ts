/** Asks for a payment whose answer inflates without end, and writes what came of it and how far the memory grew. */
import { PaymentsClient } from 'payments-client'

const [, , baseUrl, wire] = process.argv
const fetch = wire === 'node:http' ? undefined : globalThis.fetch
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, fetch, maxRetries: 0 })

// What is loaded when first needed is not what is measured.
await client.payments.get('warm-up').catch(() => {})
const before = process.memoryUsage.rss()

const error: object = await client.payments.capture('pay_1').then(
  () => ({ code: 'none' }),
  (reason) => reason,
)

const after = process.resourceUsage().maxRSS * 1024
console.log(JSON.stringify({ error, grownMiB: (after - before) / 1024 / 1024 }))
