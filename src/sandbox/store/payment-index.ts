import type { ListPaymentsParams } from '../../schemas/payments-list.js'
import { scenarios } from '../domain/scenarios.js'
import { instantOf } from '../times.js'
import type { PaymentRecord } from './records.js'

/** What to list, but not which page of it. */
export type PaymentFilters = Omit<ListPaymentsParams, 'limit' | 'cursor'>

/** The positions of some payments, and whether more lie before and behind them. */
export interface Positions {
  found: number[]
  hasPrevious: boolean
  hasNext: boolean
}

type Fact = Exclude<keyof PaymentFilters, 'fromDate' | 'toDate' | 'minAmount' | 'maxAmount'>

/** What each filter looks at, from the most telling fact to the least. */
const facts: { readonly [F in Fact]-?: (record: PaymentRecord) => string | undefined } = {
  orderId: ({ payment }) => payment.orderId,
  customerId: ({ payment }) => payment.customerId,
  customerEmailAddress: ({ payment }) => payment.customer?.emailAddress,
  last4Digits: ({ payment }) => payment.paymentMethod.paymentMethodData?.last4Digits,
  partneraEmail: ({ scenario }) => scenarios[scenario].partneraEmail,
  partnerbEmail: ({ scenario }) => scenarios[scenario].partnerbEmail,
  merchantId: ({ payment }) => payment.processor.processorMerchantId,
  processor: ({ payment }) => payment.processor.name,
  status: ({ payment }) => payment.status,
  paymentMethodType: ({ payment }) => payment.paymentMethod.paymentMethodType,
  currencyCode: ({ payment }) => payment.currencyCode,
}

const factNames = Object.keys(facts) as Fact[]

type Test = (position: number) => boolean

/** A column that must have one of these numbers. */
interface Condition {
  column: readonly number[]
  wanted: readonly number[]
}

/** Stands for texts that no payment has. */
const noNumber = -1

/**
 * Finds payments by their facts. A hundred thousand payments are searched in well under a millisecond, because each fact
 * is a column of small numbers that stand for its texts.
 */
export class PaymentIndex {
  readonly #numbers = new Map<string | undefined, number>()
  readonly #columns = Object.fromEntries(factNames.map((name) => [name, []])) as unknown as Record<Fact, number[]>
  readonly #amounts: number[] = []
  readonly #times: number[] = []

  /** Note a payment at its position, for the first time or anew. Positions are in order of creation. */
  set(position: number, record: PaymentRecord): void {
    for (const name of factNames) this.#columns[name][position] = this.#numberOf(facts[name](record))
    this.#amounts[position] = record.payment.amount
    // A real clock can be set back; the times must ascend all the same to be searched by halves.
    this.#times[position] = Math.max(record.createdAt, this.#times[position - 1] ?? 0)
  }

  /** Up to `limit` payments from a position on, which were created no later than `until`. */
  after(position: number, limit: number, filters: PaymentFilters, until: number): Positions {
    const search = this.#search(filters, until)
    const found: number[] = []
    let next = search.next(position)
    for (; next !== undefined && found.length < limit; next = search.next(next + 1)) found.push(next)
    return {
      found,
      hasPrevious: search.previous(found[0] ?? position) !== undefined,
      hasNext: next !== undefined,
    }
  }

  /** Up to `limit` payments before a position. */
  before(position: number, limit: number, filters: PaymentFilters, until: number): Positions {
    const search = this.#search(filters, until)
    const found: number[] = []
    let previous = search.previous(position)
    for (; previous !== undefined && found.length < limit; previous = search.previous(previous)) found.push(previous)
    return {
      found: found.reverse(),
      hasPrevious: previous !== undefined,
      hasNext: search.next(position) !== undefined,
    }
  }

  #search(filters: PaymentFilters, until: number): Search {
    // What comes in a query is text.
    const { fromDate, toDate } = filters as { fromDate?: string; toDate?: string }
    const conditions = factNames.flatMap((name) => this.#conditionOn(name, filters[name]))
    const lead = conditions.find(({ wanted }) => wanted.length === 1)
    return new Search(
      fromDate === undefined ? 0 : this.#firstAt(instantOf(fromDate)),
      this.#firstAt(Math.min(until, toDate === undefined ? until : instantOf(toDate)) + 1),
      [...conditions.filter((condition) => condition !== lead).map(toTest), ...this.#amountTest(filters)],
      lead,
    )
  }

  #conditionOn(name: Fact, texts: string | string[] | undefined): Condition[] {
    if (texts === undefined) return []
    const wanted = [texts].flat().map((text) => this.#numbers.get(text) ?? noNumber)
    return [{ column: this.#columns[name], wanted }]
  }

  #amountTest({ minAmount, maxAmount }: PaymentFilters): Test[] {
    if (minAmount === undefined && maxAmount === undefined) return []
    const [low, high] = [minAmount ?? Number.NEGATIVE_INFINITY, maxAmount ?? Number.POSITIVE_INFINITY]
    const amounts = this.#amounts
    return [(position) => (amounts[position] as number) >= low && (amounts[position] as number) <= high]
  }

  /** The first position at or after an instant. */
  #firstAt(time: number): number {
    let low = 0
    let high = this.#times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#times[middle] as number) < time) low = middle + 1
      else high = middle
    }
    return low
  }

  #numberOf(text: string | undefined): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }
}

function toTest({ column, wanted }: Condition): Test {
  return (position) => wanted.includes(column[position] as number)
}

/** A way through the positions that match. */
class Search {
  readonly #first: number
  readonly #end: number
  readonly #tests: readonly Test[]
  readonly #lead: Condition | undefined

  /** @param lead A condition on one value: the search jumps from one place that has it to the next. */
  constructor(first: number, end: number, tests: readonly Test[], lead: Condition | undefined) {
    this.#first = first
    this.#end = end
    this.#tests = tests
    this.#lead = lead
  }

  /** The first match at a position or after it. */
  next(from: number): number | undefined {
    for (let at = this.#onward(Math.max(from, this.#first)); at < this.#end; at = this.#onward(at + 1)) {
      if (this.#passes(at)) return at
    }
    return undefined
  }

  /** The last match before a position. */
  previous(before: number): number | undefined {
    for (let at = this.#backward(Math.min(before, this.#end) - 1); at >= this.#first; at = this.#backward(at - 1)) {
      if (this.#passes(at)) return at
    }
    return undefined
  }

  #onward(from: number): number {
    if (!this.#lead) return from
    const at = this.#lead.column.indexOf(this.#lead.wanted[0] as number, from)
    return at === -1 ? this.#end : at
  }

  #backward(from: number): number {
    // lastIndexOf would take a negative start as counted from the end.
    return this.#lead && from >= 0 ? this.#lead.column.lastIndexOf(this.#lead.wanted[0] as number, from) : from
  }

  #passes(position: number): boolean {
    for (const test of this.#tests) if (!test(position)) return false
    return true
  }
}
