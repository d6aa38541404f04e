import {
  CreateExternalPaymentBodySchema,
  ExternalPaymentChangesSchema,
  ExternalPaymentSchema,
} from '../schemas/external-payment.js'
import { bothCarts, defineOperation } from './operation.js'

const createPayment = defineOperation({
  name: 'observability.payments.create',
  summary: 'Record a payment made outside the service',
  method: 'POST',
  path: '/observability/payments',
  scope: 'observability-payments:write',
  class: 'once',
  resendable: true,
  beta: true,
  body: bothCarts(CreateExternalPaymentBodySchema),
  response: bothCarts(ExternalPaymentSchema),
})

const updatePayment = defineOperation({
  name: 'observability.payments.update',
  summary: 'Update the record of a payment made outside the service',
  method: 'PATCH',
  path: '/observability/payments/:paymentId',
  class: 'once',
  resendable: true,
  beta: true,
  body: bothCarts(ExternalPaymentChangesSchema),
  response: bothCarts(ExternalPaymentSchema),
})

export const payments = { create: createPayment, update: updatePayment }
