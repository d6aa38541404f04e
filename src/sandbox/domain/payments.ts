import type { PaymentSummary } from '../../schemas/payment.js'
import type { ListPaymentsParams, PaymentsPage } from '../../schemas/payments-list.js'
import type { VirtualClock } from '../clock.js'
import { Refusal } from '../refusal.js'
import { type Cursor, decodeCursor, encodeCursor } from '../store/cursor.js'
import type { PaymentTable } from '../store/payment-table.js'
import type { PaymentRecord, Status, StoredPayment } from '../store/records.js'
import { zoneless } from '../times.js'
import type { Events } from '../webhooks/events.js'
import { assertMove, type Mover } from './lifecycle.js'

const defaultLimit = 100

/** The payments, and the events that tell of their moves. */
export class Payments {
  readonly #table: PaymentTable
  readonly #clock: VirtualClock
  readonly #events: Events
  readonly #listDelayMs: number

  constructor(table: PaymentTable, clock: VirtualClock, events: Events, listDelayMs: number) {
    this.#table = table
    this.#clock = clock
    this.#events = events
    this.#listDelayMs = listDelayMs
  }

  get(id: string): PaymentRecord {
    const record = this.#table.get(id)
    if (record) return record
    throw new Refusal(404, 'PaymentNotFound', 'There is no payment with this id')
  }

  has(id: string): boolean {
    return this.#table.get(id) !== undefined
  }

  /** A new payment is in the table from its first change on. */
  change(record: PaymentRecord, changes: Partial<StoredPayment>): StoredPayment {
    record.payment = { ...record.payment, ...changes, dateUpdated: zoneless(this.#clock.now()) }
    this.#table.set(record)
    return record.payment
  }

  /** Give a payment its next status, and tell of it. */
  move(record: PaymentRecord, by: Mover, status: Status, changes: Partial<StoredPayment> = {}): StoredPayment {
    assertMove(by, status)
    const transactions = (changes.transactions ?? record.payment.transactions).map((transaction) =>
      transaction.transactionType === 'SALE'
        ? { ...transaction, processorStatus: status, processorStatusReason: changes.statusReason }
        : transaction,
    )
    this.change(record, { ...changes, status, transactions })
    this.#events.paymentStatus(record)
    return record.payment
  }

  page({ limit = defaultLimit, cursor, ...filters }: ListPaymentsParams): PaymentsPage {
    const start: Cursor = cursor === undefined ? { direction: 'on', position: 0 } : decodeCursor(cursor, filters)
    const until = this.#clock.now().getTime() - this.#listDelayMs
    const look = start.direction === 'on' ? 'after' : 'before'
    const { found, hasPrevious, hasNext } = this.#table.index[look](start.position, limit, filters, until)
    const first = found[0] ?? start.position
    const afterLast = found.length > 0 ? (found.at(-1) as number) + 1 : start.position
    return {
      data: found.map((position) => summary(this.#table.at(position).payment)),
      ...(hasNext && { nextCursor: encodeCursor({ direction: 'on', position: afterLast }, filters) }),
      ...(hasPrevious && { prevCursor: encodeCursor({ direction: 'back', position: first }, filters) }),
    }
  }
}

/** What a row of the list shows of a payment. */
function summary(payment: StoredPayment): PaymentSummary {
  const { id, date, dateUpdated, status, orderId, currencyCode, amount, processor, metadata } = payment
  return { id, date, dateUpdated, status, orderId, currencyCode, amount, processor, metadata }
}
