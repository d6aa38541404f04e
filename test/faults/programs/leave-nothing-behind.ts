/** Makes calls that succeed, time out or are aborted, then checks that no timer remains. */
import { PaymentsClient } from 'payments-client'

const [, , baseUrl] = process.argv
process.on('unhandledRejection', (reason) => {
  console.error(reason)
  process.exitCode = 1
})
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, maxRetries: 0, timeout: 30_000 })

const first = await client.payments.get('pay_1')
const [cut, silent, closed] = await Promise.allSettled([
  client.payments.capture('pay_1', {}, { timeout: 200 }),
  client.payments.capture('pay_1', {}, { timeout: 200 }),
  client.payments.capture('pay_1', {}, { signal: AbortSignal.timeout(200) }),
  client.payments.get('pay_1'),
])
for await (const _ of client.payments.list({}, { timeout: 200 })) break

const endings = [first, cut, silent, closed]
if (endings.length !== 4) throw new Error('A call has not ended')
console.log(process.getActiveResourcesInfo().includes('Timeout') ? 'timers left' : 'no timers left')
console.log('done')
