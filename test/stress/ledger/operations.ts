import type { Call, IdempotentRequestOptions, PaymentsClient } from '../../../src/index.js'
import type { Effect, Sandbox } from '../../../src/sandbox/index.js'

/** Resources that exist before a schedule: only two of each kind, so that calls often share a target. */
export interface Fixtures {
  readonly authorized: readonly string[]
  readonly settled: readonly string[]
  readonly pending: readonly string[]
  readonly estimated: readonly string[]
  readonly paused: readonly { readonly id: string; readonly resumeToken: string }[]
  readonly cancellable: readonly string[]
  readonly sessions: readonly string[]
  readonly saved: readonly string[]
}

/** An amount larger than the amounts of all calls together. */
const plenty = 1_000_000_000

export async function prepare(client: PaymentsClient, sandbox: Sandbox): Promise<Fixtures> {
  const { tokens } = sandbox
  const pay = async (paymentMethodToken: string, paymentMethod = {}) => {
    const facts = { orderId: 'fixture', currencyCode: 'EUR', amount: plenty, paymentMethod }
    return (await client.payments.create({ paymentMethodToken, ...facts })).id
  }
  return {
    authorized: await twice(() => pay(tokens.slowSettlement)),
    settled: await twice(async () => (await client.payments.capture(await pay(tokens.card))).id),
    pending: await twice(() => pay(tokens.pending)),
    estimated: await twice(() => pay(tokens.estimated, { authorizationType: 'ESTIMATED' })),
    paused: await twice(async () => {
      const id = await pay(tokens.requires3ds)
      return { id, resumeToken: sandbox.completeAction(id) }
    }),
    cancellable: await twice(() => pay(tokens.card)),
    sessions: await twice(async () => (await client.clientSessions.create()).clientToken),
    saved: await twice(async () => {
      // Each payment method has its own customer. Otherwise, `setDefault` could take effect on it several times.
      const vaulted = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId: crypto.randomUUID() })
      return vaulted.token as string
    }),
  }
}

async function twice<T>(make: () => Promise<T>): Promise<T[]> {
  return [await make(), await make()]
}

/** The resource that a call changes. Its number identifies the call's effects in the ledger. */
export interface Subject {
  readonly number: number
  readonly fixtures: Fixtures
  readonly which: 0 | 1
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
    send: (client, { number, isTooMuch }, options) => {
      const paymentMethodToken = isTooMuch ? 'unknown-token' : 'tok_card'
      const facts = { orderId: `order-${number}`, currencyCode: 'EUR', amount: number }
      return client.payments.create({ paymentMethodToken, ...facts }, options)
    },
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.capture': {
    send: (client, subject, options) =>
      client.payments.capture(
        subject.fixtures.authorized[subject.which] as string,
        { amount: amountOf(subject) },
        options,
      ),
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.refund': {
    send: (client, subject, options) =>
      client.payments.refund(subject.fixtures.settled[subject.which] as string, { amount: amountOf(subject) }, options),
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.authorize': {
    send: (client, { fixtures, which }, options) =>
      client.payments.authorize(
        fixtures.pending[which] as string,
        { processor: { processorMerchantId: 'm' } },
        options,
      ),
    isOf: ({ resourceId }, { fixtures, which }) => resourceId === fixtures.pending[which],
    isShared: true,
    isKeyed: true,
  },
  'payments.cancel': {
    send: (client, { fixtures, which }, options) =>
      client.payments.cancel(fixtures.cancellable[which] as string, undefined, options),
    isOf: ({ resourceId }, { fixtures, which }) => resourceId === fixtures.cancellable[which],
    isShared: true,
    isKeyed: true,
  },
  'payments.adjustAuthorization': {
    send: (client, { fixtures, which, number, isTooMuch }, options) =>
      client.payments.adjustAuthorization(
        fixtures[isTooMuch ? 'pending' : 'estimated'][which] as string,
        { amount: number },
        options,
      ),
    isOf: byAmount,
  },
  'payments.resume': {
    send: (client, { fixtures, which }, options) => {
      const { id, resumeToken } = fixtures.paused[which] as Fixtures['paused'][number]
      return client.payments.resume(id, { resumeToken }, options)
    },
    isOf: ({ resourceId }, { fixtures, which }) => resourceId === fixtures.paused[which]?.id,
    isShared: true,
  },
  'clientSessions.create': {
    send: (client, { number }, options) => client.clientSessions.create({ orderId: `order-${number}` }, options),
    isOf: async ({ resourceId }, { number }, client) =>
      (await client.clientSessions.get(resourceId)).orderId === `order-${number}`,
  },
  'paymentInstruments.vault': {
    send: (client, { number }, options) =>
      client.paymentInstruments.vault('tok_card', { customerId: `customer-${number}` }, options),
    isOf: async ({ resourceId }, { number }, client) =>
      (await client.paymentInstruments.list({ customerId: `customer-${number}` })).some(
        ({ token }) => token === resourceId,
      ),
  },
  'paymentInstruments.setDefault': {
    send: (client, { fixtures, which }, options) =>
      client.paymentInstruments.setDefault(fixtures.saved[which] as string, options),
    isOf: ({ resourceId }, { fixtures, which }) => resourceId === fixtures.saved[which],
    isShared: true,
  },
  'paymentInstruments.delete': {
    send: (client, { fixtures, which }, options) =>
      client.paymentInstruments.delete(fixtures.saved[which] as string, options),
    isOf: ({ resourceId }, { fixtures, which }) => resourceId === fixtures.saved[which],
    isShared: true,
  },
  'observability.payments.create': {
    send: (client, { number }, options) => client.observability.payments.create(externalPayment(number), options),
    isOf: byAmount,
  },
  'loyalty.transactions.create': {
    send: (client, { number }, options) =>
      client.loyalty.transactions.create(
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

function amountOf({ number, isTooMuch }: Subject): number {
  return isTooMuch ? number + plenty : number
}

function externalPayment(number: number) {
  return {
    paymentId: `external-${number}`,
    currencyCode: 'EUR',
    processor: { name: 'STRIPE' },
    amount: number,
    createdAt: '2026-01-31T12:00:00Z',
    order: { id: `order-${number}` },
    paymentMethod: { paymentMethodType: 'PAYMENT_CARD' },
  }
}
