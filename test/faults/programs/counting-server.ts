/** Responds to each request with a payment, and counts requests and open connections. */
import { createServer } from 'node:http'

const counts = { requests: 0, mostConnections: 0 }
let connections = 0

const server = createServer((request, response) => {
  counts.requests++
  request.resume().on('end', () => response.end('{"id":"pay_1","status":"SETTLED"}'))
})
server.on('connection', (socket) => {
  connections++
  counts.mostConnections = Math.max(counts.mostConnections, connections)
  socket.on('close', () => connections--)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.on('message', () => process.send?.(counts))
