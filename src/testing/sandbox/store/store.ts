import type { DisputeStatusEvent } from '../../../core/schemas/event.js'
import type { VirtualClock } from '../internal/clock.js'
import type { Notify } from '../internal/feed.js'
import { PaymentTable } from './payments.js'
import type { Delivery, Rows } from './records.js'

/**
 * The complete state of the service. Rows are plain JSON and are replaced instead of modified, so snapshots can share
 * them.
 */
export type Store = { readonly payments: PaymentTable } & { readonly [Name in keyof Rows]: Table<Rows[Name]> }

export function createStore(notify: Notify): Store {
  return {
    payments: new PaymentTable(),
    sessions: new Table((clientToken) => notify('session', { clientToken })),
    singleUseTokens: new Table(),
    instruments: new Table((token) => notify('instrument', { token })),
    externalPayments: new Table(),
    loyaltyTransactions: new Table(),
    loyaltyBalances: new Table((key) => notify('loyalty', ownerOf(key))),
    disputes: new Table((disputeId, events) => {
      const { paymentId, status } = events.at(-1) as DisputeStatusEvent
      notify('dispute', { disputeId, paymentId, status })
    }),
    idempotency: new Table(),
  }
}

export function snapshotOf(store: Store): StoreSnapshot {
  return Object.fromEntries(Object.entries(store).map(([name, table]) => [name, table.snapshot()]))
}

export function restoreStore(store: Store, snapshot: StoreSnapshot): void {
  for (const [name, table] of Object.entries(store)) table.restore(snapshot[name] as never[])
}

type StoreSnapshot = Readonly<Record<string, readonly unknown[]>>

/** The version of the format of snapshots. Increase it with every change to the format. */
export const snapshotVersion = 1

/** The state of a sandbox as plain JSON, for `restore`. The format may change in any release. */
export interface SandboxSnapshot {
  /** The version of the format. `restore` accepts only the version of its own release. */
  readonly version: number
  readonly time: number
  readonly drawn: number
  readonly ledger: readonly Effect[]
  readonly store: StoreSnapshot
  /** All delivery attempts. */
  readonly deliveries: readonly Delivery[]
}

/** Returns the key of a customer's points. A customer has one balance per loyalty connection. */
export function balanceKey(connectionId: string, customerId: string): string {
  return JSON.stringify([connectionId, customerId])
}

export function ownerOf(key: string): { connectionId: string; customerId: string } {
  const [connectionId, customerId] = JSON.parse(key)
  return { connectionId, customerId }
}

export class Table<Row> {
  #rows = new Map<string, Row>()

  /** @param onSet Called after a row was added or replaced, except by `restore`. */
  constructor(private readonly onSet: (key: string, row: Row) => void = () => {}) {}

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  /** Adds or replaces a row and returns it. */
  set(key: string, row: Row): Row {
    this.#rows.set(key, row)
    this.onSet(key, row)
    return row
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
  /** ID of the payment, client session, payment method, external payment or loyalty transaction. */
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

  constructor(private readonly clock: VirtualClock) {}

  record(operation: string, resourceId: string, amount?: number, idempotencyKey?: string): void {
    const effect: Effect = {
      operation,
      resourceId,
      ...(amount !== undefined && { amount }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      at: this.clock.now().toISOString(),
    }
    this.effects.push(Object.freeze(effect))
  }

  restore(effects: readonly Effect[]): void {
    this.effects.length = 0
    for (const effect of effects) this.effects.push(effect)
  }
}
