import {
  ListPaymentInstrumentsParamsSchema,
  PaymentInstrumentListSchema,
  PaymentInstrumentSchema,
  type VaultBody,
  VaultBodySchema,
} from '../schemas/payment-instrument.js'
import { bothCarts, defineOperation } from './operation.js'

export const vault = defineOperation({
  name: 'paymentInstruments.vault',
  summary: 'Save a payment method for a customer',
  method: 'POST',
  path: '/payment-instruments/:paymentMethodToken/vault',
  scope: 'payment_instrument:write',
  class: 'repeatable',
  onceIf: (body) => (body as VaultBody).verify === true,
  body: bothCarts(VaultBodySchema),
  response: bothCarts(PaymentInstrumentSchema),
})

export const setDefault = defineOperation({
  name: 'paymentInstruments.setDefault',
  summary: 'Make a saved payment method the customer’s default',
  method: 'POST',
  path: '/payment-instruments/:paymentMethodToken/default',
  scope: 'payment_instrument:write',
  class: 'repeatable',
  response: bothCarts(PaymentInstrumentSchema),
})

export const list = defineOperation({
  name: 'paymentInstruments.list',
  summary: 'List the saved payment methods of a customer',
  method: 'GET',
  path: '/payment-instruments',
  scope: 'payment_instrument:read',
  class: 'safe',
  query: { schema: ListPaymentInstrumentsParamsSchema, names: { customerId: 'customer_id' } },
  response: bothCarts(PaymentInstrumentListSchema),
})

/** Exported as `delete`, because a constant cannot have this name. */
const deleteOne = defineOperation({
  name: 'paymentInstruments.delete',
  summary: 'Delete a saved payment method',
  method: 'DELETE',
  path: '/payment-instruments/:paymentMethodToken',
  class: 'repeatable',
  response: bothCarts(PaymentInstrumentSchema),
})

export { deleteOne as delete }
