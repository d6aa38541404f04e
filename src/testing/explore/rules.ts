import { formatAmount } from '../../core/helpers/money.js'
import type { StoredPayment } from '../sandbox/store/records.js'
import type { Effect } from '../sandbox/store/store.js'

/** The built-in rules of `explore`. */
export const ruleNames = [
  'charged twice',
  'captured too much',
  'refunded too much',
  'effect twice',
  'never ends',
  'unhandled rejection',
  'jobs never end',
  'check',
] as const

export type RuleName = (typeof ruleNames)[number]

/** A broken rule. Thrown only if the run cannot continue. */
export class BrokenRule extends Error {
  constructor(
    readonly rule: RuleName,
    message: string,
  ) {
    super(message)
  }
}

const holdsMoney: ReadonlySet<string> = new Set(['AUTHORIZED', 'SETTLING', 'PARTIALLY_SETTLED', 'SETTLED'])

/** Returns the rules that the payments and the ledger break at the end of a run. */
export function findBrokenRules(payments: readonly StoredPayment[], ledger: readonly Effect[]): BrokenRule[] {
  const broken: BrokenRule[] = []
  const report = (rule: RuleName, message: string) => broken.push(new BrokenRule(rule, message))
  const charges = payments.filter(({ status, orderId }) => holdsMoney.has(status) && orderId !== '')
  for (const [orderId, all] of repeated(charges, (charge) => charge.orderId)) {
    const amounts = all.map(({ amount, currencyCode }) => formatAmount(amount, currencyCode))
    const sum = new Set(amounts).size === 1 ? `${all.length} × ${amounts[0]}` : amounts.join(' + ')
    report('charged twice', `${orderId} was charged ${times(all.length)} (${sum})`)
  }
  for (const { id, amount, processor } of payments) {
    const { amountCaptured: captured, amountRefunded: refunded } = processor
    if (captured > amount) report('captured too much', `${id}: ${captured} of ${amount} captured`)
    if (refunded > captured) report('refunded too much', `${id}: ${refunded} of ${captured} refunded`)
  }
  const keyed = ledger.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  for (const [key, all] of repeated(keyed, (effect) => String(effect.idempotencyKey))) {
    const operations = all.map(({ operation }) => operation).join(', ')
    report('effect twice', `The idempotency key ${key} took effect ${times(all.length)} (${operations})`)
  }
  return broken
}

/** Groups items by name. Returns only the groups with at least two items. */
function repeated<Item>(items: readonly Item[], nameOf: (item: Item) => string): [name: string, items: Item[]][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item])
  return [...groups].filter(([, group]) => group.length > 1)
}

const times = (count: number) => (count === 2 ? 'twice' : `${count} times`)
