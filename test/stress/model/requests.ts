import fc from 'fast-check'
import type { Payment } from '../../../src/index.js'
import * as lives from './life.js'
import type { Real } from './world.js'

const amount = fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(1, 50, 100))

/** A merchant's request, and its result in the model. */
interface Request<Body extends object> {
  readonly body: fc.Arbitrary<Body>
  /** Returns a body that is invalid with the same key. */
  readonly otherBody: (body: Body) => Body
  readonly verdict: (life: lives.Life, body: Body) => lives.Verdict
  readonly send: (real: Real, id: string, body: Body, options?: { idempotencyKey: string }) => PromiseLike<Payment>
  readonly isKeyed: boolean
}

export const requests = {
  authorize: request({
    body: fc.constant({ processor: { processorMerchantId: 'merchant' } }),
    otherBody: () => ({ processor: { processorMerchantId: 'another' } }),
    verdict: lives.authorize,
    send: ({ client }, id, body, options) => client.payments.authorize(id, body, options),
    isKeyed: true,
  }),

  capture: request({
    body: fc.record({ amount, final: fc.boolean() }, { requiredKeys: [] }),
    otherBody: (body) => ({ ...body, amount: (body.amount ?? 0) + 1 }),
    verdict: lives.capture,
    send: ({ client }, id, body, options) => client.payments.capture(id, body, options),
    isKeyed: true,
  }),

  cancel: request({
    body: fc.constant({ reason: 'sold out' }),
    otherBody: () => ({ reason: 'another' }),
    verdict: lives.cancel,
    send: ({ client }, id, body, options) => client.payments.cancel(id, body, options),
    isKeyed: true,
  }),

  refund: request({
    body: fc.record({ amount }, { requiredKeys: [] }),
    otherBody: (body) => ({ ...body, amount: (body.amount ?? 0) + 1 }),
    verdict: lives.refund,
    send: ({ client }, id, body, options) => client.payments.refund(id, body, options),
    isKeyed: true,
  }),

  adjustAuthorization: request({
    body: fc.record({ amount }),
    otherBody: (body) => body,
    verdict: lives.adjustAuthorization,
    send: ({ client }, id, body) => client.payments.adjustAuthorization(id, body),
    isKeyed: false,
  }),
}

/** Removes the type of the body, so that all requests have the same type. */
function request<Body extends object>(given: Request<Body>): Request<object> {
  return given as unknown as Request<object>
}
