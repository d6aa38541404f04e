import type { Journal } from '../core/options.js'
import type { WebhookStore } from '../stores/contract.js'
import type { SqlMaintenance } from '../stores/store-options.js'
import type { Work } from './work.js'

/** The database of the orders, of their journal and of their webhook store. */
export interface Engine {
  readonly journal: Journal
  readonly webhookStore: WebhookStore & SqlMaintenance
  /** Runs work in a transaction of its own. With `lock`, transactions of the same order run one after another. */
  transaction<T>(work: () => Work<T>, lock?: string): Promise<T>
  /** Runs work in an open transaction. Returns a promise only if the database is asynchronous. */
  within<T>(transaction: unknown, work: () => Work<T>, lock?: string): T | Promise<T>
  migrate(statements: readonly string[]): Promise<void>
}
