import { forever, read, type Script, startScriptedServer } from '../support/scripted-server.js'

const payment = { id: 'pay_1', status: 'AUTHORIZED', amount: 700, currencyCode: 'EUR', orderId: 'order-1' }
const success = JSON.stringify({ ...payment, clientToken: 'cli_1', token: 'tok_1' })

/**
 * Starts a server that records requests with the original order and case of their headers. The first path segment
 * selects the response:
 *
 * - `/ok`: 200
 * - `/retry`: 503 to the first request, then 200
 * - `/reset`: closes the first connection after the request, then 200
 * - `/reset-always`: closes every connection after the request
 *
 * It also accepts `CONNECT` and the absolute URLs of requests to a proxy.
 */
export async function startRecorder() {
  const respondToAll: Script = [
    forever(read(), ({ socket, requests }) => {
      const { method, path: target } = requests.at(-1) as (typeof requests)[number]
      // This server is both the proxy and the target of the tunnel.
      if (method === 'CONNECT') return void socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      const behaviour = target.replace(/^http:\/\/[^/]+/, '').split('/')[1]
      const isFirst = requests.filter(({ path }) => path === target).length === 1
      if (behaviour === 'reset-always' || (behaviour === 'reset' && isFirst)) return void socket.destroy()
      const [status, body] = behaviour === 'retry' && isFirst ? ['503 Service Unavailable', '{}'] : ['200 OK', success]
      const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
      socket.write(`${head}\r\n\r\n${body}`)
    }),
  ]
  const server = await startScriptedServer([respondToAll])
  return {
    url: server.url,
    requests: () =>
      server.requests.map(({ method, path: target, raw, body }) => ({ method, target, headers: headersIn(raw), body })),
    close: server.close,
  }
}

/** Returns the names and values of all headers, including repeated headers. */
function headersIn(raw: Buffer): [name: string, value: string][] {
  const [head = ''] = raw.toString('latin1').split('\r\n\r\n')
  const lines = head.split('\r\n').slice(1)
  return lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
}
