import { once } from 'node:events'
import { createServer } from 'node:net'
import { PaymentsClient } from 'payments-client'
import { print } from './payment-flow.mjs'

let requests = 0
const server = createServer((socket) => {
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    received += bytes
    const [head, body] = received.split('\r\n\r\n')
    if (body === undefined || (/content-length: [1-9]/i.test(head) && body === '')) return
    requests++
    socket.destroy()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const baseUrl = `http://127.0.0.1:${server.address().port}`
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, maxRetries: 0 })
const call = () => [
  client.loyalty.transactions.create({ connectionId: 'c-1', customerId: 'c-2', orderId: 'order-17', value: 5 }),
  client.payments.capture('pay_1'),
  client.paymentInstruments.delete('token-1'),
]
const results = await Promise.allSettled(call())
// Replaces the global fetch, as observability tools do.
const { fetch } = globalThis
globalThis.fetch = (...args) => fetch(...args)
results.push(...(await Promise.allSettled(call())))
print({ requests, outcomes: results.map(({ reason }) => reason.outcome) })
process.exit()
