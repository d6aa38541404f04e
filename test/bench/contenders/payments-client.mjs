import { PaymentsClient } from 'payments-client'
import { creation } from '../fixtures/creation.mjs'

/** Uses the default options: validation, deadlines and retries are on. */
export function open({ origin }) {
  const client = new PaymentsClient({ apiKey: 'key', baseUrl: `${origin}/ours` })
  return {
    create: async (index) => (await client.payments.create(creation(index))).amount,
    read: async (index) => (await client.payments.get(`pay_${index}`)).amount,
    list: () => client.payments.list({ limit: 100 }),
  }
}
