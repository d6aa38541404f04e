import type { Except } from 'type-fest'
import { parseDatetime } from '../../../core/internal/calendar.js'
import type { ListPaymentsParams } from '../../../core/schemas/payments-list.js'
import { scenarios } from '../internal/scenarios.js'
import type { PaymentRecord } from './records.js'

export type PaymentFilters = Except<ListPaymentsParams, 'limit' | 'cursor'>

type Field = Exclude<keyof PaymentFilters, 'fromDate' | 'toDate' | 'minAmount' | 'maxAmount'>

/** For each exact-match filter, a function that returns the payment's value. */
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

/** Payments by ID, in order of creation. */
export class PaymentTable {
  #records = new Map<string, PaymentRecord>()
  #newest = 0

  get(id: string): PaymentRecord | undefined {
    return this.#records.get(id)
  }

  rows(): PaymentRecord[] {
    return [...this.#records.values()]
  }

  /** Adds a payment, unless the table already contains it. */
  add(record: PaymentRecord): void {
    const { id } = record.payment
    if (this.#records.has(id)) return
    // Creation times ascend, even if the system clock was set back.
    this.#newest = record.createdAt = Math.max(record.createdAt, this.#newest)
    this.#records.set(id, record)
  }

  snapshot(): PaymentRecord[] {
    return this.rows().map((record) => ({ ...record }))
  }

  restore(records: readonly PaymentRecord[]): void {
    this.#records.clear()
    this.#newest = 0
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
  const [from, to] = [fromDate, toDate].map((date) => (date === undefined ? undefined : parseDatetime(date)))
  if (from !== undefined) tests.push(({ createdAt }) => createdAt >= from)
  if (to !== undefined) tests.push(({ createdAt }) => createdAt <= to)
  return (record) => tests.every((test) => test(record))
}
