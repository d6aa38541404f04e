import { request } from 'undici'
import { creation } from '../fixtures/payments.mjs'
import { headers, headersWithBody } from './headers.mjs'

/** Calls undici, on which Node's `fetch` is built. */
export function open({ origin }) {
  const url = `${origin}/ours/payments`
  return {
    create: async (index) => {
      const body = JSON.stringify(creation(index))
      return (await read(request(url, { method: 'POST', headers: headersWithBody(), body }))).amount
    },
    read: async (index) => (await read(request(`${url}/pay_${index}`, { headers: headers() }))).amount,
  }
}

async function read(responding) {
  const { statusCode, body } = await responding
  if (statusCode !== 200) throw new Error(`status ${statusCode}`)
  return body.json()
}
