import type { Call, IdempotentRequestOptions, PaymentsClient } from '../../../src/index.js'
import type { Effect, Sandbox } from '../../../src/testing/index.js'
import { leastExternalPayment } from '../../support/external-payment.js'

/** The payments, the session and the saved card that calls with the same `which` share. */
export interface Fixture {
  readonly authorized: string
  readonly settled: string
  readonly pending: string
  readonly estimated: string
  readonly paused: string
  readonly resumeToken: string
  readonly cancellable: string
  readonly saved: string
}

/** An amount larger than the amounts of all calls together. */
export const plenty = 1_000_000_000

/** Creates the resources that exist before a schedule. */
export async function prepare(client: PaymentsClient, sandbox: Sandbox): Promise<Fixture> {
  const { tokens } = sandbox
  const pay = async (paymentMethodToken: string, paymentMethod = {}) => {
    const facts = { orderId: 'fixture', currencyCode: 'EUR', amount: plenty, paymentMethod }
    return (await client.payments.create({ paymentMethodToken, ...facts })).id
  }
  const paused = await pay(tokens.requires3ds)
  // Each payment method has its own customer. Otherwise, `setDefault` could take effect on it several times.
  const vaulted = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId: crypto.randomUUID() })
  return {
    authorized: await pay(tokens.slowSettlement),
    settled: (await client.payments.capture(await pay(tokens.card))).id,
    pending: await pay(tokens.pending),
    estimated: await pay(tokens.estimated, { authorizationType: 'ESTIMATED' }),
    paused,
    resumeToken: sandbox.completeAction(paused),
    cancellable: await pay(tokens.card),
    saved: vaulted.token as string,
  }
}

/** The resource that a call changes. Its number identifies the call's effects in the ledger. */
export interface Subject {
  readonly number: number
  readonly fixture: Fixture
  /** Whether the amount exceeds the payment's amount, so that the service rejects the call. */
  readonly isTooMuch: boolean
}

interface Operation {
  send(client: PaymentsClient, subject: Subject, options: IdempotentRequestOptions): Call<unknown>
  /** Returns whether a call on `subject` caused `effect`. */
  isOf(effect: Effect, subject: Subject, client: PaymentsClient): boolean | Promise<boolean>
  /** Whether several calls may have the same target. The service then accepts at most one of the calls. */
  isShared?: true
  /** Whether the operation accepts an idempotency key. */
  isKeyed?: true
}

/** Every operation with an effect. */
export const operations = {
  'payments.create': {
    send: ({ payments }, { number, isTooMuch }, options) => {
      const paymentMethodToken = isTooMuch ? 'unknown-token' : 'tok_card'
      const facts = { orderId: `order-${number}`, currencyCode: 'EUR', amount: number }
      return payments.create({ paymentMethodToken, ...facts }, options)
    },
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.capture': {
    send: ({ payments }, subject, options) =>
      payments.capture(subject.fixture.authorized, { amount: amountOf(subject) }, options),
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.refund': {
    send: ({ payments }, subject, options) =>
      payments.refund(subject.fixture.settled, { amount: amountOf(subject) }, options),
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.authorize': {
    send: ({ payments }, { fixture }, options) =>
      payments.authorize(fixture.pending, { processor: { processorMerchantId: 'm' } }, options),
    isOf: byResource('pending'),
    isShared: true,
    isKeyed: true,
  },
  'payments.cancel': {
    send: ({ payments }, { fixture }, options) => payments.cancel(fixture.cancellable, undefined, options),
    isOf: byResource('cancellable'),
    isShared: true,
    isKeyed: true,
  },
  'payments.adjustAuthorization': {
    send: ({ payments }, { fixture, number, isTooMuch }, options) =>
      payments.adjustAuthorization(fixture[isTooMuch ? 'pending' : 'estimated'], { amount: number }, options),
    isOf: byAmount,
  },
  'payments.resume': {
    send: ({ payments }, { fixture }, options) =>
      payments.resume(fixture.paused, { resumeToken: fixture.resumeToken }, options),
    isOf: byResource('paused'),
    isShared: true,
  },
  'clientSessions.create': {
    send: ({ clientSessions }, { number }, options) => clientSessions.create({ orderId: `order-${number}` }, options),
    isOf: async ({ resourceId }, { number }, { clientSessions }) =>
      (await clientSessions.get(resourceId)).orderId === `order-${number}`,
  },
  'paymentInstruments.vault': {
    send: ({ paymentInstruments }, { number }, options) =>
      paymentInstruments.vault('tok_card', { customerId: `customer-${number}` }, options),
    isOf: async ({ resourceId }, { number }, { paymentInstruments }) =>
      (await paymentInstruments.list({ customerId: `customer-${number}` })).some(({ token }) => token === resourceId),
  },
  'paymentInstruments.setDefault': {
    send: ({ paymentInstruments }, { fixture }, options) => paymentInstruments.setDefault(fixture.saved, options),
    isOf: byResource('saved'),
    isShared: true,
  },
  'paymentInstruments.delete': {
    send: ({ paymentInstruments }, { fixture }, options) => paymentInstruments.delete(fixture.saved, options),
    isOf: byResource('saved'),
    isShared: true,
  },
  'observability.payments.create': {
    send: ({ observability }, { number }, options) => {
      const paymentId = `external-${number}`
      return observability.payments.create({ ...leastExternalPayment, paymentId, amount: number }, options)
    },
    isOf: byAmount,
  },
  'loyalty.transactions.create': {
    send: ({ loyalty }, { number }, options) =>
      loyalty.transactions.create(
        { connectionId: 'loyalty', customerId: 'customer', orderId: 'order', value: number, type: 'REFUND' },
        options,
      ),
    isOf: byAmount,
  },
} satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

export const operationNames = Object.keys(operations) as OperationName[]

export function operationNamed(name: OperationName): Operation {
  return operations[name]
}

function byAmount({ amount }: Effect, { number }: Subject): boolean {
  return amount === number
}

function byResource(name: keyof Fixture): Operation['isOf'] {
  return ({ resourceId }, { fixture }) => resourceId === fixture[name]
}

function amountOf({ number, isTooMuch }: Subject): number {
  return isTooMuch ? number + plenty : number
}
