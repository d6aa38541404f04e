import type { Scope } from '../../contract/operation.js'
import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import type { Effect } from './ledger.js'
import { PaymentTable } from './payment-table.js'
import type { InstrumentRecord, RememberedAnswer, SessionRecord, TokenRecord } from './records.js'
import { Table } from './table.js'

/** Everything the service knows. Rows are plain JSON, and replaced rather than changed, so that snapshots can share them. */
export class Store {
  readonly payments = new PaymentTable()
  readonly sessions = new Table<SessionRecord>()
  readonly singleUseTokens = new Table<TokenRecord>()
  readonly instruments = new Table<InstrumentRecord>()
  /** The vaulted tokens of each customer. */
  readonly instrumentsOf = new Table<readonly string[]>()
  readonly externalPayments = new Table<ExternalPayment>()
  readonly loyaltyTransactions = new Table<LoyaltyTransaction>()
  /** Points by connection and customer. */
  readonly loyaltyBalances = new Table<number>()
  readonly disputes = new Table<DisputeStatusEvent>()
  /** Scopes of the keys that have not all of them. */
  readonly apiKeys = new Table<readonly Scope[]>()
  /** The first answers, by operation, path and idempotency key. */
  readonly answers = new Table<RememberedAnswer>()

  snapshot(): StoreSnapshot {
    return Object.fromEntries(Object.entries(this).map(([name, table]: Named) => [name, table.snapshot()]))
  }

  /** @throws {TypeError} It is no snapshot. */
  restore(snapshot: StoreSnapshot): void {
    const tables: Named[] = Object.entries(this)
    if (!tables.every(([name]) => Array.isArray(snapshot?.[name]))) throw new TypeError('Not a snapshot of a sandbox')
    for (const [name, table] of tables) table.restore(snapshot[name] as never[])
  }
}

type Named = [string, { snapshot(): unknown[]; restore(rows: never[]): void }]

/** The rows of every table. */
type StoreSnapshot = Readonly<Record<string, readonly unknown[]>>

/** The sandbox at one moment, as plain JSON. Hand it back to `restore`; what is inside may change with any version. */
export interface SandboxSnapshot {
  readonly time: number
  readonly drawn: number
  readonly ledger: readonly Effect[]
  readonly store: StoreSnapshot
}
