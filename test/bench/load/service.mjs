/** Responds to every request with a payment, and counts the requests and their idempotency keys. */
import { createServer } from 'node:http'
import { paymentIn } from '../fixtures/formats.mjs'

const payments = Array.from({ length: 64 }, (_, index) => paymentIn.ours(index))
const keys = new Set()
let requests = 0

const server = createServer((request, response) => {
  const payment = payments[requests++ % payments.length]
  keys.add(request.headers['x-idempotency-key'])
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payment) })
    response.end(payment)
  })
})
process.on('message', () => process.send({ requests, distinct: keys.size }))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
