import { cartOf } from '../../../core/contract/version.js'
import type { KnownEvent, PaymentRefundEvent, PaymentStatusEvent } from '../../../core/schemas/event.js'
import type { PaymentSummary, StatusReason } from '../../../core/schemas/payment.js'
import type { ListPaymentsParams, PaymentsPage } from '../../../core/schemas/payments-list.js'
import { type VirtualClock, zoneless } from '../internal/clock.js'
import { paymentError, ServiceError } from '../internal/exchange.js'
import type { Notify } from '../internal/feed.js'
import type { SandboxSettings } from '../internal/options.js'
import { matching, type PaymentTable } from '../store/payments.js'
import type { PaymentRecord, Status, StoredPayment } from '../store/records.js'
import { fromOrder } from './fields.js'
import type { Vault } from './vault.js'

/** Sends a webhook event to all subscribers. */
export type Emit = (event: KnownEvent) => void

type PaymentEvent = PaymentStatusEvent | PaymentRefundEvent

/** Creates the event that reports the current state of a payment. */
export function paymentEvent(
  eventType: PaymentEvent['eventType'],
  { payment, apiVersion, vaultedToken }: PaymentRecord,
  now: Date,
): PaymentEvent {
  const paymentMethod = { ...payment.paymentMethod, ...(vaultedToken && { vaultedPaymentMethodToken: vaultedToken }) }
  return {
    eventType,
    date: now.toISOString(),
    signedAt: String(Math.floor(now.getTime() / 1000)),
    notificationConfig: { id: 'sandbox', description: 'Sandbox' },
    version: apiVersion,
    payment: fromOrder(cartOf(apiVersion), { ...payment, paymentMethod }),
  }
}

/** For each action, the payment statuses that allow it, and the statuses that can result. */
export const transitions = {
  'payments.create': { from: ['PENDING'], to: ['PENDING', 'AUTHORIZED', 'DECLINED', 'FAILED'] },
  'payments.authorize': { from: ['PENDING'], to: ['AUTHORIZED'] },
  'payments.resume': { from: ['PENDING'], to: ['AUTHORIZED', 'DECLINED'] },
  'payments.adjustAuthorization': { from: ['AUTHORIZED'], to: [] },
  'payments.capture': { from: ['AUTHORIZED', 'SETTLING', 'SETTLED'], to: ['SETTLING', 'SETTLED', 'FAILED'] },
  'payments.cancel': { from: ['PENDING', 'AUTHORIZED', 'SETTLING'], to: ['CANCELLED'] },
  'payments.refund': { from: ['SETTLING', 'SETTLED'], to: [] },
  'processor.authorize': { from: ['PENDING'], to: ['AUTHORIZED'] },
  'processor.settle': { from: ['AUTHORIZED', 'SETTLING'], to: ['SETTLED'] },
  'processor.decline': { from: ['PENDING'], to: ['DECLINED'] },
  'processor.fail': { from: ['PENDING', 'AUTHORIZED', 'SETTLING'], to: ['FAILED'] },
} as const satisfies Record<string, { from: readonly Status[]; to: readonly Status[] }>

export type PaymentAction = keyof typeof transitions

const defaultLimit = 100

/** Reads and changes payments. Sends the events for changes. */
export class Payments {
  constructor(
    private readonly table: PaymentTable,
    private readonly clock: VirtualClock,
    private readonly emit: Emit,
    private readonly vault: Vault,
    private readonly settings: SandboxSettings,
    private readonly notify: Notify,
  ) {}

  has(id: string): boolean {
    return this.table.get(id) !== undefined
  }

  /** Returns a payment. Throws if it does not exist, or if its status does not allow the given action. */
  get(id: string, action?: PaymentAction): PaymentRecord {
    const record = this.table.get(id)
    if (!record) throw new ServiceError(404, 'PaymentNotFound', 'There is no payment with this ID')
    const from: readonly string[] | undefined = action && transitions[action].from
    if (!from || from.includes(record.payment.status)) return record
    const description = `${action} needs the status ${from.join(' or ')}, but this payment is ${record.payment.status}`
    throw paymentError(record.payment, 409, 'InvalidPaymentStatus', description)
  }

