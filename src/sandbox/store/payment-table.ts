import { PaymentIndex } from './payment-index.js'
import type { PaymentRecord } from './records.js'

/** The payments in the order of their creation, to be found by id and searched by their facts. */
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

  /** Add a payment, or note that it changed. */
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
