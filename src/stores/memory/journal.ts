import { func, optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import type { JournalOptions } from '../../operations/journal.js'
import { journalRules, keepBodiesForMs, toJournal } from '../../operations/journal-options.js'
import { isOpenState, openStates, type StoredOperation, toOpenCounts } from '../../operations/record.js'
import { type Claim, type Table, tableJournal } from '../../operations/table-journal.js'

/** Options for `createMemoryJournal`. */
export interface MemoryJournalOptions extends JournalOptions {
  /** Returns the current time, for tests. @default the clock of this process */
  now?: () => Date
}

/**
 * Creates a journal in the memory of one process, for tests. A restart loses its records: use a database in production.
 *
 * @throws {ConfigurationError} An option is invalid.
 * @example
 * const client = new PaymentsClient(sandbox.clientOptions({ journal: createMemoryJournal() }))
 */
export function createMemoryJournal(options?: MemoryJournalOptions): Journal {
  const schema = optionsOf<MemoryJournalOptions>({ ...journalRules, now: func() })
  const { now = () => new Date(Date.now()), ...others } = requireOptions(options, schema)
  return toJournal(others, (rememberFor) => tableJournal(createTable(() => now().getTime(), rememberFor)))
}

function createTable(now: () => number, rememberFor: number): Table {
  /** The records, in the order in which they were stored. */
  const rows = new Map<string, StoredOperation>()
  const claims = new Map<string, Claim>()
  const isFree = ({ resource }: StoredOperation, now: number) => {
    const claim = claims.get(resource)
    return claim?.owner === undefined || claim.expiresAt <= now
  }
  const select = (isSelected: (row: StoredOperation) => boolean) => [...rows.values()].filter(isSelected)

  return {
    name: 'memory',
    isSynchronous: false,
    now,
    transaction: (work) => work(now()),
    async settle(compute, onSettled, write) {
      const computed = compute(now())
      if (computed === undefined) return undefined
      await onSettled?.(computed.row, undefined)
      // Computes the row again, because another owner may have claimed the operation while `onSettled` ran.
      const current = compute(now())
      return current && write(current, now())
    },
    find: (key) => rows.get(key),
    put: (row) => void rows.set(row.key, row),
    findClaim: (resource) => claims.get(resource),
    putClaim: (resource, claim) => void claims.set(resource, claim),
    next(now, except, unacknowledged) {
      let first: StoredOperation | undefined
      for (const row of rows.values()) {
        const isWanted = unacknowledged ? row.acknowledgedAt === undefined : isOpenState(row.state)
        const isFirst = first === undefined || row.lastClaimedAt < first.lastClaimedAt
        if (isWanted && isFirst && !except.includes(row.key) && isFree(row, now)) first = row
      }
      return first
    },
    related: ({ paymentId, orderId }) =>
      select((row) =>
        paymentId !== undefined ? row.id === paymentId || row.paymentId === paymentId : row.orderId === orderId,
      ),
    list: ({ state, paymentId, before }) =>
      select(
        (row) =>
          (state === undefined || row.state === state) &&
          (paymentId === undefined || row.id === paymentId || row.paymentId === paymentId) &&
          (before === undefined || row.createdAt < before),
      ),
    countOpen: () =>
      toOpenCounts(openStates.map((state) => ({ state, count: select((row) => row.state === state).length }))),
    migrate: () => {},
    prune(now) {
      let changed = 0
      for (const row of rows.values()) {
        const finishedAt = row.finishedAt ?? now
        const isOld = row.state !== 'needs_review' && finishedAt <= now - rememberFor
        const hasOldBody = row.body !== undefined && finishedAt <= now - keepBodiesForMs
        if (isOld) rows.delete(row.key)
        else if (hasOldBody) rows.set(row.key, { ...row, body: undefined })
        if (isOld || hasOldBody) changed++
      }
      for (const [resource, { owner, expiresAt }] of claims) {
        if (owner === undefined && expiresAt <= now - rememberFor) claims.delete(resource)
      }
      return changed
    },
    checkTransaction: () => {},
  }
}
