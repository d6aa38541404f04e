import type * as contract from '../../src/core/contract/index.js'
import type { AnyOperation } from '../../src/core/contract/operation.js'
import type { PaymentsClient } from '../../src/index.js'
import { leastExternalPayment } from './external-payment.js'
import { createdSession, session } from './responses/client-sessions.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from './responses/loyalty.js'
import { externalPayment } from './responses/observability.js'
import { savedCard, savedCards } from './responses/payment-instruments.js'
import { authorizedPayment, paymentsPage } from './responses/payments.js'

/** The names of the contract's operations, for example `loyalty.transactions.list`. */
export type OperationName = NamesOf<typeof contract>

type NamesOf<Operations, Prefix extends string = ''> = {
  [Name in keyof Operations & string]: Operations[Name] extends AnyOperation
    ? `${Prefix}${Name}`
    : NamesOf<Operations[Name], `${Prefix}${Name}.`>
}[keyof Operations & string]

interface Facts<Input> {
  /** The kinds of failure after which the operation may be retried. */
  readonly class: 'safe' | 'keyed' | 'repeatable' | 'once'
  /** Whether the operation accepts the option `resend`. */
  readonly resendable?: true
  /** Method, path and query of the request. */
  readonly line: string
  /** The body of the request. @default `input`, except in a GET */
  readonly body?: object
  readonly response: object
  /** The call's argument that is sent as the body or the query. */
  readonly input?: Input
  readonly call: (client: PaymentsClient, options: object | undefined, input: Input) => PromiseLike<unknown>
}

/** An operation with minimal valid arguments, the resulting request, and a response. */
export interface OperationCase extends Omit<Facts<unknown>, 'call'> {
  readonly name: OperationName
  /** Calls the operation with its own `input` or with the given `input`. */
  call(client: PaymentsClient, options?: object, input?: unknown): PromiseLike<unknown>
}

function operation<Input>(name: OperationName, { call, ...facts }: Facts<Input>): OperationCase {
  const body = facts.line.startsWith('GET') ? undefined : (facts.input as object | undefined)
  return {
    name,
    ...(body && { body }),
    ...facts,
    call: (client, options, ...given) => call(client, options, (given.length > 0 ? given[0] : facts.input) as Input),
  }
}

const processor = { processorMerchantId: 'merchant-a' }
const points = { connectionId: 'connection-1', customerId: 'member-1', orderId: 'order-17', value: 120 }

