import { createHmac } from 'node:crypto'
import { expect, vi } from 'vitest'
import {
  createHandler,
  createMemoryStore,
  type HandlerOptions,
  PaymentsError,
  verify,
  verifyAsync,
  type WebhookStore,
} from '../../src/webhooks/index.js'

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

/** Returns the service's signature, computed with Node's crypto instead of the code under test. */
export function hmac(body: string | Uint8Array, secret: string | Uint8Array = currentSecret, hash = 'sha256'): string {
  return createHmac(hash, secret).update(body).digest('base64')
}

export function signed(body: string | Uint8Array, secret?: string | Uint8Array): Record<string, string> {
  return { 'X-Signature-Primary': hmac(body, secret) }
}

/** Returns the `PaymentsError` that a call throws or rejects with. Fails for any other error. */
export async function errorOf(call: () => unknown): Promise<PaymentsError> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsError)
    return error as PaymentsError
  }
  throw new Error('nothing was thrown')
}

/** Returns `accepted`, a verification error's reason, or another error's code. */
export async function verdict(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(PaymentsError)
    return (error as { reason?: string }).reason ?? (error as PaymentsError).code
  }
}

/** `verify` and `verifyAsync`, for tests that apply to both. */
export const bothWays: { how: string; check: typeof verify | typeof verifyAsync }[] = [
  { how: 'verify', check: verify },
  { how: 'verifyAsync', check: verifyAsync },
]

/** Returns a detached buffer or view, whose memory was transferred. */
export function detached(kind: 'Uint8Array' | 'DataView' | 'ArrayBuffer', content: string) {
  const bytes = new TextEncoder().encode(content)
  const value = { Uint8Array: bytes, DataView: new DataView(bytes.buffer), ArrayBuffer: bytes.buffer }[kind]
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  return value
}

export const url = 'https://merchant.example/webhooks'

export function aDelivery(payload: unknown = aStatusEvent(), secret: string | Uint8Array = currentSecret): Request {
  const body = JSON.stringify(payload)
  return new Request(url, { method: 'POST', headers: signed(body, secret), body })
}

/** Creates a handler, and returns it with its mock functions. `deliver` returns the status of the response. */
export function aHandler(options: Partial<HandlerOptions> = {}) {
  const onStatus = vi.fn()
  const onUnrecognized = vi.fn()
  const onError = vi.fn()
  const handler = createHandler({
    secret: currentSecret,
    on: { 'PAYMENT.STATUS': onStatus },
    onUnrecognized,
    onError,
    ...options,
  })
  const deliver = async (payload?: unknown, secret?: string | Uint8Array) =>
    (await handler(aDelivery(payload, secret))).status
  return { handler, deliver, onStatus, onUnrecognized, onError }
}

/** Creates a memory store with mocked methods, some of which the given functions replace. */
export function aStore(functions: Partial<WebhookStore> = {}) {
  const memory = createMemoryStore() as Required<WebhookStore>
  return {
    claim: vi.fn(functions.claim ?? memory.claim),
    renew: vi.fn(functions.renew ?? memory.renew),
    complete: vi.fn(functions.complete ?? memory.complete),
    release: vi.fn(functions.release ?? memory.release),
    advance: vi.fn(functions.advance ?? memory.advance),
    newest: vi.fn(functions.newest ?? memory.newest),
  }
}

/** Creates a promise and the function that resolves it. */
export function later() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
