import { DatabaseSync } from 'node:sqlite'
import { PaymentsClient, PaymentsError, refundsOf } from '../../../src/index.js'
import { createOrders, type Order, type Orders } from '../../../src/orders/index.js'
import { createSandbox, type Effect, type Sandbox } from '../../../src/testing/index.js'
import { ShopProcess } from '../journal/simulation.js'
import { inVirtualTime } from '../ledger/virtual-time.js'
import type { Action, Round, Schedule } from './schedule.js'

/** The orders and the ledger after a schedule. */
export interface Outcome {
  readonly orders: readonly Order[]
  /** Differences between the stored payments and the service's. */
  readonly differences: readonly string[]
  readonly ledger: readonly Effect[]
  readonly crashes: number
  /** The orders that `onChange` received last. */
  readonly seen: ReadonlyMap<string, string>
  /** Calls of `onChange` with `mayShip: true` at a time without the money. */
  readonly shippedEarly: readonly string[]
  /** The service's time of the latest call that may send the payment of an order. */
  readonly calledAt: ReadonlyMap<string, number>
}

export const amount = 5000

/** The times until a payment can no longer be created: `resendFor`, and the time in which a request takes effect. */
export const latestEffectMs = 60_000 + 90_000

export function simulate(schedule: Schedule): Promise<Outcome> {
  return inVirtualTime(schedule.jitter, () => new Run(schedule).execute())
}

interface SimulatedProcess {
  readonly process: ShopProcess
  readonly orders: Orders
}

class Run {
  readonly #schedule: Schedule
  readonly #sandbox: Sandbox
  readonly #database = new DatabaseSync(':memory:')
  readonly #processes: SimulatedProcess[] = []
  readonly #seen = new Map<string, string>()
  readonly #shippedEarly: string[] = []
  readonly #calledAt = new Map<string, number>()
  #crashes = 0

  constructor(schedule: Schedule) {
    const { idempotency, listDelay } = schedule
    this.#schedule = schedule
    this.#sandbox = createSandbox({ seed: 'orders', now: new Date('2026-01-05T09:00:00Z'), idempotency, listDelay })
    this.#database.function('unixepoch', { varargs: true }, () => this.#sandbox.clock.now().getTime() / 1000)
  }

  #startProcess(): SimulatedProcess {
    const process = new ShopProcess(this.#sandbox)
    return { process, orders: this.#open(process.client) }
  }

  #open(client: PaymentsClient): Orders {
    return createOrders({
      client: client.withOptions({ logLevel: 'off' }),
      database: this.#database,
      onChange: (order) => {
        this.#seen.set(order.id, JSON.stringify(order))
        const captured = sumOf(this.#effectsOf(order.id), 'payments.capture')
        const refunds = this.#effectsOf(order.id).filter(({ operation }) => operation === 'payments.refund')
        if (order.mayShip && (captured < amount || refunds.length > 0)) this.#shippedEarly.push(order.id)
      },
    }) as Orders
  }

  #effectsOf(orderId: string): Effect[] {
    const { ledger } = this.#sandbox
    return ledger.filter(({ idempotencyKey = '' }) => idempotencyKey.split('-')[1] === orderId)
  }

