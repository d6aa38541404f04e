/**
 * Runs a service that shares no CPU time or open files with the client, because it has its own process.
 *
 * A message from the parent selects whether it responds, fails, resets connections or never responds. It counts
 * complete requests and open connections.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Mood = (request: IncomingMessage, response: ServerResponse) => void

const moods: Record<string, Mood> = {
  answers: (_, response) => response.end('{"id":"pay_1","status":"SETTLED"}'),
  'takes its time': (_, response) => setTimeout(() => response.end('{"id":"pay_1","status":"SETTLED"}'), 10),
  fails: (_, response) => response.writeHead(503).end(),
  resets: ({ socket }) => socket.resetAndDestroy(),
  'keeps silent': () => {},
}
let mood = moods['answers'] as Mood
let requests = 0
let mostConnections = 0

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    requests++
    // If the payment id is the name of a mood, only this request uses that mood.
    const own = moods[decodeURIComponent(request.url?.split('/')[2] ?? '')]
    const act = own ?? mood
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
  mood = moods[next] ?? mood
  process.send?.({ requests, mostConnections })
})
