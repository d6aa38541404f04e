import { createServer, type Server, type Socket } from 'node:net'

/** A request exactly as it arrived. */
export interface RecordedRequest {
  method: string
  target: string
  /** The headers in their original order and case. */
  headers: [name: string, value: string][]
  body: string
}

const payment = { id: 'pay_1', status: 'AUTHORIZED', amount: 700, currencyCode: 'EUR', orderId: 'order-1' }
const success = JSON.stringify({ ...payment, clientToken: 'cli_1', token: 'tok_1' })

/**
 * Starts a server that records raw requests. The first path segment selects the response:
 *
 * - `/ok`: 200
 * - `/retry`: 503 to the first request, then 200
 * - `/reset`: closes the first connection after the request, then 200
 * - `/reset-always`: closes every connection after the request
 *
 * It also accepts `CONNECT` and the absolute URLs of requests to a proxy.
 */
export async function startRecorder() {
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let received = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      for (let next = readRequest(received); next !== undefined; next = readRequest(received)) {
        received = received.subarray(next.length)
        requests.push(next.request)
        respond(socket, next.request, requests)
      }
    })
  })
  await listen(server)
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

/** Parses the first complete request, or returns undefined. */
function readRequest(bytes: Buffer): { request: RecordedRequest; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const start = end + 4
  if (header('transfer-encoding') === 'chunked') {
    const last = bytes.indexOf('0\r\n\r\n', start)
    if (last < 0) return undefined
    return { request: { method, target, headers, body: unchunk(bytes.subarray(start, last)) }, length: last + 5 }
  }
  const length = Number(header('content-length') ?? 0)
  if (bytes.length < start + length) return undefined
  const body = bytes.subarray(start, start + length).toString()
  return { request: { method, target, headers, body }, length: start + length }
}

function unchunk(bytes: Buffer): string {
  let body = ''
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.subarray(0, end).toString(), 16)
    body += rest.subarray(end + 2, end + 2 + size).toString()
    rest = rest.subarray(end + 2 + size + 2)
  }
  return body
}

function respond(socket: Socket, { method, target }: RecordedRequest, requests: readonly RecordedRequest[]): void {
  // This server is both the proxy and the target of the tunnel.
  if (method === 'CONNECT') return void socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  const path = target.replace(/^http:\/\/[^/]+/, '')
  const behaviour = path.split('/')[1]
  const isFirst = requests.filter((request) => request.target === target).length === 1
  if (behaviour === 'reset-always' || (behaviour === 'reset' && isFirst)) return void socket.destroy()
  const failed = behaviour === 'retry' && isFirst
  const body = failed ? '{}' : success
  socket.write(
    `HTTP/1.1 ${failed ? '503 Service Unavailable' : '200 OK'}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}
