/** Reads a list of a million items. Prints the memory growth after the first 100,000. */
import { PaymentsClient } from 'payments-client'

const rows = Array.from({ length: 100 }, (_, at) => ({
  id: `pay_${at}`,
  date: '2026-01-31T12:00:00.000000',
  status: 'SETTLED',
  orderId: `order-${at}`,
  currencyCode: 'EUR',
  amount: 700,
  processor: { name: 'STRIPE', processorMerchantId: 'm', amountCaptured: 700, amountRefunded: 0 },
}))
const rest = JSON.stringify(rows).slice(1)
const pages = 10_000
let page = 0
const client = new PaymentsClient({
  apiKey: 'key-1',
  baseUrl: 'https://payments.test',
  fetch: async () => {
    page++
    const next = page < pages ? `"nextCursor":"cursor-of-page-${page}",` : ''
    return new Response(`{${next}"data":[${rest}}`)
  },
})

let items = 0
let early = 0
for await (const _ of client.payments.list({ limit: 100 })) {
  items++
  if (items === 100_000) early = usedMemory()
}

console.log(JSON.stringify({ items, grownMiB: (usedMemory() - early) / 1024 / 1024 }))

function usedMemory(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
