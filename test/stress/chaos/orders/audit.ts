import type { PaymentCore } from '../../../../src/core/schemas/payment.js'
import { refundsOf } from '../../../../src/index.js'
import type { Order } from '../../../../src/orders/index.js'
import type { Effect } from '../../../../src/testing/index.js'
import { amount, planOf, type Shop } from './shop.js'

export interface Audit {
  /** The number of orders in each state. */
  readonly states: Readonly<Record<string, number>>
  /** The number of decisions in each state. */
  readonly decisions: Readonly<Record<string, number>>
  /** The number of effects of each operation, such as `payments.create`. */
  readonly effects: Readonly<Record<string, number>>
  /** Intentions with more than one effect. */
  readonly twice: readonly string[]
  /** Orders and returns that are not finished. */
  readonly lost: readonly string[]
  /** Payments that were created after `resendFor`. */
  readonly late: readonly string[]
  /** Orders that were shipped before the money was there. */
  readonly shippedEarly: readonly string[]
  /** Changes that were stored without `onChange`, or the reverse. */
  readonly unmatched: readonly string[]
  /** Differences between the tables, the payments and the ledger. */
  readonly differences: readonly string[]
}

/** Compares the tables of the orders with the service's ledger and its payments. */
export async function audit(shop: Shop, ledger: readonly Effect[], count: number): Promise<Audit> {
  const orders = new Map((await shop.all()).map((order) => [order.id, order]))
  const byKey = Map.groupBy(ledger, ({ idempotencyKey = '' }) => idempotencyKey)
  const byPayment = Map.groupBy(ledger, ({ resourceId }) => resourceId)
  const decided = new Set([...orders.values()].flatMap(({ decisions }) => decisions.map(({ key }) => key)))
  const twice = [...byKey].filter(([key, list]) => key !== '' && list.length > 1).map(([key]) => key)
  const lost = (await shop.unmatchedReturns()).map((id) => `the return ${id}`)
  const differences = [...byKey.keys()]
    .filter((key) => key !== '' && !decided.has(key))
    .map((key) => `no decision ${key}`)

  const effectsOf = (order: Order) => order.payments.flatMap(({ id }) => byPayment.get(id) ?? [])

  const check = (order: Order) => {
    const differs = (text: string) => differences.push(`${order.id} (${order.state}): ${text}`)
    for (const { key, state } of order.decisions) {
      const effects = byKey.get(key)?.length ?? 0
      if (!['succeeded', 'not_executed'].includes(state)) differs(`the decision ${key} is ${state}`)
      if (effects !== Number(state === 'succeeded')) differs(`the decision ${key} (${state}) has ${effects} effects`)
    }
    const intentions = Map.groupBy(order.decisions, ({ kind, id = '' }) => `${order.id} ${kind} ${id}`)
    for (const [intention, decisions] of intentions) {
      const succeeded = decisions.filter(({ kind, state, status }) => {
        return kind !== 'pay' && state === 'succeeded' && status !== 'FAILED'
      })
      if (succeeded.length > 1) twice.push(intention)
    }
    const live = order.payments.filter(({ status }) => status !== 'DECLINED')
    if (live.length > 1) twice.push(`${order.id} pay`)
    const effects = effectsOf(order)
    const captured = sumOf(effects, 'payments.capture')
    const refunded = order.refunds.filter(({ status }) => status === 'SETTLED')
    if (order.captured !== captured) differs(`captured ${order.captured} instead of ${captured}`)
    const settled = sumOf(effects, 'processor.finishRefund')
    if (order.refunded !== settled) differs(`refunded ${order.refunded} instead of ${settled}`)
    if (order.needsReview) differs('needs a review')
    const { kind, parcels, returns } = planOf(Number(order.id.split('-')[1]))
    const isFinished =
      kind === 'cancelled'
        ? order.state === 'cancelled' && captured === 0
        : order.captured === sum(parcels) && sum(refunded.map((refund) => refund.amount ?? 0)) === sum(returns)
    if (!isFinished) lost.push(`${order.id} (${order.state})`)
  }

  for (let number = 1; number <= count; number++) {
    const { id } = planOf(number)
    const order = orders.get(id)
    if (order) check(order)
    else lost.push(id)
  }
  differences.push(...(await differingPayments(shop, [...orders.values()])))

  const deadlines = await shop.deadlines()
  const late = ledger.flatMap(({ operation, idempotencyKey = '', at }) => {
    const isLate = operation === 'payments.create' && Date.parse(at) > Number(deadlines.get(idempotencyKey))
    return isLate ? [idempotencyKey] : []
  })
  const shippedEarly = (await shop.shipments()).flatMap(({ id, at }) => {
    const before = effectsOf(orders.get(id) as Order).filter((effect) => Date.parse(effect.at) <= at)
    const refunds = before.filter(({ operation }) => operation === 'payments.refund').length
    const failed = before.filter(({ operation, ...effect }) => {
      return operation === 'processor.finishRefund' && effect.amount === undefined
    }).length
    const isSlow = planOf(Number(id.split('-')[1])).kind === 'slowSettlement'
    const isSettled = !isSlow || before.some(({ operation }) => operation === 'processor.settle')
    return sumOf(before, 'payments.capture') >= amount && refunds === failed && isSettled ? [] : [`${id} at ${at}`]
  })
  return {
    states: countOf([...orders.values()].map(({ state }) => state)),
    decisions: countOf([...orders.values()].flatMap(({ decisions }) => decisions.map(({ state }) => state))),
    effects: countOf(ledger.map(({ operation }) => operation)),
    twice,
    lost,
    late,
    shippedEarly,
    unmatched: await shop.unmatchedChanges(),
    differences,
  }
}

/** Returns the payments whose stored state is not the service's. */
export async function differingPayments(shop: Shop, orders: readonly Order[]): Promise<string[]> {
  const differing: string[] = []
  const remaining = orders.flatMap((order) => order.payments.map((payment) => ({ order, payment })))
  const lane = async () => {
    for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
      const { order, payment } = next
      const current = await shop.client.payments.get(payment.id)
      const refunds = order.refunds.filter(({ paymentId }) => paymentId === payment.id)
      const stored = { ...payment, refunds: refunds.map(({ transactionId, status }) => [transactionId, status]) }
      const [own, service] = [stateOf(stored), stateOf(toStored(current))]
      if (own !== service) differing.push(`${order.id}, ${payment.id}: ${own} instead of ${service}`)
    }
  }
  await Promise.all(Array.from({ length: 10 }, lane))
  return differing
}

interface StoredPayment {
  readonly status: string
  readonly captured: number
  readonly dateUpdated?: string | undefined
  readonly refunds: readonly (readonly unknown[])[]
}

function toStored(payment: PaymentCore): StoredPayment {
  const { status = '', dateUpdated, processor } = payment
  const refunds = refundsOf(payment).map((refund) => [refund.transactionId, refund.status])
  return { status, dateUpdated, captured: processor?.amountCaptured ?? 0, refunds }
}

const stateOf = ({ status, captured, dateUpdated, refunds }: StoredPayment) =>
  JSON.stringify([status, captured, dateUpdated, refunds.map(String).toSorted()])

const sum = (amounts: readonly number[]) => amounts.reduce((total, part) => total + part, 0)

const sumOf = (effects: readonly Effect[], name: string) =>
  sum(effects.map(({ operation, amount = 0 }) => (operation === name ? amount : 0)))

const countOf = (values: string[]) =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, list]) => [value, list.length]))
