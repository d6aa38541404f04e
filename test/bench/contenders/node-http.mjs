import { Agent, request } from 'node:http'
import { creation } from '../fixtures/creation.mjs'
import { headers, headersWithBody } from './headers.mjs'

/** Uses Node's HTTP client with keep-alive. */
export function open({ port }) {
  const send = exchange(port)
  return {
    create: async (index) =>
      (await send('POST', '/ours/payments', headersWithBody(), JSON.stringify(creation(index)))).amount,
    read: async (index) => (await send('GET', `/ours/payments/pay_${index}`, headers())).amount,
  }
}

/** Returns a function that sends one request and parses the response as JSON. */
export function exchange(port) {
  const agent = new Agent({ keepAlive: true })
  return (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const sized = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: sized }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve(JSON.parse(text)))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
}
