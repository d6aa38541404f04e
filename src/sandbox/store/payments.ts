import type { ListPaymentsParams } from '../../schemas/payments-list.js'
import { instantOf } from '../internal/clock.js'
import { scenarios } from '../internal/scenarios.js'
import type { PaymentRecord } from './records.js'

export type PaymentFilters = Omit<ListPaymentsParams, 'limit' | 'cursor'>

type Field = Exclude<keyof PaymentFilters, 'fromDate' | 'toDate' | 'minAmount' | 'maxAmount'>

/** Returns a payment's value for each exact-match filter. */
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

type Test = (record: PaymentRecord) => boolean

/** Payments in order of creation, with search by id and by filters. */
export class PaymentTable {
  #records: PaymentRecord[] = []
  #byId = new Map<string, PaymentRecord>()

  get(id: string): PaymentRecord | undefined {
    return this.#byId.get(id)
  }

  at(position: number): PaymentRecord {
    return this.#records[position] as PaymentRecord
  }

  /** Adds a payment, unless the table already contains it. */
  add(record: PaymentRecord): void {
    const { id } = record.payment
    if (this.#byId.has(id)) return
    // Creation times ascend, even if the system clock was set back.
    record.createdAt = Math.max(record.createdAt, this.#records.at(-1)?.createdAt ?? 0)
    this.#byId.set(id, record)
    this.#records.push(record)
  }

  /**
   * Finds the positions of up to `limit` payments after or before a position, in order of creation.
   *
   * @param step 1 searches forwards, starting at `position`. -1 searches backwards, starting with the payment before
   * it.
   */
  search(position: number, step: 1 | -1, limit: number, test: Test) {
    const scan = (start: number, step: 1 | -1, limit: number) => {
      const found: number[] = []
      let at = Math.min(start, this.#records.length - (step === 1 ? 0 : 1))
      for (; at >= 0 && at < this.#records.length && found.length < limit; at += step) {
        if (test(this.at(at))) found.push(at)
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
    this.#byId.clear()
    for (const record of records) this.add({ ...record })
  }
}

/** Returns a function that tests whether a payment has the values of all filters. */
export function matching({ minAmount, maxAmount, fromDate, toDate, ...filters }: PaymentFilters): Test {
  const tests: Test[] = []
  for (const [name, wanted] of Object.entries(filters) as [Field, string | string[]][]) {
    if (wanted === undefined) continue
    const values = new Set<string | undefined>([wanted].flat())
    tests.push((record) => values.has(fields[name](record)))
  }
  if (minAmount !== undefined) tests.push(({ payment }) => payment.amount >= minAmount)
  if (maxAmount !== undefined) tests.push(({ payment }) => payment.amount <= maxAmount)
  // The query contains only strings, although the type also permits a Date.
  const [from, to] = [fromDate, toDate].map((date) => (date === undefined ? undefined : instantOf(String(date))))
  if (from !== undefined) tests.push(({ createdAt }) => createdAt >= from)
  if (to !== undefined) tests.push(({ createdAt }) => createdAt <= to)
  return (record) => tests.every((test) => test(record))
}
