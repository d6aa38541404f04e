/**
 * Makes the given number of concurrent calls and prints their results. The server runs in another process to have its
 * own limit on open files.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { PaymentsClient } from 'payments-client'

const [, , count = '10000'] = process.argv
const serverFile = fileURLToPath(new URL('./counting-server.ts', import.meta.url))
const server = fork(serverFile, { execArgv: process.execArgv })
const [{ url }] = (await once(server, 'message')) as [{ url: string }]
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: url, maxRetries: 0 })

const results = await Promise.allSettled(Array.from({ length: Number(count) }, () => client.payments.capture('pay_1')))

server.send('how many?')
const [counts] = (await once(server, 'message')) as [object]
const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason))
const succeeded = results.length - failures.length
console.log(JSON.stringify({ succeeded, failures: failures.slice(0, 5), ...counts }))
server.kill()
