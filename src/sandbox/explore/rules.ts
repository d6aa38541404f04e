import type { StoredPayment } from '../store/records.js'
import type { Effect } from '../store/store.js'

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

/** A broken rule. */
export interface BrokenRule {
  readonly rule: RuleName
  readonly message: string
}

/** Ends a run that cannot continue. */
export class Stop extends Error {
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
  const charges = payments.filter(({ status, orderId }) => holdsMoney.has(status) && orderId !== '')
  const chargedTwice = repeated(charges, ({ orderId }) => orderId).map(([orderId, all]): BrokenRule => {
    const amounts = all.map(({ amount, currencyCode }) => format(amount, currencyCode))
    const sum = new Set(amounts).size === 1 ? `${all.length} × ${amounts[0]}` : amounts.join(' + ')
    return { rule: 'charged twice', message: `${orderId} was charged ${times(all.length)} (${sum})` }
  })
  const tooMuch = payments.flatMap(({ id, amount, processor: { amountCaptured, amountRefunded } }) => {
    const captured: BrokenRule = {
      rule: 'captured too much',
      message: `${id}: ${amountCaptured} of ${amount} captured`,
    }
    const refunded: BrokenRule = {
      rule: 'refunded too much',
      message: `${id}: ${amountRefunded} of ${amountCaptured} refunded`,
    }
    return [...(amountCaptured > amount ? [captured] : []), ...(amountRefunded > amountCaptured ? [refunded] : [])]
  })
  const keyed = ledger.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  const effectTwice = repeated(keyed, ({ idempotencyKey }) => String(idempotencyKey)).map(([key, all]): BrokenRule => {
    const operations = all.map(({ operation }) => operation).join(', ')
    return {
      rule: 'effect twice',
      message: `The idempotency key ${key} took effect ${times(all.length)} (${operations})`,
    }
  })
  return [...chargedTwice, ...tooMuch, ...effectTwice]
}

/** Returns the names that more than one item has. */
function repeated<Item>(items: readonly Item[], nameOf: (item: Item) => string): [name: string, items: Item[]][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item])
  return [...groups].filter(([, group]) => group.length > 1)
}

const times = (count: number) => (count === 2 ? 'twice' : `${count} times`)

function format(amount: number, currency: string): string {
  const formatter = new Intl.NumberFormat('en', { style: 'currency', currency })
  return formatter.format(amount / 10 ** (formatter.resolvedOptions().maximumFractionDigits ?? 2))
}
