/** Makes calls that succeed, time out or are aborted, then counts the remaining timers. */
import { PaymentsClient } from 'payments-client'

const [, , baseUrl] = process.argv
process.on('unhandledRejection', (reason) => {
  console.error(reason)
  process.exitCode = 1
})
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, maxRetries: 0, timeout: 30_000 })

await client.payments.get('pay_1')
const calls = await Promise.allSettled([
  client.payments.capture('pay_1', {}, { timeout: 200 }),
  client.payments.capture('pay_1', {}, { timeout: 200 }),
  client.payments.capture('pay_1', {}, { signal: AbortSignal.timeout(200) }),
  client.payments.get('pay_1'),
])
for await (const _ of client.payments.list({}, { timeout: 30_000 })) break

const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
console.log(`${calls.length} calls ended, ${timers.length} timers left`)
