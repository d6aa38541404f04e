import { invalidField } from '../refusal.js'

interface ProcessorAccount {
  name: string
  processorMerchantId: string
}

/** Who handles the payments. */
export const usualProcessor: ProcessorAccount = { name: 'SANDBOX', processorMerchantId: 'sandbox-merchant' }

/** The merchant ID that several processors of this account share, so that their name must be given. */
const sharedMerchantId = 'shared-merchant'

/** The processor that a manual authorization asks for. Any merchant ID will do. */
export function processorFor({ name, processorMerchantId }: Partial<ProcessorAccount>): ProcessorAccount {
  if (name === undefined && processorMerchantId === sharedMerchantId) {
    throw invalidField('processor.name', 'is missing: several processors share this merchant ID')
  }
  return { name: name ?? usualProcessor.name, processorMerchantId: processorMerchantId as string }
}
