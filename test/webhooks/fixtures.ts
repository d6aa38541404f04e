import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { PaymentsError, verify, verifyAsync } from '../../src/webhooks/index.js'

/** Runs of each property. The long form sets FUZZ_RUNS. */
export const runs = Number(process.env['FUZZ_RUNS'] ?? 500)

export const currentSecret = 'whsec_current_000001'
export const previousSecret = 'whsec_previous_00001'
export const foreignSecret = 'whsec_of_someone_else'

export const aStatusEvent = (payment: object = {}) => ({
  eventType: 'PAYMENT.STATUS',
  date: '2026-01-31T12:00:00.000Z',
  notificationConfig: { id: 'config_1', description: 'all payments' },
  version: '2.1',
  payment: { id: 'pay_1', status: 'AUTHORIZED', amount: 5000, currencyCode: 'EUR', ...payment },
})

export const aRefundEvent = () => ({
  ...aStatusEvent({
    status: 'SETTLED',
    transactions: [{ transactionType: 'REFUND', processorStatus: 'SETTLED', amount: 700 }],
  }),
  eventType: 'PAYMENT.REFUND',
})

export const aDisputeEvent = () => ({
  eventType: 'DISPUTE.STATUS',
  type: 'DISPUTE',
  status: 'OPEN',
  paymentId: 'pay_1',
  amount: 5000,
  currency: 'EUR',
  receivedAt: '2026-01-31T12:00:00.000Z',
})

/** What the service would send: made with Node's crypto, not with the code under test. */
export function hmac(body: string | Uint8Array, secret: string | Uint8Array = currentSecret, hash = 'sha256'): string {
  return createHmac(hash, secret).update(body).digest('base64')
}

export function signed(body: string | Uint8Array, secret?: string | Uint8Array): Record<string, string> {
  return { 'X-Signature-Primary': hmac(body, secret) }
}

/** The error of a call: thrown or rejected, and always one of ours. */
export async function errorOf(call: () => unknown): Promise<PaymentsError> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsError)
    return error as PaymentsError
  }
  throw new Error('nothing was thrown')
}

/** `no-match`, `missing-signature` …; `accepted` if nothing was thrown, the error's code if it is another one. */
export async function verdict(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsError)
    return (error as { reason?: string }).reason ?? (error as PaymentsError).code
  }
}

/** Both ways to verify: whatever one says, the other says too. */
export const bothWays: { how: string; check: typeof verify | typeof verifyAsync }[] = [
  { how: 'verify', check: verify },
  { how: 'verifyAsync', check: verifyAsync },
]
