/**
 * Runs a service that shares no CPU time or open files with the client, because it has its own process.
 *
 * A message from the parent selects whether the service responds, fails, resets connections or never responds. The
 * service counts complete requests and open connections.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Reaction = (request: IncomingMessage, response: ServerResponse) => void

const reactions: Record<string, Reaction> = {
  responds: (_, response) => response.end('{"id":"pay_1","status":"SETTLED"}'),
  'responds slowly': (_, response) => setTimeout(() => response.end('{"id":"pay_1","status":"SETTLED"}'), 10),
  fails: (_, response) => response.writeHead(503).end(),
  resets: ({ socket }) => socket.resetAndDestroy(),
  'never responds': () => {},
}
let reaction = reactions['responds'] as Reaction
let requests = 0
let mostConnections = 0

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    requests++
    // If the payment id in the path is the name of a reaction, the service reacts to this request in that way.
    const own = reactions[decodeURIComponent(request.url?.split('/')[2] ?? '')]
    const act = own ?? reaction
    act(request, response)
  })
})
server.on('connection', () => {
  server.getConnections((_, connections) => {
    mostConnections = Math.max(mostConnections, connections)
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.on('message', (next: string) => {
  reaction = reactions[next] ?? reaction
  process.send?.({ requests, mostConnections })
})