  /** Changes fields of a payment. Adds the payment to the table if it is new. */
  change(record: PaymentRecord, changes: Partial<StoredPayment>): StoredPayment {
    record.payment = { ...record.payment, ...changes, dateUpdated: zoneless(this.clock.now()) }
    this.table.add(record)
    return record.payment
  }

  /**
   * Sets the payment's status. When a payment with `vaultOnSuccess` becomes authorized, also saves its payment method.
   */
  move(
    record: PaymentRecord,
    action: PaymentAction,
    { status, statusReason }: { status: Status; statusReason?: StatusReason },
    changes: Partial<StoredPayment> = {},
  ): StoredPayment {
    const to: readonly string[] = transitions[action].to
    if (!to.includes(status)) throw new Error(`${action} cannot change the status to ${status}`)
    const paymentMethod = { ...record.payment.paymentMethod, ...changes.paymentMethod }
    if (status === 'AUTHORIZED' && record.vaultFor !== undefined) {
      const source = { token: paymentMethod.paymentMethodToken, scenario: record.scenario }
      record.vaultedToken = this.vault.save(source, record.vaultFor, true).token
      paymentMethod.isVaulted = true
      paymentMethod.paymentType ??= 'FIRST_PAYMENT'
    }
    const transactions = (changes.transactions ?? record.payment.transactions).map((transaction) =>
      transaction.transactionType === 'SALE'
        ? { ...transaction, processorStatus: status, processorStatusReason: statusReason }
        : transaction,
    )
    const requiredAction = status === 'PENDING' ? record.payment.requiredAction : undefined
    record.history = [...record.history, { status, at: this.clock.now().toISOString() }]
    this.change(record, { ...changes, status, statusReason, paymentMethod, requiredAction, transactions })
    this.notify('status', { paymentId: record.payment.id, status })
    this.emit(paymentEvent('PAYMENT.STATUS', record, this.clock.now()))
    return record.payment
  }

  page({ limit = defaultLimit, cursor, ...filters }: ListPaymentsParams): PaymentsPage {
    const { direction, position } = cursor === undefined ? firstPage : decodeCursor(cursor, filters)
    const { listDelay } = this.settings
    const until = listDelay > 0 ? this.clock.now().getTime() - listDelay : Infinity
    const matches = matching(filters)
    const all = this.table.rows()
    const found = [...all.keys()].filter(
      (at) => (all[at] as PaymentRecord).createdAt <= until && matches(all[at] as PaymentRecord),
    )
    const middle = found.filter((at) => at < position).length
    const [start, end] = direction === 'on' ? [middle, middle + limit] : [Math.max(0, middle - limit), middle]
    const page = found.slice(start, end)
    const [first = position, last = position - 1] = [page[0], page.at(-1)]
    return {
      data: page.map((at) => summary((all[at] as PaymentRecord).payment)),
      ...(end < found.length && { nextCursor: encodeCursor({ direction: 'on', position: last + 1 }, filters) }),
      ...(start > 0 && { prevCursor: encodeCursor({ direction: 'back', position: first }, filters) }),
    }
  }
}

function summary(payment: StoredPayment): PaymentSummary {
  const { id, date, dateUpdated, status, orderId, currencyCode, amount, processor, metadata } = payment
  return { id, date, dateUpdated, status, orderId, currencyCode, amount, processor, metadata }
}

/**
 * The position of a page in the payment list. With direction `on`, the page starts with the payment at `position`. With
 * `back`, the page ends with the payment before `position`.
 */
interface Cursor {
  direction: 'on' | 'back'
  position: number
}

const firstPage: Cursor = { direction: 'on', position: 0 }

/** Encodes a cursor as a string that is valid only with the same filters. */
function encodeCursor({ direction, position }: Cursor, filters: object): string {
  let hash = 0
  for (const letter of JSON.stringify(filters)) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0
  return `${direction}.${position}.${hash}`
}

function decodeCursor(cursor: string, filters: object): Cursor {
  const [, direction, position] = /^(on|back)\.(\d{1,15})\./.exec(cursor) ?? []
  const decoded = { direction: direction as Cursor['direction'], position: Number(position) }
  if (cursor === encodeCursor(decoded, filters)) return decoded
  throw new ServiceError(400, 'InvalidCursor', 'The cursor is not from this list, or the filters have changed')
}
