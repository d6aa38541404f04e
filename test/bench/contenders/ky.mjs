import ky from 'ky'
import { creation } from '../fixtures/payments.mjs'
import { headers, headersWithBody } from './headers.mjs'
import { exchange } from './node-http.mjs'

/**
 * Uses ky on top of the contender `node-http`, with all options off. The difference between the two is the cost of ky.
 */
export function open({ port, origin }) {
  const carry = exchange(port)
  const options = { retry: 0, timeout: false, throwHttpErrors: false }
  const send = (method, path, headers, body) =>
    ky(new URL(path, origin), { ...options, method, fetch: () => carry(method, path, headers, body) })
  return {
    create: async (index) =>
      (await send('POST', '/ours/payments', headersWithBody(), JSON.stringify(creation(index)))).amount,
    read: async (index) => (await send('GET', `/ours/payments/pay_${index}`, headers())).amount,
  }
}
