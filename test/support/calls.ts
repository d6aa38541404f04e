import * as contract from '../../src/contract/index.js'
import type { AnyOperation } from '../../src/contract/operation.js'
import type { PaymentsClient } from '../../src/index.js'
import { leastExternalPayment } from './external-payment.js'
import { createdSession, session } from './responses/client-sessions.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from './responses/loyalty.js'
import { externalPayment } from './responses/observability.js'
import { savedCard, savedCards } from './responses/payment-instruments.js'
import { authorizedPayment, paymentsPage } from './responses/payments.js'

/** `payments.create`, `loyalty.transactions.list` and so on: where each operation hangs. */
type NamesOf<Operations, Prefix extends string = ''> = {
  [Name in keyof Operations & string]: Operations[Name] extends AnyOperation
    ? `${Prefix}${Name}`
    : NamesOf<Operations[Name], `${Prefix}${Name}.`>
}[keyof Operations & string]

export type OperationName = NamesOf<typeof contract>

/** An operation called with as little as it takes, the request that this makes, and an answer to it. */
interface LeastCall {
  readonly call: (client: PaymentsClient, options?: object) => PromiseLike<unknown>
  readonly line: string
  readonly body?: object
  /** Whether the idempotency header goes along. */
  readonly keyed?: true
  /** Whether the caller may allow it to be sent again. */
  readonly resendable?: true
  readonly answer: object
}

const pointsBody = { connectionId: 'connection-1', customerId: 'member-1', orderId: 'order-17', value: 120 }

/** Every operation of the contract: an endpoint without a row here does not compile. */
export const calls: { readonly [Name in OperationName]: LeastCall } = {
  'payments.create': {
    call: (client, options) => client.payments.create({ paymentMethodToken: 'tok_1' }, options),
    line: 'POST /payments',
    body: { paymentMethodToken: 'tok_1' },
    keyed: true,
    answer: authorizedPayment,
  },
  'payments.get': {
    call: (client, options) => client.payments.get('pay_1', options),
    line: 'GET /payments/pay_1',
    answer: authorizedPayment,
  },
  'payments.list': {
    call: (client, options) => client.payments.list(undefined, options),
    line: 'GET /payments',
    answer: paymentsPage,
  },
  'payments.authorize': {
    call: (client, options) =>
      client.payments.authorize('pay_1', { processor: { processorMerchantId: 'merchant-a' } }, options),
    line: 'POST /payments/pay_1/authorize',
    body: { processor: { processorMerchantId: 'merchant-a' } },
    keyed: true,
    answer: authorizedPayment,
  },
  'payments.capture': {
    call: (client, options) => client.payments.capture('pay_1', undefined, options),
    line: 'POST /payments/pay_1/capture',
    keyed: true,
    answer: authorizedPayment,
  },
  'payments.cancel': {
    call: (client, options) => client.payments.cancel('pay_1', undefined, options),
    line: 'POST /payments/pay_1/cancel',
    keyed: true,
    answer: authorizedPayment,
  },
  'payments.refund': {
    call: (client, options) => client.payments.refund('pay_1', undefined, options),
    line: 'POST /payments/pay_1/refund',
    keyed: true,
    answer: authorizedPayment,
  },
  'payments.adjustAuthorization': {
    call: (client, options) => client.payments.adjustAuthorization('pay_1', { amount: 700 }, options),
    line: 'POST /payments/pay_1/adjust-authorization',
    body: { amount: 700 },
    answer: authorizedPayment,
  },
  'payments.resume': {
    call: (client, options) => client.payments.resume('pay_1', { resumeToken: 'resume_1' }, options),
    line: 'POST /payments/pay_1/resume',
    body: { resumeToken: 'resume_1' },
    answer: authorizedPayment,
  },
  'clientSessions.create': {
    call: (client, options) => client.clientSessions.create({}, options),
    line: 'POST /client-session',
    body: {},
    resendable: true,
    answer: createdSession,
  },
  'clientSessions.get': {
    call: (client, options) => client.clientSessions.get('client_token_1', options),
    line: 'GET /client-session?clientToken=client_token_1',
    answer: session,
  },
  'clientSessions.update': {
    call: (client, options) => client.clientSessions.update('client_token_1', {}, options),
    line: 'PATCH /client-session',
    body: { clientToken: 'client_token_1' },
    resendable: true,
    answer: session,
  },
  'paymentInstruments.vault': {
    call: (client, options) => client.paymentInstruments.vault('tok_1', { customerId: 'customer-1' }, options),
    line: 'POST /payment-instruments/tok_1/vault',
    body: { customerId: 'customer-1' },
    answer: savedCard,
  },
  'paymentInstruments.setDefault': {
    call: (client, options) => client.paymentInstruments.setDefault('tok_1', options),
    line: 'POST /payment-instruments/tok_1/default',
    answer: savedCard,
  },
  'paymentInstruments.list': {
    call: (client, options) => client.paymentInstruments.list({ customerId: 'customer-1' }, options),
    line: 'GET /payment-instruments?customer_id=customer-1',
    answer: savedCards,
  },
  'paymentInstruments.delete': {
    call: (client, options) => client.paymentInstruments.delete('tok_1', options),
    line: 'DELETE /payment-instruments/tok_1',
    answer: savedCard,
  },
  'observability.payments.create': {
    call: (client, options) => client.observability.payments.create(leastExternalPayment, options),
    line: 'POST /observability/payments',
    body: leastExternalPayment,
    resendable: true,
    answer: externalPayment,
  },
  'observability.payments.update': {
    call: (client, options) => client.observability.payments.update('external-1', {}, options),
    line: 'PATCH /observability/payments/external-1',
    body: {},
    resendable: true,
    answer: externalPayment,
  },
  'loyalty.transactions.create': {
    call: (client, options) => client.loyalty.transactions.create(pointsBody, options),
    line: 'POST /loyalty-transactions',
    body: pointsBody,
    answer: loyaltyTransaction,
  },
  'loyalty.transactions.list': {
    call: (client, options) => client.loyalty.transactions.list(undefined, options),
    line: 'GET /loyalty-transactions',
    answer: loyaltyTransactionsPage,
  },
  'loyalty.customers.get': {
    call: (client, options) => client.loyalty.customers.get('member-1', { connectionId: 'connection-1' }, options),
    line: 'GET /loyalty-customers/member-1?connectionId=connection-1',
    answer: loyaltyCustomer,
  },
}

/** The contract's operations as they stand in it. */
export function contractOperations(): AnyOperation[] {
  const operations: AnyOperation[] = []
  const pending: unknown[] = Object.values(contract)
  for (const part of pending) {
    if (isOperation(part)) operations.push(part)
    else pending.push(...Object.values(part as object))
  }
  return operations
}

function isOperation(part: unknown): part is AnyOperation {
  return typeof part === 'object' && part !== null && 'method' in part
}
