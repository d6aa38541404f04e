import * as z from 'zod/mini'
import type { VirtualClock } from '../internal/clock.js'
import type { Notify } from '../internal/feed.js'
import { dateTime, jsonOf, rowOf, type Schema } from '../internal/schema.js'
import { PaymentTable } from './payments.js'
import { type Delivery, deliveryShape, paymentRecord, type Rows, tableRows } from './records.js'

/**
 * The complete state of the service. Rows are plain JSON. Changes replace rows instead of modifying them, so snapshots
 * can share the rows.
 */
export type Store = { readonly payments: PaymentTable } & { readonly [Name in keyof Rows]: Table<Rows[Name]> }

export function createStore(notify: Notify): Store {
  const onSet: { readonly [Name in keyof Rows]?: (key: string, row: Rows[Name]) => void } = {
    sessions: (clientToken) => notify('session', { clientToken }),
    instruments: (token) => notify('instrument', { token }),
    loyaltyBalances: (key) => notify('loyalty', ownerOf(key)),
    disputes(disputeId, events) {
      const { paymentId, status } = events.at(-1) as Rows['disputes'][number]
      notify('dispute', { disputeId, paymentId, status })
    },
  }
  const tables = Object.keys(tableRows).map((name) => [name, new Table(Reflect.get(onSet, name))])
  return { payments: new PaymentTable(), ...Object.fromEntries(tables) }
}

export function snapshotOf(store: Store): StoreSnapshot {
  return Object.fromEntries(Object.entries(store).map(([name, table]) => [name, table.snapshot()]))
}

/** Replaces the rows of all tables. */
export function restoreStore(store: Store, snapshot: StoreSnapshot): void {
  for (const [name, table] of Object.entries(store)) table.restore(snapshot[name] as never[])
}

type StoreSnapshot = Readonly<Record<string, readonly unknown[]>>

/** The state of a sandbox as plain JSON, for `restore`. The format may change in any release. */
export interface SandboxSnapshot {
  readonly time: number
  readonly drawn: number
  readonly ledger: readonly Effect[]
  readonly store: StoreSnapshot
  /** All delivery attempts. Absent in snapshots of earlier releases. */
  readonly deliveries?: readonly Delivery[]
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

  /** Adds or replaces a row, and returns it. */
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
  /** Id of the payment, client session, payment method, external payment or loyalty transaction. */
  readonly resourceId: string
  /** Amount in minor units, or number of loyalty points. Absent for changes without an amount. */
  readonly amount?: number
  /** The idempotency key of the request. */
  readonly idempotencyKey?: string
  /** Time of the change, ISO 8601 in UTC. */
  readonly at: string
}

export const effect = rowOf<Effect>({
  operation: z.string(),
  resourceId: z.string(),
  amount: z.optional(z.number()),
  idempotencyKey: z.optional(z.string()),
  at: dateTime,
})

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

const owner = z.tuple([z.string(), z.string()])
const balanceKeySchema = jsonOf(
  (value) => z.safeParse(owner, value).success,
  'must be a JSON array of a connection and a customer',
)
const tables: [name: string, Schema<unknown[]>][] = Object.entries(tableRows).map(([name, row]) => [
  name,
  z.array(z.tuple([name === 'loyaltyBalances' ? balanceKeySchema : z.string(), row as Schema])),
])

/** A snapshot of a sandbox, as `snapshot()` returns it. Parsing removes `null` from the service's objects. */
export const SnapshotSchema: Schema<SandboxSnapshot> = z.object({
  time: z.number(),
  drawn: z.int().check(z.gte(0, 'must be at least 0')),
  ledger: z.array(effect),
  store: z.object({ payments: z.array(paymentRecord), ...Object.fromEntries<Schema<unknown[]>>(tables) }),
  deliveries: z.optional(z.array(rowOf(deliveryShape))),
})