  async execute(): Promise<Outcome> {
    const final = this.#open(new PaymentsClient(this.#sandbox.clientOptions()))
    await final.migrate()
    for (let process = 0; process < 3; process++) this.#processes.push(this.#startProcess())
    const receive = final.webhooks({ secret: this.#sandbox.webhooks.secret })
    this.#sandbox.webhooks.subscribe((request) => (this.#schedule.losesWebhooks ? new Response() : receive(request)))
    for (const round of this.#schedule.rounds) await this.#play(round)
    this.#sandbox.faults.clear()
    for (let pass = 0; pass < 4; pass++) {
      // After this time, claims have expired, requests have taken effect, and the list of payments is complete.
      await this.#sandbox.clock.advance('160s')
      await final.recover()
    }
    await final.sync()
    const { data: orders } = await final.list()
    const differences = await this.#differencesIn(orders)
    this.#database.close()
    return {
      orders,
      differences,
      ledger: [...this.#sandbox.ledger],
      crashes: this.#crashes,
      seen: this.#seen,
      shippedEarly: this.#shippedEarly,
      calledAt: this.#calledAt,
    }
  }

  async #play({ faults, actions, pause }: Round): Promise<void> {
    for (const fault of faults) this.#sandbox.faults.add(fault)
    await Promise.all(actions.map((action) => this.#perform(action)))
    // Waits until the delayed requests of dead processes arrive.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await this.#sandbox.clock.advance(pause)
    await this.#sandbox.webhooks.flush()
  }

  async #perform(action: Action): Promise<void> {
    const own = this.#processes[action.process] as SimulatedProcess
    const { process, orders } = own
    if (action.crash) process.crashAt = { ...action.crash, request: process.requests + action.crash.request }
    if (action.kind === 'pay') this.#calledAt.set(action.order, this.#sandbox.clock.now().getTime())
    try {
      await process.race(this.#act(action, orders))
    } catch (error) {
      // Calls may only fail with an error class of this package.
      if (!(error instanceof PaymentsError)) throw error
    }
    if (process.isDead && this.#processes[action.process] === own) {
      this.#crashes += 1
      this.#processes[action.process] = this.#startProcess()
    }
  }

  async #act({ kind, order, isDeclined, id, ...rest }: Action, orders: Orders): Promise<void> {
    const { tokens } = this.#sandbox
    const paymentMethodToken = isDeclined ? tokens.declined : tokens.card
    const part = { ...(id !== undefined && { id }), ...(rest.amount !== undefined && { amount: rest.amount }) }
    if (kind === 'pay') await orders.pay(order, { paymentMethodToken, amount, currencyCode: 'EUR' }, { reopen: true })
    else if (kind === 'capture') await orders.capture(order, part)
    else if (kind === 'refund') await orders.refund(order, part)
    else if (kind === 'cancel') await orders.cancel(order)
    else if (kind === 'recover') await orders.recover()
    else await orders.sync()
  }

  async #differencesIn(orders: readonly Order[]): Promise<string[]> {
    const client = new PaymentsClient(this.#sandbox.clientOptions())
    const found: string[] = []
    for (const { id: orderId, payments, refunds } of orders) {
      for (const { id, status, captured } of payments) {
        const payment = await client.payments.get(id)
        const own = refunds.filter(({ paymentId }) => paymentId === id)
        const stored = [status, captured, own.map((refund) => `${refund.transactionId} ${refund.status}`).toSorted()]
        const returned = refundsOf(payment).map((refund) => `${refund.transactionId} ${refund.status}`)
        const service = [payment.status, payment.processor?.amountCaptured ?? 0, returned.toSorted()]
        if (JSON.stringify(stored) !== JSON.stringify(service)) {
          found.push(`${orderId}: ${JSON.stringify(stored)} instead of ${JSON.stringify(service)}`)
        }
      }
    }
    return found
  }
}

export const sumOf = (effects: readonly Effect[], name: string) =>
  effects.reduce((total, { operation, amount: part = 0 }) => (operation === name ? total + part : total), 0)

/** Returns the contradictions between the orders and the ledger. */
export function contradictionsIn(outcome: Outcome): string[] {
  const { orders, ledger, seen, differences, shippedEarly, calledAt } = outcome
  const found = [...differences, ...shippedEarly.map((id) => `${id} may ship without the money`)]
  const decided = new Set(orders.flatMap(({ decisions }) => decisions.map(({ key }) => key)))
  for (const { idempotencyKey: key, operation, at } of ledger) {
    if (key !== undefined && !decided.has(key)) found.push(`${key} was not decided`)
    const latest = Number(calledAt.get(String(key?.split('-')[1]))) + latestEffectMs
    if (operation === 'payments.create' && Date.parse(at) > latest) found.push(`${key} charged a customer who had left`)
  }
  for (const order of orders) {
    const contradiction = (text: string) => found.push(`${order.id} (${order.state}): ${text}`)
    if (seen.get(order.id) !== JSON.stringify(order)) contradiction('onChange received another order')
    if (order.needsReview) contradiction('needs a review')
    for (const { key, state, reason } of order.decisions) {
      const effects = ledger.filter(({ idempotencyKey }) => idempotencyKey === key).length
      if (!['succeeded', 'rejected', 'not_executed'].includes(state)) contradiction(`${key} is ${state}: ${reason}`)
      if (effects !== Number(state === 'succeeded')) contradiction(`${key} (${state}) has ${effects} effects`)
    }
    const intentions = Map.groupBy(order.decisions, ({ kind, id }) => `${kind} ${id}`)
    for (const [intention, decisions] of intentions) {
      const succeeded = decisions.filter(({ kind, state, status }) => {
        return kind !== 'pay' && kind !== 'cancel' && state === 'succeeded' && status !== 'FAILED'
      })
      // An order that was cancelled and reopened has another payment.
      if (succeeded.length > 1 && !order.decisions.some(({ kind }) => kind === 'cancel'))
        contradiction(`${intention} twice`)
    }
    const live = order.payments.filter(({ status }) => status !== 'DECLINED' && status !== 'CANCELLED')
    if (live.length > 1) contradiction('several payments')
    if (order.captured > amount || order.refunded > order.captured) contradiction('too much')
  }
  return found
}
