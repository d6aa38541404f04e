/** Requests a payment whose response inflates, and prints the error and the growth of the memory. */
import { PaymentsClient } from 'payments-client'

const [, , baseUrl, adapter] = process.argv
const fetch = adapter === 'node:http' ? undefined : globalThis.fetch
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, fetch, maxRetries: 0 })

// Lazy loading is not part of the measurement.
await client.payments.get('warm-up').catch(() => {})
const before = process.memoryUsage.rss()

const error: object = await client.payments.capture('pay_1').then(
  () => ({ code: 'none' }),
  (reason) => reason,
)

const after = process.resourceUsage().maxRSS * 1024
console.log(JSON.stringify({ error, grownMiB: (after - before) / 1024 / 1024 }))
