import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import type { Notify } from '../internal/feed.js'
import { PaymentTable } from './payments.js'
import type { Delivery, IdempotencyRecord, InstrumentRecord, SessionRecord, TokenRecord } from './records.js'

/** The complete state of the service. Rows are plain JSON. A change replaces the row, so snapshots can share rows. */
export class Store {
  readonly payments = new PaymentTable()
  readonly sessions: Table<SessionRecord>
  readonly singleUseTokens = new Table<TokenRecord>()
  readonly instruments: Table<InstrumentRecord>
  /** The tokens of each customer's saved payment methods. */
  readonly instrumentsOf = new Table<readonly string[]>()
  readonly externalPayments = new Table<ExternalPayment>()
  readonly loyaltyTransactions = new Table<LoyaltyTransaction>()
  /** The points of each customer, by `balanceKey`. */
  readonly loyaltyBalances: Table<number>
  /** The events of each dispute, oldest first. */
  readonly disputes: Table<readonly DisputeStatusEvent[]>
  /** The first response for each operation, path and idempotency key. */
  readonly idempotency = new Table<IdempotencyRecord>()

  constructor(notify: Notify) {
    this.sessions = new Table((clientToken) => notify('session', { clientToken }))
    this.instruments = new Table((token) => notify('instrument', { token }))
    this.loyaltyBalances = new Table((key) => {
      const [connectionId, customerId] = ownerOf(key)
      notify('loyalty', { connectionId, customerId })
    })
    this.disputes = new Table((disputeId, events) => {
      const { paymentId, status } = events.at(-1) as DisputeStatusEvent
      notify('dispute', { disputeId, paymentId, status })
    })
  }

  snapshot(): StoreSnapshot {
    return Object.fromEntries(Object.entries(this).map(([name, table]: NamedTable) => [name, table.snapshot()]))
  }

  /** Replaces the rows of all tables. */
  restore(snapshot: StoreSnapshot): void {
    for (const [name, table] of Object.entries(this) as NamedTable[]) table.restore(snapshot[name] as never[])
  }
}

export type Tables = Omit<Store, 'snapshot' | 'restore'>

type NamedTable = [string, { snapshot(): unknown[]; restore(rows: never[]): void }]

type StoreSnapshot = Readonly<Record<string, readonly unknown[]>>

/** The state of a sandbox as plain JSON, for `restore`. The format may change in any release. */
export interface SandboxSnapshot {
  readonly time: number
  readonly drawn: number
  readonly ledger: readonly Effect[]
  readonly store: StoreSnapshot
  /** Absent in snapshots of earlier releases. */
  readonly deliveries?: readonly Delivery[]
}

/** Returns the key of a customer's points. A customer has one balance per loyalty connection. */
export function balanceKey(connectionId: string, customerId: string): string {
  return JSON.stringify([connectionId, customerId])
}

export function ownerOf(key: string): [connectionId: string, customerId: string] {
  return JSON.parse(key)
}

export class Table<Row> {
  #rows = new Map<string, Row>()

  /** @param onSet Called after a row was added or replaced, except by `restore`. */
  constructor(private readonly onSet: (key: string, row: Row) => void = () => {}) {}

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  set(key: string, row: Row): void {
    this.#rows.set(key, row)
    this.onSet(key, row)
  }

  delete(key: string): boolean {
    return this.#rows.delete(key)
  }

  rows(): Row[] {
    return [...this.#rows.values()]
  }

  snapshot(): [string, Row][] {
    return [...this.#rows]
  }

  restore(rows: readonly [string, Row][]): void {
    this.#rows = new Map(rows)
  }
}

/** A change that the service made. */
export interface Effect {
  /** The operation, for example `payments.capture`, or the external event, for example `processor.settle`. */
  readonly operation: string
  /** Id of the payment, client session, payment method, external payment or loyalty transaction. */
  readonly resourceId: string
  /** Amount in minor units, or number of loyalty points. Absent for changes without an amount. */
  readonly amount?: number
  /** The idempotency key of the request. */
  readonly idempotencyKey?: string
  /** Time of the change, ISO 8601 in UTC. */
  readonly at: string
}

export class Ledger {
  readonly effects: Effect[] = []

  /** Omits undefined fields. */
  record(effect: Omit<Effect, 'amount' | 'idempotencyKey'> & { [field: string]: unknown }): void {
    const fields = Object.entries(effect).filter(([, value]) => value !== undefined)
    this.effects.push(Object.freeze(Object.fromEntries(fields) as unknown as Effect))
  }

  restore(effects: readonly Effect[]): void {
    this.effects.length = 0
    for (const effect of effects) this.effects.push(effect)
  }
}
