import {
  type Begun,
  claimTtlMs,
  type Ending,
  type JournalStore,
  type ListFilter,
  type NewOperation,
} from './journal.js'
import { comparedOperations, isOpenState, type Knowledge, type OpenCounts, type StoredOperation } from './record.js'

/** A claim on a resource, and the payment after its latest operation. */
export interface Claim {
  readonly owner?: string | undefined
  readonly expiresAt: number
  readonly known?: Knowledge | undefined
}

/** Rows that can be read and written synchronously. */
export interface Table {
  readonly name: string
  readonly isSynchronous: boolean
  now(): number
  /** Runs `work` without other writes in between. */
  transaction<T>(work: () => T): T
  /**
   * Runs `compute`, `onSettled` and `write` in one transaction. Skips the others if `compute` returns undefined.
   */
  settle(
    compute: () => StoredOperation | undefined,
    onSettled: Ending['onSettled'],
    write: (row: StoredOperation) => void,
  ): Promise<StoredOperation | undefined>
  find(key: string): StoredOperation | undefined
  put(row: StoredOperation): void
  findClaim(resource: string): Claim | undefined
  putClaim(resource: string, claim: Claim): void
  next(now: number, except: readonly string[], unacknowledged: boolean): StoredOperation | undefined
  related(to: { paymentId?: string | undefined; orderId?: string | undefined }): StoredOperation[]
  list(filter: ListFilter): StoredOperation[]
  countOpen(): OpenCounts
  migrate(): void
  prune(now: number): number
  /** Throws unless `transaction` belongs to this database. */
  checkTransaction(transaction: unknown): void
}

/** Returns whether the previous claim permitted a request. After `resendFor`, a payment is only looked up. */
function mayHaveSent({ operation, firstSentAt = 0, resendFor, lastClaimedAt }: StoredOperation): boolean {
  return operation !== 'payments.create' || lastClaimedAt <= firstSentAt + resendFor
}

/** Creates a journal whose rows are in the memory of this process or in SQLite. */
export function tableJournal(table: Table): JournalStore {
  /** Claims a stored operation, and marks it as in flight if it is open. */
  function claim(row: StoredOperation, owner: string, now: number): Begun {
    const { resource } = row
    const held = table.findClaim(resource)
    if (held?.owner !== undefined && held.owner !== owner && held.expiresAt > now) return { row, isClaimed: false, now }
    // After a crash, the payment may have changed.
    const known = held?.owner === undefined ? held?.known : undefined
    // Later than the end of the previous operation of this payment, so that their times show their order.
    const sentAt = Math.max(now, held?.owner === undefined ? (held?.expiresAt ?? 0) + 1 : 0)
    table.putClaim(resource, { owner, expiresAt: sentAt + claimTtlMs, known })
    const claimed = { ...row, lastClaimedAt: sentAt }
    if (!isOpenState(row.state)) {
      table.put(claimed)
      return { row, isClaimed: true, known, now }
    }
    // Before its first request, the payment is stored.
    const isUnsent = comparedOperations.includes(row.operation) && row.before === undefined && row.state !== 'unknown'
    const isAmbiguous = row.state === 'unknown' || (row.inFlight && !isUnsent)
    const begun: StoredOperation = {
      ...claimed,
      state: isAmbiguous ? 'unknown' : 'sent',
      inFlight: true,
      attempts: isUnsent ? 1 : row.attempts + 1,
      firstSentAt: isUnsent ? sentAt : (row.firstSentAt ?? sentAt),
      lastSentAt: row.inFlight && mayHaveSent(row) ? sentAt : row.lastSentAt,
      before: row.before ?? (isAmbiguous ? undefined : known),
    }
    table.put(begun)
    return { row: begun, isClaimed: true, known, now }
  }

  /** Returns the end of an operation, which is not earlier than its start. */
  const endOf = (resource: string): number => {
    const { expiresAt = 0 } = table.findClaim(resource) ?? {}
    return Math.max(table.now(), expiresAt - claimTtlMs)
  }

  const released = (resource: string, known: Knowledge | undefined): Claim => ({ expiresAt: endOf(resource), known })

  const stored = (row: NewOperation, now: number): StoredOperation => ({
    ...row,
    state: 'planned',
    inFlight: false,
    createdAt: now,
    attempts: 0,
    lastClaimedAt: 0,
  })

  const finished = (row: StoredOperation, { row: changes, isSent }: Ending): StoredOperation => {
    const now = table.now()
    const isFinal = !isOpenState(changes.state)
    return {
      ...row,
      ...changes,
      inFlight: false,
      lastSentAt: isSent ? now : row.lastSentAt,
      finishedAt: isFinal ? (row.finishedAt ?? endOf(row.resource)) : undefined,
    }
  }

  const planSync = (transaction: unknown, row: NewOperation): string => {
    table.checkTransaction(transaction)
    const found = table.find(row.key)
    if (found === undefined) table.put(stored(row, table.now()))
    return found?.fingerprint ?? row.fingerprint
  }

  return {
    name: table.name,
    isSynchronous: table.isSynchronous,
    plan: async (transaction, row) => planSync(transaction, row),
    planSync,
    async begin(row, owner) {
      return table.transaction(() => {
        const now = table.now()
        const found = table.find(row.key)
        const isUsable = found === undefined || (found.fingerprint === row.fingerprint && isOpenState(found.state))
        if (!isUsable) return { row: found, isClaimed: false, now }
        return claim(found ?? stored(row, now), owner, now)
      })
    },
    async resume(key, owner) {
      return table.transaction(() => {
        const row = table.find(key)
        return row && claim(row, owner, table.now())
      })
    },
    async next(owner, except, unacknowledged) {
      return table.transaction(() => {
        const now = table.now()
        const row = table.next(now, except, unacknowledged)
        return row && claim(row, owner, now)
      })
    },
    async renew(resource, owner) {
      return table.transaction(() => {
        const held = table.findClaim(resource)
        if (held?.owner !== owner) return false
        table.putClaim(resource, { ...held, expiresAt: table.now() + claimTtlMs })
        return true
      })
    },
    async note(key, before) {
      table.transaction(() => {
        const row = table.find(key)
        if (row) table.put({ ...row, before })
      })
    },
    async finish({ key, resource }, owner, ending) {
      const compute = () => {
        const row = table.findClaim(resource)?.owner === owner ? table.find(key) : undefined
        return row && finished(row, ending)
      }
      const write = (row: StoredOperation) => {
        const now = table.now()
        const known = ending.isSent ? ending.known : (ending.known ?? table.findClaim(resource)?.known)
        table.put(ending.onSettled ? { ...row, acknowledgedAt: now } : row)
        table.putClaim(resource, released(resource, known))
        const payment = `payment:${row.paymentId}`
        if (row.paymentId !== undefined && payment !== resource && table.findClaim(payment) === undefined) {
          table.putClaim(payment, { expiresAt: now, known })
        }
      }
      return table.settle(compute, ending.onSettled, write)
    },
    async release(resource, owner) {
      table.transaction(() => {
        const held = table.findClaim(resource)
        if (held?.owner === owner) table.putClaim(resource, released(resource, held.known))
      })
    },
    related: async (to) => table.related(to),
    get: async (key) => table.find(key),
    list: async (filter) => table.list(filter),
    countOpen: async () => table.countOpen(),
    migrate: async () => table.migrate(),
    prune: async () => table.transaction(() => table.prune(table.now())),
  }
}
