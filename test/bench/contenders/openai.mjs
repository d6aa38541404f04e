import OpenAI from 'openai'
import { creation } from '../fixtures/payments.mjs'

/** Creates and reads batches, because OpenAI has no payments. The package returns response fields unchanged. */
export function open({ origin }) {
  const openai = new OpenAI({ apiKey: 'key', baseURL: `${origin}/openai` })
  return {
    create: async (index) => (await openai.batches.create(creation(index))).amount,
    read: async (index) => (await openai.batches.retrieve(`batch_${index}`)).amount,
    list: () => openai.batches.list({ limit: 100 }),
  }
}
