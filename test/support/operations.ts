import type { PaymentsClient } from 'payments-client'
import { payment } from './clients.js'
import { leastExternalPayment } from './external-payment.js'

/** One operation of the client, with arguments that are right. */
export interface Called {
  name: string
  /** What may be repeated after an ambiguous failure. */
  class: 'safe' | 'keyed' | 'repeatable' | 'once'
  call(client: PaymentsClient, options?: object): PromiseLike<unknown>
}

const redemption = { connectionId: 'con_1', customerId: 'cust_1', orderId: 'order-1', value: 100 }

/** All 21 operations. */
export const operations: readonly Called[] = [
  {
    name: 'payments.create',
    class: 'keyed',
    call: ({ payments }, options) => payments.create({ paymentMethodToken: 'tok_1', amount: 700 }, options),
  },
  { name: 'payments.get', class: 'safe', call: ({ payments }, options) => payments.get('pay_1', options) },
  { name: 'payments.list', class: 'safe', call: ({ payments }, options) => payments.list({}, options) },
  {
    name: 'payments.authorize',
    class: 'keyed',
    call: ({ payments }, options) => payments.authorize('pay_1', { processor: { processorMerchantId: 'm' } }, options),
  },
  {
    name: 'payments.capture',
    class: 'keyed',
    call: ({ payments }, options) => payments.capture('pay_1', { amount: 700 }, options),
  },
  {
    name: 'payments.cancel',
    class: 'keyed',
    call: ({ payments }, options) => payments.cancel('pay_1', { reason: 'r' }, options),
  },
  {
    name: 'payments.refund',
    class: 'keyed',
    call: ({ payments }, options) => payments.refund('pay_1', { amount: 700 }, options),
  },
  {
    name: 'payments.adjustAuthorization',
    class: 'once',
    call: ({ payments }, options) => payments.adjustAuthorization('pay_1', { amount: 800 }, options),
  },
  {
    name: 'payments.resume',
    class: 'once',
    call: ({ payments }, options) => payments.resume('pay_1', { resumeToken: 'res_1' }, options),
  },
  {
    name: 'clientSessions.create',
    class: 'once',
    call: ({ clientSessions }, options) => clientSessions.create({ orderId: 'order-1' }, options),
  },
  {
    name: 'clientSessions.get',
    class: 'safe',
    call: ({ clientSessions }, options) => clientSessions.get('cli_1', options),
  },
  {
    name: 'clientSessions.update',
    class: 'once',
    call: ({ clientSessions }, options) => clientSessions.update('cli_1', { orderId: 'order-2' }, options),
  },
  {
    name: 'paymentInstruments.vault',
    class: 'repeatable',
    call: ({ paymentInstruments }, options) => paymentInstruments.vault('tok_1', { customerId: 'cust_1' }, options),
  },
  {
    name: 'paymentInstruments.setDefault',
    class: 'repeatable',
    call: ({ paymentInstruments }, options) => paymentInstruments.setDefault('tok_1', options),
  },
  {
    name: 'paymentInstruments.list',
    class: 'safe',
    call: ({ paymentInstruments }, options) => paymentInstruments.list({ customerId: 'cust_1' }, options),
  },
  {
    name: 'paymentInstruments.delete',
    class: 'repeatable',
    call: ({ paymentInstruments }, options) => paymentInstruments.delete('tok_1', options),
  },
  {
    name: 'observability.payments.create',
    class: 'once',
    call: ({ observability }, options) => observability.payments.create(leastExternalPayment, options),
  },
  {
    name: 'observability.payments.update',
    class: 'once',
    call: ({ observability }, options) => observability.payments.update('ext_1', { amount: 800 }, options),
  },
  {
    name: 'loyalty.transactions.create',
    class: 'once',
    call: ({ loyalty }, options) => loyalty.transactions.create(redemption, options),
  },
  {
    name: 'loyalty.transactions.list',
    class: 'safe',
    call: ({ loyalty }, options) => loyalty.transactions.list({}, options),
  },
  {
    name: 'loyalty.customers.get',
    class: 'safe',
    call: ({ loyalty }, options) => loyalty.customers.get('cust_1', { connectionId: 'con_1' }, options),
  },
]

/** An answer that fits every operation, since unknown fields are ignored. */
export const fitsAll = { ...payment, clientToken: 'cli_1', token: 'tok_1', data: [], items: [] }
