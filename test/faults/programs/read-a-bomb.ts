/** Requests a payment whose response is a decompression bomb. Prints the error and the memory growth. */
import { PaymentsClient } from 'payments-client'

const [, , baseUrl, adapter] = process.argv
const fetch = adapter === 'node:http' ? undefined : globalThis.fetch
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, fetch, maxRetries: 0 })

// Loads lazy modules before the measurement.
await client.payments.get('warm-up').catch(() => {})
const peak = () => process.resourceUsage().maxRSS / 1024
const before = peak()

const error: object = await client.payments.capture('pay_1').then(
  () => ({ code: 'none' }),
  (reason) => reason,
)

console.log(JSON.stringify({ error, grownMiB: peak() - before }))
