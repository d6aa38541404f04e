/**
 * Makes many concurrent calls while the service responds 503 or resets every connection.
 *
 * Prints the goals for the number of requests, the results of the calls, and the time until calls succeed again.
 */
import { PaymentsClient, PaymentsError } from 'payments-client'
import { inDigits, printGoals } from '../goals.js'
import { type Reaction, startService } from '../service.js'

const [, , reaction = '', count] = process.argv
const calls = Number(count)
/** The number of retries that the retry budget allows while no call succeeds. */
const budget = 100
const service = await startService()
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url })

await service.become(reaction as Reaction)
const results = await Promise.allSettled(Array.from({ length: calls }, () => client.payments.capture('pay_1')))
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
service.stop()

const outage = `${inDigits(calls)} calls while ${reaction === 'fails' ? 'every response is a 503' : 'every connection is reset'}`
printGoals([
  {
    what: `${outage}: at most ${inDigits(calls + budget)} requests, all reported by the errors`,
    measured: `${inDigits(requests)} requests, ${inDigits(attempts)} reported`,
    met: requests >= calls && requests <= calls + budget && attempts === requests,
  },
  {
    what: `${outage}: each has the outcome unknown`,
    measured: JSON.stringify(endings),
    met: endings['unknown'] === calls,
  },
  {
    what: 'after the outage: 100 calls succeed within a second',
    measured: `${recovered} in ${Math.ceil(recoveryMs)} ms`,
    met: recovered === 100 && recoveryMs <= 1_000,
  },
])
