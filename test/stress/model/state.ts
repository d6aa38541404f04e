import assert from 'node:assert/strict'
import {
  ApiError,
  latestRefund,
  type Payment,
  PaymentsClient,
  remainingRefundable,
  webhooks,
} from '../../../src/index.js'
import { createSandbox, type Sandbox, type SandboxOptions, type SandboxSnapshot } from '../../../src/testing/index.js'
import { allowedMoves, type ModelPayment, refunded } from './payment-model.js'

/** A request that took effect. A later command can repeat the request with the same idempotency key. */
export interface KeyedCall {
  readonly payment: number
  readonly body: object
  /** A different body. The service rejects it with the idempotency key of the first request. */
  readonly otherBody: object
  readonly send: (real: Real, body: object) => PromiseLike<Payment>
  readonly result: Payment
}

/** An expected ledger entry. */
interface Entry {
  operation: string
  resourceId: string
  amount?: number
  idempotencyKey?: string
}

/** The expected state of the sandbox. */
export interface ModelState {
  readonly settings: { idempotency: NonNullable<SandboxOptions['idempotency']>; listDelay: number }
  payments: ModelPayment[]
  ledger: Entry[]
  calls: KeyedCall[]
  /** The total number of milliseconds by which the clock was advanced. */
  elapsed: number
  saved: SavedState[]
}

/** A snapshot of the model and of the sandbox. */
interface SavedState extends Pick<ModelState, 'payments' | 'ledger' | 'calls' | 'elapsed'> {
  readonly sandbox: SandboxSnapshot
  /** The sandbox's snapshot as JSON, to check that later events leave the snapshot unchanged. */
  readonly json: string
}

/** The number of times that the sandbox allowed and rejected each kind of command. */
export type Tally = Map<string, { allowed: number; refused: number }>

const dayOne = new Date('2026-01-31T12:00:00Z')

/** The sandbox with its client and the webhooks that it sent. */
export class Real {
  sandbox: Sandbox
  client: PaymentsClient
  /** The received events by payment, in order of arrival. */
  readonly told = new Map<string, string[]>()
  /** The number of deliveries that the receiver still rejects. */
  failures = 0

  constructor(
    private readonly settings: ModelState['settings'],
    private readonly tally: Tally,
  ) {
    this.sandbox = this.#newSandbox()
    this.client = new PaymentsClient(this.sandbox.clientOptions())
  }

  /** Records that the sandbox allowed or rejected a command. */
  count(kind: string, isAllowed: boolean): void {
    const counts = this.tally.get(kind) ?? { allowed: 0, refused: 0 }
    counts[isAllowed ? 'allowed' : 'refused'] += 1
    this.tally.set(kind, counts)
  }

  /** Replaces the sandbox with a new one. */
  moveElsewhere(): void {
    this.sandbox = this.#newSandbox()
    this.client = new PaymentsClient(this.sandbox.clientOptions())
  }

  #newSandbox(): Sandbox {
    const sandbox = createSandbox({ seed: 'model', now: dayOne, ...this.settings })
    sandbox.webhooks.subscribe((request) => this.#receive(request))
    return sandbox
  }

  async #receive(request: Request): Promise<Response> {
    if (this.failures > 0) {
      this.failures -= 1
      return new Response(null, { status: 500 })
    }
    const event = webhooks.verify(await request.text(), request.headers, this.sandbox.webhooks.secret)
    assert.ok(event.eventType === 'PAYMENT.STATUS' || event.eventType === 'PAYMENT.REFUND')
    const { payment } = event
    const refund = latestRefund(payment)
    const news =
      event.eventType === 'PAYMENT.STATUS' ? payment.status : `refund of ${refund?.amount} ${refund?.processorStatus}`
    this.told.set(payment.id, [...(this.told.get(payment.id) ?? []), String(news)])
    return new Response()
  }
}

export function newState(settings: ModelState['settings']): ModelState {
  return { settings, payments: [], ledger: [], calls: [], elapsed: 0, saved: [] }
}

export function remember(state: ModelState, sandbox: SandboxSnapshot): void {
  const { payments, ledger, calls, elapsed } = state
  state.saved.push({
    ...structuredClone({ payments, ledger, elapsed }),
    calls: [...calls],
    sandbox,
    json: JSON.stringify(sandbox),
  })
}

