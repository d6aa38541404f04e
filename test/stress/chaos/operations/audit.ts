import type { OperationRecord } from '../../../../src/index.js'
import { refundsOf } from '../../../../src/index.js'
import type { Effect } from '../../../../src/testing/index.js'
import { amountsOf, keysOf, type Shop, sum, timeoutMs } from './shop.js'

export interface Audit {
  /** The number of records in each state. */
  readonly states: Readonly<Record<string, number>>
  /** The number of records with each reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** The number of effects of each operation, such as `payments.create`. */
  readonly effects: Readonly<Record<string, number>>
  /** Operations with more than one effect. */
  readonly twice: readonly string[]
  /** Orders and planned operations without a record. */
  readonly lost: readonly string[]
  /** Payments that were created after `resendFor`. */
  readonly late: readonly string[]
  /** Differences between the journal, the shop's tables, the payments and the ledger. */
  readonly differences: readonly string[]
}

interface Evidence {
  readonly shop: Shop
  readonly ledger: readonly Effect[]
  readonly orders: number
  /** Whether operations may need a review, because the service has forgotten their keys. */
  readonly mayNeedReview: boolean
}

/** Compares the journal and the shop's tables with the service's ledger and its payments. */
export async function audit({ shop, ledger, orders, mayNeedReview }: Evidence): Promise<Audit> {
  const records = new Map((await shop.client.operations.list()).map((record) => [record.key, record]))
  const effects = Map.groupBy(ledger, ({ idempotencyKey = '' }) => idempotencyKey)
  const results = await shop.results()
  const written = new Map((await shop.orders()).map(({ id, payment_id }) => [id, payment_id]))
  const lost: string[] = []
  const late: string[] = []
  const differences: string[] = []

  /** Compares the record of one operation with its effect. */
  const compare = (record: OperationRecord, amount: number, paymentId?: string) => {
    const { key, operation, state, reason } = record
    const [effect] = effects.get(key) ?? []
    const differs = (text: string) => differences.push(`${key} (${state}): ${text}`)
    if (!isFinal(record) && !(mayNeedReview && state === 'needs_review')) differs(`is not final: ${reason}`)
    if (results.get(`${key} ${state}`) !== 1) differs(`onSettled was called ${results.get(`${key} ${state}`)} times`)
    if (mayNeedReview) return
    if ((effect !== undefined) !== (state === 'succeeded')) differs(effect ? 'has an effect' : 'has no effect')
    if (effect === undefined) return
    const isSame = effect.operation === operation && effect.resourceId === record.paymentId && effect.amount === amount
    if (!isSame || (paymentId !== undefined && paymentId !== record.paymentId)) differs('has another effect')
  }

  /**
   * Compares the number of equal operations with the number of their effects. After the service has forgotten the keys,
   * the effect of one operation may be recorded for an older, equal operation.
   */
  const compareEqual = (records: readonly OperationRecord[]) => {
    const groups = Map.groupBy(records, ({ operation, body }) => JSON.stringify([operation, body]))
    for (const group of groups.values()) {
      const found = group.flatMap(({ key }) => effects.get(key) ?? []).length
      const succeeded = group.filter(hasSucceeded).length
      const reviews = group.filter(({ state }) => state === 'needs_review').length
      if (found < succeeded || found > succeeded + reviews) differences.push(`${group[0]?.key}: ${found} effects`)
    }
  }

  /** Compares an order's payment with the journal. Returns the payment's id if the payment was created. */
  const checkCreate = (order: number): string | undefined => {
    const { create: key } = keysOf(order)
    const create = records.get(key)
    if (!written.has(order) || create === undefined) return void lost.push(key)
    const { paymentId, state, createdAt, firstSentAt = createdAt, resendFor } = create
    const [created] = effects.get(key) ?? []
    compare(create, sum(amountsOf(order).captures))
    if (created && Date.parse(created.at) > firstSentAt.getTime() + resendFor + timeoutMs) late.push(key)
    if (created && firstSentAt.getTime() > createdAt.getTime() + resendFor) late.push(`${key} (planned)`)
    if ((written.get(order) ?? undefined) !== paymentId) differences.push(`${key}: the order has another payment`)
    if (paymentId === undefined && state !== 'not_executed') differences.push(`${key} (${state}): was not paid`)
    return paymentId
  }

  /** Compares an order's captures and refunds with the journal. */
  const checkChanges = (order: number, paymentId: string) => {
    const { captures, refunds } = keysOf(order)
    const amounts = [...amountsOf(order).captures, ...amountsOf(order).refunds]
    const hasRefunds = captures.every((key) => hasSucceeded(records.get(key)))
    for (const key of hasRefunds ? [...captures, ...refunds] : captures) if (!records.has(key)) lost.push(key)
    const own = [...captures, ...refunds].map((key) => records.get(key))
    if (mayNeedReview) compareEqual(own.filter((record) => record !== undefined))
    for (const [index, record] of own.entries()) {
      if (record === undefined) continue
      const amount = amounts[index] as number
      compare(record, amount, paymentId)
      const { amountCapturedBefore = 0, amountCapturedAfter } = record
      const isCaptured = record.operation === 'payments.capture' && hasSucceeded(record)
      // Between the request and the response of this capture, another capture may have succeeded.
      if (isCaptured && Number(amountCapturedAfter) < amountCapturedBefore + amount) {
        differences.push(`${record.key}: captured ${amountCapturedBefore} before and ${amountCapturedAfter} after`)
      }
    }
  }

  /** Compares the refund transactions and the captured amount of the service's payment. */
  const checkPayment = async (order: number, paymentId: string) => {
    const keys = keysOf(order)
    const amounts = amountsOf(order)
    const payment = await shop.client.payments.get(paymentId)
    const transactions = refundsOf(payment)
    const refunds = keys.refunds.map((key) => records.get(key))
    for (const [index, record] of refunds.entries()) {
      if (record?.state !== 'succeeded') continue
      const transaction = transactions.find(({ transactionId }) => transactionId === record.transactionId)
      if (transaction?.amount !== amounts.refunds[index]) differences.push(`${record.key}: has another transaction`)
    }
    if (new Set(refunds.flatMap((record) => record?.transactionId ?? [])).size < refunds.filter(hasSucceeded).length) {
      differences.push(`${keys.refunds[0]}: both refunds have one transaction`)
    }
    if (mayNeedReview) return
    const captured = payment.processor?.amountCaptured
    if (captured !== sum(amounts.captures)) differences.push(`${paymentId}: captured ${captured}`)
    if (transactions.length !== 2) differences.push(`${paymentId}: ${transactions.length} refunds`)
  }

  const check = async (order: number) => {
    const paymentId = checkCreate(order)
    if (paymentId === undefined) return
    checkChanges(order, paymentId)
    await checkPayment(order, paymentId)
  }

  const remaining = Array.from({ length: orders }, (_, index) => index + 1)
  const lane = async () => {
    for (let order = remaining.pop(); order !== undefined; order = remaining.pop()) await check(order)
  }
  await Promise.all(Array.from({ length: 10 }, lane))
  for (const key of effects.keys()) if (!records.has(key)) differences.push(`${key}: an effect without a record`)
  const twice = [...effects].filter(([, list]) => list.length > 1).map(([key]) => key)
  const count = (values: string[]) =>
    Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, list]) => [value, list.length]))
  return {
    states: count([...records.values()].map(({ state }) => state)),
    reasons: count([...records.values()].flatMap(({ reason }) => reason ?? [])),
    effects: count(ledger.map(({ operation }) => operation)),
    twice,
    lost,
    late,
    differences,
  }
}

const hasSucceeded = (record: OperationRecord | undefined) => record?.state === 'succeeded'

const isFinal = ({ state }: OperationRecord) => state === 'succeeded' || state === 'not_executed'
