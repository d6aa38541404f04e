import ky from 'ky'
import { creation } from '../fixtures/payments.mjs'
import { headers } from './headers.mjs'

/** Uses ky with its default options, over the global `fetch`. */
export function open({ origin }) {
  const url = `${origin}/ours/payments`
  return {
    create: async (index) => (await ky.post(url, { headers: headers(), json: creation(index) }).json()).amount,
    read: async (index) => (await ky(`${url}/pay_${index}`, { headers: headers() }).json()).amount,
  }
}
