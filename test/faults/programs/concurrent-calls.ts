/** Makes the given number of concurrent calls to a service in another process, and prints the goals for the results. */
import { PaymentsClient } from 'payments-client'
import { inDigits, printGoals } from '../../stress/load/goals.js'
import { startService } from '../../stress/load/service.js'

const count = Number(process.argv[2])
const service = await startService()
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url, maxRetries: 0 })

const results = await Promise.allSettled(Array.from({ length: count }, () => client.payments.capture('pay_1')))

const { requests, mostConnections } = await service.become('responds')
service.stop()
const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason))
const succeeded = count - failures.length
printGoals([
  {
    what: `${inDigits(count)} concurrent calls: all succeed`,
    measured: [`${succeeded} calls succeeded, with ${requests} requests`, ...failures.slice(0, 5)].join('; '),
    met: succeeded === count && requests === count,
  },
  {
    what: `${inDigits(count)} concurrent calls: at most 100 sockets`,
    measured: `${mostConnections} at most`,
    met: mostConnections > 1 && mostConnections <= 100,
  },
])
