import { Agent, request } from 'node:http'
import { creation } from '../fixtures/payments.mjs'
import { headers, headersWithBody } from './headers.mjs'

/** What Node brings, over connections that are kept. */
export function open({ port }) {
  const agent = new Agent({ keepAlive: true })
  const send = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
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
  return {
    create: async (index) => {
      const body = JSON.stringify(creation(index))
      const sized = { ...headersWithBody(), 'content-length': Buffer.byteLength(body) }
      return (await send('POST', '/ours/payments', sized, body)).amount
    },
    read: async (index) => (await send('GET', `/ours/payments/pay_${index}`, headers())).amount,
  }
}
