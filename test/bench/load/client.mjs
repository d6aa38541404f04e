/** Creates payments, many at a time, and reports the latencies. */
import { PaymentsClient } from 'payments-client'
import { creation } from '../fixtures/payments.mjs'
import { memoryOverTime } from './memory.mjs'

const { port, seconds, concurrentCalls } = JSON.parse(process.argv[2])
const client = new PaymentsClient({ apiKey: 'key', baseUrl: `http://127.0.0.1:${port}` })
const latencies = []
const { rssMb, measure } = memoryOverTime()
const startedAt = performance.now()
let created = 0
let failed = 0

async function lane() {
  while (performance.now() - startedAt < seconds * 1000) {
    const sentAt = performance.now()
    try {
      await client.payments.create(creation(created++))
      latencies.push(performance.now() - sentAt)
    } catch {
      failed++
    }
  }
}

await Promise.all(Array.from({ length: concurrentCalls }, lane))
const ms = performance.now() - startedAt
measure()
process.send({ latencies, ms, rssMb, failed })
process.on('disconnect', () => process.exit())
