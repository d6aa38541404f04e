import type { ListPaymentsParams } from '../../schemas/payments-list.js'
import { instantOf } from '../internal/clock.js'
import { scenarios } from '../internal/scenarios.js'
import type { PaymentRecord } from './records.js'

/** The filters of the payments list. */
export type PaymentFilters = Omit<ListPaymentsParams, 'limit' | 'cursor'>

/** The positions of one page of payments. */
export interface Positions {
  found: number[]
  hasPrevious: boolean
  hasNext: boolean
}

/** Payments in order of creation, found by id or by filters. */
export class PaymentTable {
  #records: PaymentRecord[] = []
  #positions = new Map<string, number>()
  #index = new PaymentIndex()

  get index(): PaymentIndex {
    return this.#index
  }

  get(id: string): PaymentRecord | undefined {
    const position = this.#positions.get(id)
    return position === undefined ? undefined : this.#records[position]
  }

  at(position: number): PaymentRecord {
    return this.#records[position] as PaymentRecord
  }

  /** Adds or updates a payment. */
  set(record: PaymentRecord): void {
    const { id } = record.payment
    const position = this.#positions.get(id) ?? this.#records.length
    this.#positions.set(id, position)
    this.#records[position] = record
    this.#index.set(position, record)
  }

  snapshot(): PaymentRecord[] {
    return this.#records.map((record) => ({ ...record }))
  }

  restore(records: readonly PaymentRecord[]): void {
    this.#records = []
    this.#positions = new Map()
    this.#index = new PaymentIndex()
    for (const record of records) this.set({ ...record })
  }
}

type Field = Exclude<keyof PaymentFilters, 'fromDate' | 'toDate' | 'minAmount' | 'maxAmount'>

/** The value that each exact filter compares, the most selective first. */
const fields: { readonly [F in Field]-?: (record: PaymentRecord) => string | undefined } = {
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

const fieldNames = Object.keys(fields) as Field[]

type Test = (position: number) => boolean

/** Matches rows whose number in a column is one of these. */
interface Condition {
  column: readonly number[]
  wanted: readonly number[]
}

/** The number of every string that no payment has. */
const noNumber = -1

/**
 * Finds payments by filters. Each field is a column of integers that stand for its strings, so searching 100,000 payments
 * takes well under a millisecond.
 */
class PaymentIndex {
  readonly #numbers = new Map<string | undefined, number>()
  readonly #columns = Object.fromEntries(fieldNames.map((name) => [name, []])) as unknown as Record<Field, number[]>
  readonly #amounts: number[] = []
  readonly #times: number[] = []

  /** Adds or updates a payment. Positions are in order of creation. */
  set(position: number, record: PaymentRecord): void {
    for (const name of fieldNames) this.#columns[name][position] = this.#numberOf(fields[name](record))
    this.#amounts[position] = record.payment.amount
    // A real clock can be set back, but the binary search needs ascending times.
    this.#times[position] = Math.max(record.createdAt, this.#times[position - 1] ?? 0)
  }

  /** Returns up to `limit` payments from a position on that were created no later than `until`. */
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

  /** Returns up to `limit` payments before a position. */
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
    // A query has strings only.
    const { fromDate, toDate } = filters as { fromDate?: string; toDate?: string }
    const conditions = fieldNames.flatMap((name) => this.#conditionOn(name, filters[name]))
    const lead = conditions.find(({ wanted }) => wanted.length === 1)
    return new Search(
      fromDate === undefined ? 0 : this.#firstAt(instantOf(fromDate)),
      this.#firstAt(Math.min(until, toDate === undefined ? until : instantOf(toDate)) + 1),
      [...conditions.filter((condition) => condition !== lead).map(toTest), ...this.#amountTest(filters)],
      lead,
    )
  }

  #conditionOn(name: Field, values: string | string[] | undefined): Condition[] {
    if (values === undefined) return []
    const wanted = [values].flat().map((value) => this.#numbers.get(value) ?? noNumber)
    return [{ column: this.#columns[name], wanted }]
  }

  #amountTest({ minAmount, maxAmount }: PaymentFilters): Test[] {
    if (minAmount === undefined && maxAmount === undefined) return []
    const [low, high] = [minAmount ?? Number.NEGATIVE_INFINITY, maxAmount ?? Number.POSITIVE_INFINITY]
    const amounts = this.#amounts
    return [(position) => (amounts[position] as number) >= low && (amounts[position] as number) <= high]
  }

  /** Returns the first position at or after an instant. */
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

  #numberOf(value: string | undefined): number {
    const number = this.#numbers.get(value) ?? this.#numbers.size
    this.#numbers.set(value, number)
    return number
  }
}

function toTest({ column, wanted }: Condition): Test {
  return (position) => wanted.includes(column[position] as number)
}

/** Iterates over the matching positions in both directions. */
class Search {
  readonly #first: number
  readonly #end: number
  readonly #tests: readonly Test[]
  readonly #lead: Condition | undefined

  /** @param lead A condition on one value: the search jumps from one occurrence to the next. */
  constructor(first: number, end: number, tests: readonly Test[], lead: Condition | undefined) {
    this.#first = first
    this.#end = end
    this.#tests = tests
    this.#lead = lead
  }

  /** Returns the first match at a position or after it. */
  next(from: number): number | undefined {
    for (let at = this.#onward(Math.max(from, this.#first)); at < this.#end; at = this.#onward(at + 1)) {
      if (this.#passes(at)) return at
    }
    return undefined
  }

  /** Returns the last match before a position. */
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
    // lastIndexOf counts a negative start from the end.
    return this.#lead && from >= 0 ? this.#lead.column.lastIndexOf(this.#lead.wanted[0] as number, from) : from
  }

  #passes(position: number): boolean {
    for (const test of this.#tests) if (!test(position)) return false
    return true
  }
}
