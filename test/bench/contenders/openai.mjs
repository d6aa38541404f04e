import OpenAI from 'openai'
import { creation } from '../fixtures/payments.mjs'

/** It has no payments. Its batches are created, read and listed in the same way, and it hands answers on as they are. */
export function open({ origin }) {
  const openai = new OpenAI({ apiKey: 'key', baseURL: `${origin}/openai` })
  return {
    create: async (index) => (await openai.batches.create(creation(index))).amount,
    read: async (index) => (await openai.batches.retrieve(`batch_${index}`)).amount,
    list: () => openai.batches.list({ limit: 100 }),
  }
}
