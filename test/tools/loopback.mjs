/** Starts local servers for the guides' code blocks. Servers and code blocks run in the tool's process. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'

/** Returns the path of a certificate or key from the runner, for example `client-key.pem`. */
export const certificateFile = (name) => join(process.env.CERTIFICATES, name)

const payment = { id: 'pay_1', status: 'AUTHORIZED', amount: 700, currencyCode: 'EUR', orderId: 'order-1' }

/**
 * Starts a payments service with a certificate from the private authority. It responds 200 to every request.
 *
 * @param options.clientCertificate Whether to require a client certificate from the authority.
 */
export async function startTlsService({ clientCertificate = false } = {}) {
  const requests = []
  const tls = {
    cert: readFileSync(certificateFile('service.pem')),
    key: readFileSync(certificateFile('service-key.pem')),
    ...(clientCertificate && { ca: readFileSync(certificateFile('authority.pem')), requestCert: true }),
  }
  const server = createTlsServer(tls, async (request, response) => {
    const { method, url, headers, socket } = request
    const chunks = await request.toArray()
    const body = Buffer.concat(chunks).toString()
    requests.push({ method, url, headers, body, client: socket.getPeerCertificate()?.subject?.CN })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(payment))
  })
  const port = await listen(server)
  return { requests, url: `https://localhost:${port}`, port, close: () => close(server) }
}

/** Starts a proxy for CONNECT requests that requires a user name and password. Records each tunnel and its bytes. */
export async function startProxy(user = 'shop', password = 'p%ss w:rd') {
  const tunnels = []
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', (request, socket) => {
    socket.on('error', () => {})
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
      return
    }
    const tunnel = { target: request.url, sent: '' }
    tunnels.push(tunnel)
    const [host, port] = request.url.split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
    socket.on('data', (chunk) => {
      tunnel.sent += chunk.toString('latin1')
    })
    upstream.on('error', () => socket.destroy())
  })
  const port = await listen(server)
  const address = (secret) => `http://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@127.0.0.1:${port}`
  return { tunnels, url: address(password), wrongUrl: address('wrong'), close: () => close(server) }
}

async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

function close(server) {
  server.close()
  server.closeAllConnections()
}
