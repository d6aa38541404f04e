import type { ListPaymentsParams } from '../../schemas/payments-list.js'
import { instantOf } from '../internal/clock.js'
import { scenarios } from '../internal/scenarios.js'
import type { PaymentRecord } from './records.js'

export type PaymentFilters = Omit<ListPaymentsParams, 'limit' | 'cursor'>

export interface Positions {
  found: number[]
  hasPrevious: boolean
  hasNext: boolean
}

type Field = Exclude<keyof PaymentFilters, 'fromDate' | 'toDate' | 'minAmount' | 'maxAmount'>

/** Returns a payment's value for each exact-match filter. The most selective filter comes first. */
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

/**
 * Payments in order of creation, with search by id and by filters.
 *
 * Each filter scans a column of integers that encode strings, so a search in 100,000 payments takes about a
 * millisecond.
 */
export class PaymentTable {
  #records: PaymentRecord[] = []
  #positions = new Map<string, number>()
  #columns = new Map(fieldNames.map((name): [Field, number[]] => [name, []]))
  #amounts: number[] = []
  #times: number[] = []
  #numbers = new Map<string | undefined, number>()

  get(id: string): PaymentRecord | undefined {
    const position = this.#positions.get(id)
    return position === undefined ? undefined : this.#records[position]
  }

  at(position: number): PaymentRecord {
    return this.#records[position] as PaymentRecord
  }

  set(record: PaymentRecord): void {
    const { id } = record.payment
    const position = this.#positions.get(id) ?? this.#records.length
    this.#positions.set(id, position)
    this.#records[position] = record
    for (const [name, column] of this.#columns) column[position] = this.#numberOf(fields[name](record))
    this.#amounts[position] = record.payment.amount
    // The binary search needs ascending times, even if the system clock was set back.
    this.#times[position] = Math.max(record.createdAt, this.#times[position - 1] ?? 0)
  }

  /**
   * Finds up to `limit` payments after or before a position. Ignores payments created after `until`.
   *
   * @param step 1 searches forwards, starting at `position`. -1 searches backwards, starting with the payment before
   * it.
   */
  search(position: number, step: 1 | -1, limit: number, filters: PaymentFilters, until: number): Positions {
    // The query contains only strings, although the type also permits a Date.
    const { fromDate, toDate } = filters as { fromDate?: string; toDate?: string }
    const first = fromDate === undefined ? 0 : this.#firstAt(instantOf(fromDate))
    const end = this.#firstAt(Math.min(until, toDate === undefined ? until : instantOf(toDate)) + 1)
    const tests = this.#testsFor(filters)
    const scan = (start: number, step: 1 | -1, limit: number) => {
      const found: number[] = []
      let at = step === 1 ? Math.max(start, first) : Math.min(start, end - 1)
      for (; at >= first && at < end && found.length < limit; at += step) {
        if (passes(tests, at)) found.push(at)
      }
      return found
    }
    if (step === 1) {
      const found = scan(position, 1, limit + 1)
      const hasPrevious = scan((found[0] ?? position) - 1, -1, 1).length > 0
      return { found: found.slice(0, limit), hasPrevious, hasNext: found.length > limit }
    }
    const found = scan(position - 1, -1, limit + 1)
    const hasNext = scan(position, 1, 1).length > 0
    return { found: found.slice(0, limit).reverse(), hasPrevious: found.length > limit, hasNext }
  }

  snapshot(): PaymentRecord[] {
    return this.#records.map((record) => ({ ...record }))
  }

  restore(records: readonly PaymentRecord[]): void {
    this.#records = []
    this.#positions.clear()
    this.#times = []
    this.#amounts = []
    for (const column of this.#columns.values()) column.length = 0
    for (const record of records) this.set({ ...record })
  }

  #testsFor({ minAmount, maxAmount, ...filters }: PaymentFilters): Test[] {
    const tests: Test[] = []
    for (const [name, column] of this.#columns) {
      if (filters[name] === undefined) continue
      const wanted = [filters[name]].flat().map((value) => this.#numbers.get(value) ?? -1)
      const [only] = wanted
      if (wanted.length === 1) tests.push((position) => column[position] === only)
      else tests.push((position) => wanted.includes(column[position] as number))
    }
    const amounts = this.#amounts
    if (minAmount !== undefined) tests.push((position) => (amounts[position] as number) >= minAmount)
    if (maxAmount !== undefined) tests.push((position) => (amounts[position] as number) <= maxAmount)
    return tests
  }

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

function passes(tests: readonly Test[], position: number): boolean {
  for (const test of tests) if (!test(position)) return false
  return true
}
