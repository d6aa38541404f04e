import type * as operations from '../../contract/index.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import type { Desk } from '../domain/context.js'
import { merged } from '../domain/merge.js'
import { Refusal } from '../refusal.js'
import type { Handlers } from './handler.js'

export const observability: Handlers<typeof operations.observability> = {
  payments: {
    create({ body, happened }, desk) {
      requireNew(body.paymentId, desk)
      desk.store.externalPayments.set(body.paymentId, body)
      happened(body.paymentId, body.amount)
      return body
    },

    update({ params, body, happened }, desk) {
      const before = desk.store.externalPayments.get(params.paymentId)
      if (!before) throw new Refusal(404, 'ExternalPaymentNotFound', 'There is no external payment with this paymentId')
      const after = merged<ExternalPayment>(before, body)
      const paymentId = after.paymentId as string
      if (paymentId !== params.paymentId) requireNew(paymentId, desk)
      desk.store.externalPayments.delete(params.paymentId)
      desk.store.externalPayments.set(paymentId, after)
      happened(paymentId, body.amount)
      return after
    },
  },
}

/** Records are unique, and payments made here are recorded by themselves. */
function requireNew(paymentId: string, { store, payments }: Desk): void {
  if (payments.has(paymentId)) {
    throw new Refusal(409, 'PaymentMadeHere', 'Payments made through the payments endpoints must not be sent', {
      paymentId,
    })
  }
  if (store.externalPayments.get(paymentId)) {
    throw new Refusal(409, 'ExternalPaymentAlreadyExists', 'There is an external payment with this paymentId already')
  }
}