/** Restores a snapshot, which discards later events and cancels pending deliveries. */
export async function goBack(
  state: ModelState,
  real: Real,
  { sandbox, json, calls, ...moment }: SavedState,
  isElsewhere: boolean,
) {
  await real.sandbox.webhooks.flush()
  for (const payment of state.payments)
    assert.deepEqual(toldOf(real, payment), payment.told.slice(0, toldOf(real, payment).length))
  assert.equal(JSON.stringify(sandbox), json)
  if (isElsewhere) real.moveElsewhere()
  real.sandbox.restore(isElsewhere ? JSON.parse(json) : sandbox)
  real.told.clear()
  Object.assign(state, structuredClone(moment), { calls: [...calls] })
  for (const payment of state.payments) payment.told = []
}

function toldOf(real: Real, { id }: ModelPayment): string[] {
  return real.told.get(id) ?? []
}

/** Returns the payment, or `undefined` if the service rejected the call with the outcome `rejected`. */
export async function resultOf(call: PromiseLike<Payment>): Promise<Payment | undefined> {
  try {
    return await call
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.outcome, 'rejected')
    return undefined
  }
}

/** Asserts that a payment matches the model. */
export function compare(payment: Payment, expected: ModelPayment): void {
  const { id, status, amount, processor, transactions = [], requiredAction, statusReason } = payment
  const refunds = transactions.filter(({ transactionType }) => transactionType === 'REFUND')
  assert.deepEqual(
    {
      id,
      status,
      amount,
      captured: processor?.amountCaptured,
      refunded: processor?.amountRefunded,
      refunds: refunds.map((refund) => ({ amount: refund.amount, status: refund.processorStatus })),
      awaitsCustomer: requiredAction !== undefined,
      saysWhy: statusReason !== undefined,
    },
    {
      id: expected.id,
      status: expected.status,
      amount: expected.amount,
      captured: expected.captured,
      refunded: refunded(expected),
      refunds: expected.refunds,
      awaitsCustomer: expected.awaitsCustomer,
      saysWhy: expected.status === 'DECLINED' || expected.status === 'FAILED',
    },
  )
  assert.equal(remainingRefundable(payment), expected.captured - refunded(expected))
}

/** Asserts at the end of a sequence that the ledger, the events and the payments match the model and each other. */
export async function audit(state: ModelState, real: Real): Promise<void> {
  const { sandbox, client } = real
  assert.deepEqual(
    sandbox.ledger.map(({ at: _, ...entry }) => entry),
    state.ledger,
  )
  // Advances the clock by two hours, in which all retries of webhooks end.
  await sandbox.clock.advance('2h')
  await sandbox.webhooks.flush()
  for (const expected of state.payments) {
    assert.deepEqual(toldOf(real, expected), expected.told)
    const payment = await client.payments.get(expected.id)
    compare(payment, expected)
    auditMoney(
      payment,
      sandbox.ledger.filter(({ resourceId }) => resourceId === payment.id),
    )
    auditMoves(expected.told.filter((news) => !news.startsWith('refund')))
  }
  for (const { resourceId } of sandbox.ledger) assert.ok(state.payments.some(({ id }) => id === resourceId))
}

/**
 * Asserts, without the model, that captures never exceed the authorized amount, and refunds never exceed the captured
 * amount.
 */
function auditMoney({ processor, transactions = [] }: Payment, effects: readonly Entry[]): void {
  const total = (operation: string) =>
    sum(effects.filter((effect) => effect.operation === operation).map(({ amount = 0 }) => amount))
  const authorized = effects.filter(({ operation }) => /create|adjust/.test(operation)).map(({ amount = 0 }) => amount)
  const refunds = transactions.filter(({ transactionType }) => transactionType === 'REFUND')
  assert.ok(total('payments.capture') <= Math.max(...authorized))
  assert.ok((processor?.amountRefunded as number) <= (processor?.amountCaptured as number))
  assert.equal(sum(refunds.map(({ amount = 0 }) => amount)), total('payments.refund'))
}

function auditMoves(statuses: readonly string[]): void {
  for (const [index, status] of statuses.slice(1).entries())
    assert.ok(allowedMoves.includes(`${statuses[index]} > ${status}`))
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
