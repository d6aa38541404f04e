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
export interface Violation {
  readonly rule: RuleName
  readonly message: string
}

/** The fields of a row in the list of payments that the rules read. */
export interface PaymentRow {
  readonly id: string
  readonly orderId?: string
  readonly status?: string
  readonly amount?: number
  readonly currencyCode?: string
  readonly processor?: { readonly amountCaptured?: number; readonly amountRefunded?: number }
}

const holdsMoney: ReadonlySet<string | undefined> = new Set(['AUTHORIZED', 'SETTLING', 'PARTIALLY_SETTLED', 'SETTLED'])

/** Returns the rules that the payments and the ledger break at the end of a run. */
export function brokenRules(payments: readonly PaymentRow[], ledger: readonly Effect[]): Violation[] {
  const orders = groupBy(
    payments.filter(({ status }) => holdsMoney.has(status)),
    ({ orderId = '' }) => orderId,
  )
  const chargedTwice = [...orders]
    .filter(([orderId, all]) => orderId !== '' && all.length > 1)
    .map(([orderId, all]) =>
      violation('charged twice', `${orderId} was charged ${times(all.length)} (${amounts(all)})`),
    )
  const tooMuch = payments.flatMap(({ id, amount = 0, processor: { amountCaptured = 0, amountRefunded = 0 } = {} }) => [
    ...(amountCaptured > amount ? [violation('captured too much', `${id}: ${amountCaptured} of ${amount}`)] : []),
    ...(amountRefunded > amountCaptured
      ? [violation('refunded too much', `${id}: ${amountRefunded} of ${amountCaptured}`)]
      : []),
  ])
  const keys = groupBy(
    ledger.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    ({ operation, idempotencyKey, resourceId }) =>
      // One key may belong to operations of different payments.
      `${operation} with the key ${idempotencyKey}${operation === 'payments.create' ? '' : ` for ${resourceId}`}`,
  )
  const effectTwice = [...keys]
    .filter(([, effects]) => effects.length > 1)
    .map(([name, effects]) => violation('effect twice', `${name} took effect ${times(effects.length)}`))
  return [...chargedTwice, ...tooMuch, ...effectTwice]
}

function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item])
  return groups
}

const violation = (rule: RuleName, message: string): Violation => ({ rule, message })

const times = (count: number) => (count === 2 ? 'twice' : `${count} times`)

/** Formats the payments of an order: `2 × EUR 50.00`, or each amount if they differ. */
function amounts(payments: readonly PaymentRow[]): string {
  const texts = payments.map(({ amount = 0, currencyCode = '' }) => format(amount, currencyCode))
  return new Set(texts).size === 1 ? `${texts.length} × ${texts[0]}` : texts.join(' + ')
}

function format(amount: number, currency: string): string {
  try {
    const formatter = new Intl.NumberFormat('en', { style: 'currency', currency })
    return formatter.format(amount / 10 ** (formatter.resolvedOptions().maximumFractionDigits ?? 2))
  } catch {
    return `${amount} ${currency}`
  }
}
