import type * as operations from '../../../core/contract/index.js'
import type { ExternalPayment } from '../../../core/schemas/external-payment.js'
import type { Context, Handlers } from '../domain/context.js'
import { merged } from '../domain/fields.js'
import { ServiceError } from '../internal/exchange.js'

export const observability: Handlers<typeof operations.observability> = {
  payments: {
    create({ body, recordEffect }, context) {
      requireNew(body.paymentId, context)
      context.store.externalPayments.set(body.paymentId, body as ExternalPayment)
      recordEffect(body.paymentId, body.amount)
      return body as ExternalPayment
    },

    update({ params, body, recordEffect }, context) {
      const { externalPayments } = context.store
      const before = externalPayments.get(params.paymentId)
      if (!before) {
        throw new ServiceError(404, 'ExternalPaymentNotFound', 'There is no external payment with this paymentId')
      }
      const after = merged<ExternalPayment>(before, body)
      const paymentId = after.paymentId as string
      if (paymentId !== params.paymentId) requireNew(paymentId, context)
      externalPayments.delete(params.paymentId)
      externalPayments.set(paymentId, after)
      recordEffect(paymentId, body.amount)
      return after
    },
  },
}

/**
 * Rejects an ID if it belongs to an existing external payment, or to a payment that the service processed and recorded
 * itself.
 */
function requireNew(paymentId: string, { store, payments }: Context): void {
  if (payments.has(paymentId)) {
    const description = 'The service records its own payments: send only payments made outside the service'
    throw new ServiceError(409, 'PaymentMadeHere', description, { paymentId })
  }
  if (store.externalPayments.get(paymentId)) {
    const description = 'An external payment with this paymentId already exists'
    throw new ServiceError(409, 'ExternalPaymentAlreadyExists', description)
  }
}
