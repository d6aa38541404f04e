/**
 * Makes many concurrent calls while the service responds 503 or resets every connection.
 *
 * Prints the number of requests, the results of the calls, and how soon calls succeed after the outage.
 */
import { PaymentsClient, PaymentsError } from 'payments-client'
import { type Reaction, startService } from '../service.js'

const [, , reaction = 'fails', count = '10000'] = process.argv
const service = await startService()
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url })

await service.become(reaction as Reaction)
const results = await Promise.allSettled(Array.from({ length: Number(count) }, () => client.payments.capture('pay_1')))
const { requests } = await service.become('responds')

const backAt = performance.now()
const after = await Promise.allSettled(Array.from({ length: 100 }, () => client.payments.capture('pay_1')))
const recoveryMs = performance.now() - backAt

const endings: Record<string, number> = {}
let attempts = 0
for (const result of results) {
  const error: unknown = result.status === 'rejected' ? result.reason : undefined
  const ending = error instanceof PaymentsError ? (error.outcome ?? error.code) : String(error ?? 'success')
  endings[ending] = (endings[ending] ?? 0) + 1
  if (error instanceof PaymentsError) attempts += error.attempts.length
}
const recovered = after.filter(({ status }) => status === 'fulfilled').length
console.log(JSON.stringify({ calls: results.length, requests, attempts, endings, recovered, recoveryMs }))
service.stop()
