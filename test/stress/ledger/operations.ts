import type { Call, IdempotentRequestOptions, PaymentsClient } from '../../../src/index.js'
import type { Effect, Sandbox } from '../../../src/sandbox/index.js'

/** What was there before anything went wrong: two of each kind, so that calls can meet at the same one. */
export interface Scene {
  readonly authorized: readonly string[]
  readonly settled: readonly string[]
  readonly pending: readonly string[]
  readonly estimated: readonly string[]
  readonly paused: readonly { readonly id: string; readonly resumeToken: string }[]
  readonly cancellable: readonly string[]
  readonly sessions: readonly string[]
  readonly saved: readonly string[]
}

/** More than any number that a call is known by. */
const plenty = 1_000_000_000

/** Prepare a sandbox on a good day. */
export async function prepare(client: PaymentsClient, sandbox: Sandbox): Promise<Scene> {
  const { tokens } = sandbox
  const pay = async (paymentMethodToken: string, paymentMethod = {}) => {
    const facts = { orderId: 'scene', currencyCode: 'EUR', amount: plenty, paymentMethod }
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
      // A customer of its own, so that becoming the default happens only once.
      const vaulted = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId: crypto.randomUUID() })
      return vaulted.token as string
    }),
  }
}

async function twice<T>(make: () => Promise<T>): Promise<T[]> {
  return [await make(), await make()]
}

/** What a call is about. Its number is its own, or that of the thing it acts on; in the ledger it is known by it. */
export interface Subject {
  readonly number: number
  readonly scene: Scene
  readonly which: 0 | 1
  /** More than the payment allows: the service will refuse. */
  readonly isTooMuch: boolean
}

interface Operation {
  send(client: PaymentsClient, subject: Subject, options: IdempotentRequestOptions): Call<unknown>
  /** Whether an effect in the ledger is that of the calls with this number. */
  isOf(effect: Effect, subject: Subject, client: PaymentsClient): boolean | Promise<boolean>
  /** Several calls are about the same thing, of which the service does at most one. */
  isShared?: true
  /** Takes an idempotency key. */
  isKeyed?: true
}

/** Every operation that has an effect, by its name in the contract. */
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
        subject.scene.authorized[subject.which] as string,
        { amount: amountOf(subject) },
        options,
      ),
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.refund': {
    send: (client, subject, options) =>
      client.payments.refund(subject.scene.settled[subject.which] as string, { amount: amountOf(subject) }, options),
    isOf: byAmount,
    isKeyed: true,
  },
  'payments.authorize': {
    send: (client, { scene, which }, options) =>
      client.payments.authorize(scene.pending[which] as string, { processor: { processorMerchantId: 'm' } }, options),
    isOf: ({ resourceId }, { scene, which }) => resourceId === scene.pending[which],
    isShared: true,
    isKeyed: true,
  },
  'payments.cancel': {
    send: (client, { scene, which }, options) =>
      client.payments.cancel(scene.cancellable[which] as string, undefined, options),
    isOf: ({ resourceId }, { scene, which }) => resourceId === scene.cancellable[which],
    isShared: true,
    isKeyed: true,
  },
  'payments.adjustAuthorization': {
    send: (client, { scene, which, number, isTooMuch }, options) =>
      client.payments.adjustAuthorization(
        scene[isTooMuch ? 'pending' : 'estimated'][which] as string,
        { amount: number },
        options,
      ),
    isOf: byAmount,
  },
  'payments.resume': {
    send: (client, { scene, which }, options) => {
      const { id, resumeToken } = scene.paused[which] as Scene['paused'][number]
      return client.payments.resume(id, { resumeToken }, options)
    },
    isOf: ({ resourceId }, { scene, which }) => resourceId === scene.paused[which]?.id,
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
    send: (client, { scene, which }, options) =>
      client.paymentInstruments.setDefault(scene.saved[which] as string, options),
    isOf: ({ resourceId }, { scene, which }) => resourceId === scene.saved[which],
    isShared: true,
  },
  'paymentInstruments.delete': {
    send: (client, { scene, which }, options) =>
      client.paymentInstruments.delete(scene.saved[which] as string, options),
    isOf: ({ resourceId }, { scene, which }) => resourceId === scene.saved[which],
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
