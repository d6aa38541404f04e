import OpenAI from 'openai'
import { creation } from '../fixtures/payments.mjs'

/** Uses batches, which have the same operations as payments. The package does not map responses. */
export function open({ origin }) {
  const openai = new OpenAI({ apiKey: 'key', baseURL: `${origin}/openai` })
  return {
    create: async (index) => (await openai.batches.create(creation(index))).amount,
    read: async (index) => (await openai.batches.retrieve(`batch_${index}`)).amount,
    list: () => openai.batches.list({ limit: 100 }),
  }
}
