/**
 * Makes the given number of concurrent calls, and prints the results. The service runs in another process, because it
 * would otherwise share the limit for open files with the client.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { PaymentsClient } from 'payments-client'

if (process.send) await serve()
else await call(Number(process.argv[2]))

async function call(count: number): Promise<void> {
  const service = fork(import.meta.filename)
  const [baseUrl] = await once(service, 'message')
  const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, maxRetries: 0 })

  const results = await Promise.allSettled(Array.from({ length: count }, () => client.payments.capture('pay_1')))

  service.send('report')
  const [counts] = await once(service, 'message')
  service.kill()
  const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason))
  console.log(JSON.stringify({ failures, ...counts }))
}

async function serve(): Promise<void> {
  let requests = 0
  let mostConnections = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      requests++
      response.end('{"id":"pay_1","status":"SETTLED"}')
    })
  })
  server.on('connection', () => {
    server.getConnections((_, connections) => {
      mostConnections = Math.max(mostConnections, connections)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.on('message', () => process.send?.({ requests, mostConnections }))
  process.send?.(`http://127.0.0.1:${Object(server.address()).port}`)
}
