/** Reads a list of a million items. Prints the goal for the memory growth after the first 100,000. */
import { PaymentsClient } from 'payments-client'
import { inDigits, printGoals } from '../goals.js'

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

const grownMiB = (usedMemory() - early) / 1024 / 1024
printGoals([
  {
    what: 'a list of 1,000,000 items: the heap grows by at most 16 MiB after the first 100,000',
    measured: `${inDigits(items)} items, ${grownMiB.toFixed(1)} MiB`,
    met: items === 1_000_000 && grownMiB <= 16,
  },
])

function usedMemory(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