export const operations: readonly OperationCase[] = [
  operation('payments.create', {
    class: 'keyed',
    line: 'POST /payments',
    input: { paymentMethodToken: 'tok_1' },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.create(body, options),
  }),
  operation('payments.get', {
    class: 'safe',
    line: 'GET /payments/pay_1',
    response: authorizedPayment,
    call: ({ payments }, options) => payments.get('pay_1', options),
  }),
  operation('payments.list', {
    class: 'safe',
    line: 'GET /payments',
    input: {},
    response: paymentsPage,
    call: ({ payments }, options, params) => payments.list(params, options),
  }),
  operation('payments.authorize', {
    class: 'keyed',
    line: 'POST /payments/pay_1/authorize',
    input: { processor },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.authorize('pay_1', body, options),
  }),
  operation('payments.capture', {
    class: 'keyed',
    line: 'POST /payments/pay_1/capture',
    input: { amount: 700 },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.capture('pay_1', body, options),
  }),
  operation('payments.cancel', {
    class: 'keyed',
    line: 'POST /payments/pay_1/cancel',
    input: { reason: 'duplicate' },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.cancel('pay_1', body, options),
  }),
  operation('payments.refund', {
    class: 'keyed',
    line: 'POST /payments/pay_1/refund',
    input: { amount: 700 },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.refund('pay_1', body, options),
  }),
  operation('payments.adjustAuthorization', {
    class: 'once',
    line: 'POST /payments/pay_1/adjust-authorization',
    input: { amount: 700 },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.adjustAuthorization('pay_1', body, options),
  }),
  operation('payments.resume', {
    class: 'once',
    line: 'POST /payments/pay_1/resume',
    input: { resumeToken: 'resume_1' },
    response: authorizedPayment,
    call: ({ payments }, options, body) => payments.resume('pay_1', body, options),
  }),
  operation('clientSessions.create', {
    class: 'once',
    resendable: true,
    line: 'POST /client-session',
    input: {},
    response: createdSession,
    call: ({ clientSessions }, options, body) => clientSessions.create(body, options),
  }),
  operation('clientSessions.get', {
    class: 'safe',
    line: 'GET /client-session?clientToken=client_token_1',
    response: session,
    call: ({ clientSessions }, options) => clientSessions.get('client_token_1', options),
  }),
  operation('clientSessions.update', {
    class: 'once',
    resendable: true,
    line: 'PATCH /client-session',
    input: {},
    body: { clientToken: 'client_token_1' },
    response: session,
    call: ({ clientSessions }, options, body) => clientSessions.update('client_token_1', body, options),
  }),
  operation('paymentInstruments.vault', {
    class: 'repeatable',
    line: 'POST /payment-instruments/tok_1/vault',
    input: { customerId: 'customer-1' },
    response: savedCard,
    call: ({ paymentInstruments }, options, body) => paymentInstruments.vault('tok_1', body, options),
  }),
  operation('paymentInstruments.setDefault', {
    class: 'repeatable',
    line: 'POST /payment-instruments/tok_1/default',
    response: savedCard,
    call: ({ paymentInstruments }, options) => paymentInstruments.setDefault('tok_1', options),
  }),
  operation('paymentInstruments.list', {
    class: 'safe',
    line: 'GET /payment-instruments?customer_id=customer-1',
    input: { customerId: 'customer-1' },
    response: savedCards,
    call: ({ paymentInstruments }, options, params) => paymentInstruments.list(params, options),
  }),
  operation('paymentInstruments.delete', {
    class: 'repeatable',
    line: 'DELETE /payment-instruments/tok_1',
    response: savedCard,
    call: ({ paymentInstruments }, options) => paymentInstruments.delete('tok_1', options),
  }),
  operation('observability.payments.create', {
    class: 'once',
    resendable: true,
    line: 'POST /observability/payments',
    input: leastExternalPayment,
    response: externalPayment,
    call: ({ observability }, options, body) => observability.payments.create(body, options),
  }),
  operation('observability.payments.update', {
    class: 'once',
    resendable: true,
    line: 'PATCH /observability/payments/external-1',
    input: {},
    response: externalPayment,
    call: ({ observability }, options, body) => observability.payments.update('external-1', body, options),
  }),
  operation('loyalty.transactions.create', {
    class: 'once',
    line: 'POST /loyalty-transactions',
    input: points,
    response: loyaltyTransaction,
    call: ({ loyalty }, options, body) => loyalty.transactions.create(body, options),
  }),
  operation('loyalty.transactions.list', {
    class: 'safe',
    line: 'GET /loyalty-transactions',
    input: {},
    response: loyaltyTransactionsPage,
    call: ({ loyalty }, options, params) => loyalty.transactions.list(params, options),
  }),
  operation('loyalty.customers.get', {
    class: 'safe',
    line: 'GET /loyalty-customers/member-1?connectionId=connection-1',
    input: { connectionId: 'connection-1' },
    response: loyaltyCustomer,
    call: ({ loyalty }, options, params) => loyalty.customers.get('member-1', params, options),
  }),
]

/** A response that is valid for every operation, because unknown fields are allowed. */
export const anyResponse = {
  id: 'pay_1',
  status: 'AUTHORIZED',
  clientToken: 'client_token_1',
  token: 'tok_1',
  data: [],
  items: [],
}

export function operationCase(name: string): OperationCase {
  const found = operations.find((each) => each.name === name)
  if (found === undefined) throw new Error(`There is no operation ${name}`)
  return found
}
