/** Makes the given number of concurrent calls to a service in another process, and prints the results of the calls. */
import { PaymentsClient } from 'payments-client'
import { startService } from '../../stress/load/service.js'

const [, , count = '10000'] = process.argv
const service = await startService()
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url, maxRetries: 0 })

const results = await Promise.allSettled(Array.from({ length: Number(count) }, () => client.payments.capture('pay_1')))

const counts = await service.become('responds')
const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason))
const succeeded = results.length - failures.length
console.log(JSON.stringify({ succeeded, failures: failures.slice(0, 5), ...counts }))
service.stop()
