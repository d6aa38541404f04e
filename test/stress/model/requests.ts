import fc from 'fast-check'
import type { Payment } from '../../../src/index.js'
import * as model from './payment-model.js'
import type { Real } from './state.js'

const amount = fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(1, 50, 100))

/** A merchant's request, with its expected result according to the model. */
interface Request<Body extends object> {
  readonly body: fc.Arbitrary<Body>
  /** Returns another body, which the service rejects if it is sent with the idempotency key of the given body. */
  readonly otherBody: (body: Body) => Body
  readonly verdict: (payment: model.ModelPayment, body: Body) => model.Verdict
  readonly send: (real: Real, id: string, body: Body, options?: { idempotencyKey: string }) => PromiseLike<Payment>
  readonly isKeyed: boolean
}

export const requests = {
  authorize: request({
    body: fc.constant({ processor: { processorMerchantId: 'merchant' } }),
    otherBody: () => ({ processor: { processorMerchantId: 'another' } }),
    verdict: model.authorize,
    send: ({ client }, id, body, options) => client.payments.authorize(id, body, options),
    isKeyed: true,
  }),

  capture: request({
    body: fc.record({ amount, final: fc.boolean() }, { requiredKeys: [] }),
    otherBody: (body) => ({ ...body, amount: (body.amount ?? 0) + 1 }),
    verdict: model.capture,
    send: ({ client }, id, body, options) => client.payments.capture(id, body, options),
    isKeyed: true,
  }),

  cancel: request({
    body: fc.constant({ reason: 'sold out' }),
    otherBody: () => ({ reason: 'another' }),
    verdict: model.cancel,
    send: ({ client }, id, body, options) => client.payments.cancel(id, body, options),
    isKeyed: true,
  }),

  refund: request({
    body: fc.record({ amount }, { requiredKeys: [] }),
    otherBody: (body) => ({ ...body, amount: (body.amount ?? 0) + 1 }),
    verdict: model.refund,
    send: ({ client }, id, body, options) => client.payments.refund(id, body, options),
    isKeyed: true,
  }),

  adjustAuthorization: request({
    body: fc.record({ amount }),
    otherBody: (body) => body,
    verdict: model.adjustAuthorization,
    send: ({ client }, id, body) => client.payments.adjustAuthorization(id, body),
    isKeyed: false,
  }),
}

/** Erases the body's type, so that all requests have the same type. */
function request<Body extends object>(given: Request<Body>): Request<object> {
  return given as unknown as Request<object>
}
