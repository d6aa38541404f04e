import {
  type Begun,
  claimTtlMs,
  crashedBeforeMs,
  type Ending,
  type JournalStore,
  type ListFilter,
  type NewOperation,
} from './journal.js'
import {
  comparedOperations,
  isOpenState,
  type OpenCounts,
  type PaymentSnapshot,
  type StoredOperation,
} from './record.js'

/** The claim on a resource (a payment or an operation), and a snapshot of the payment after its latest operation. */
export interface Claim {
  readonly owner?: string | undefined
  readonly expiresAt: number
  readonly known?: PaymentSnapshot | undefined
}

/** A table of operations and a table of claims. Both are read and written synchronously. */
export interface Table {
  readonly name: string
  readonly isSynchronous: boolean
  now(): number
  /** Runs `work` in a transaction, and passes the current time to it. Other writes wait until `work` has finished. */
  transaction<T>(work: (now: number) => T): T
  /**
   * Runs `compute`, `onSettled` and `write` in one transaction. If `compute` returns undefined, `onSettled` and `write`
   * do not run. Resolves to the row that `write` returns.
   */
  settle<T extends { readonly row: StoredOperation }>(
    compute: (now: number) => T | undefined,
    onSettled: Ending['onSettled'],
    write: (computed: T, now: number) => StoredOperation,
  ): Promise<StoredOperation | undefined>
  find(key: string): StoredOperation | undefined
  /** Stores a row. `stored` is the row's current state in the table: if given, only changed fields are written. */
  put(row: StoredOperation, stored?: StoredOperation): void
  findClaim(resource: string): Claim | undefined
  putClaim(resource: string, claim: Claim): void
  next(now: number, except: readonly string[], unacknowledged: boolean): StoredOperation | undefined
  related(to: { paymentId?: string | undefined; orderId?: string | undefined }): StoredOperation[]
  list(filter: ListFilter): StoredOperation[]
  countOpen(): OpenCounts
  migrate(): void
  prune(now: number): number
  /** Throws an error if `transaction` does not belong to this database. */
  checkTransaction(transaction: unknown): void
}

/**
 * Returns whether the owner of the previous claim may have sent a request. After `resendFor` has passed, a
 * `payments.create` is only looked up, and no longer sent.
 */
function mayHaveSent({ operation, firstSentAt = 0, resendFor, lastClaimedAt }: StoredOperation): boolean {
  return operation !== 'payments.create' || lastClaimedAt <= firstSentAt + resendFor
}

/** Creates a journal whose rows are in the memory of this process or in SQLite. */
export function tableJournal(table: Table): JournalStore {
  /**
   * Claims an operation, and marks it as in flight if it is open.
   *
   * @param stored The row in the table, if the operation is not new.
   */
  function claim(row: StoredOperation, stored: StoredOperation | undefined, owner: string, now: number): Begun {
    const { resource } = row
    const held = table.findClaim(resource)
    if (held?.owner !== undefined && held.owner !== owner && held.expiresAt > now) return { row, isClaimed: false, now }
    // If the previous owner crashed, its request may have changed the payment, so `known` may be out of date.
    const known = held?.owner === undefined ? held?.known : undefined
    // The start time is always later than the end time of the payment's previous operation, so that the times show the
    // order of the operations.
    const sentAt = Math.max(now, held?.owner === undefined ? (held?.expiresAt ?? 0) + 1 : 0)
    table.putClaim(resource, { owner, expiresAt: sentAt + claimTtlMs, known })
    const claimed = { ...row, lastClaimedAt: sentAt }
    if (!isOpenState(row.state)) {
      table.put(claimed, stored)
      return { row, isClaimed: true, known, now }
    }
    // A capture or refund is sent only after `before` is stored. If `before` is absent, no request was sent.
    const isUnsent = comparedOperations.includes(row.operation) && row.before === undefined && row.state !== 'unknown'
    const isAmbiguous = row.state === 'unknown' || (row.inFlight && !isUnsent)
    const begun: StoredOperation = {
      ...claimed,
      state: isAmbiguous ? 'unknown' : 'sent',
      inFlight: true,
      attempts: isUnsent ? 1 : row.attempts + 1,
      firstSentAt: isUnsent ? sentAt : (row.firstSentAt ?? sentAt),
      lastSentAt: row.inFlight && mayHaveSent(row) ? sentAt - crashedBeforeMs : row.lastSentAt,
      before: row.before ?? (isAmbiguous ? undefined : known),
    }
    table.put(begun, stored)
    return { row: begun, isClaimed: true, known, now }
  }

  const claimStored = (row: StoredOperation | undefined, owner: string, now: number) =>
    row && claim(row, row, owner, now)

  const planned = (row: NewOperation, now: number): StoredOperation => ({
    ...row,
    state: 'planned',
    inFlight: false,
    createdAt: now,
    attempts: 0,
    lastClaimedAt: 0,
  })

  /** Returns the claim on a resource if it belongs to `owner`. */
  const heldBy = (owner: string, resource: string): Claim | undefined => {
    const held = table.findClaim(resource)
    return held?.owner === owner ? held : undefined
  }

  /** Returns the end time of an operation, which is never earlier than its start time. */
  const endOf = ({ expiresAt }: Claim, now: number): number => Math.max(now, expiresAt - claimTtlMs)

  const planSync = (transaction: unknown, row: NewOperation): string => {
    table.checkTransaction(transaction)
    const found = table.find(row.key)
    if (found === undefined) table.put(planned(row, table.now()))
    return found?.fingerprint ?? row.fingerprint
  }

  return {
    name: table.name,
    isSynchronous: table.isSynchronous,
    plan: async (transaction, row) => planSync(transaction, row),
    planSync,
    async begin(row, owner) {
      return table.transaction((now) => {
        const found = table.find(row.key)
        const isUsable = found === undefined || (found.fingerprint === row.fingerprint && isOpenState(found.state))
        if (!isUsable) return { row: found, isClaimed: false, now }
        return claim(found ?? planned(row, now), found, owner, now)
      })
    },
    async resume(key, owner) {
      return table.transaction((now) => claimStored(table.find(key), owner, now))
    },
    async next(owner, except, unacknowledged) {
      return table.transaction((now) => claimStored(table.next(now, except, unacknowledged), owner, now))
    },
    async renew(resource, owner) {
      return table.transaction((now) => {
        const held = heldBy(owner, resource)
        if (held) table.putClaim(resource, { ...held, expiresAt: now + claimTtlMs })
        return held !== undefined
      })
    },
    async note(key, before) {
      table.transaction(() => {
        const row = table.find(key)
        if (row) table.put({ ...row, before }, row)
      })
    },
    async finish({ key, resource }, owner, { row: changes, isSent, known, onSettled }) {
      const compute = (now: number) => {
        const held = heldBy(owner, resource)
        const stored = held && table.find(key)
        if (stored === undefined) return undefined
        const endedAt = endOf(held as Claim, now)
        const lastSentAt = isSent ? now : stored.lastSentAt
        const finishedAt = isOpenState(changes.state) ? undefined : (stored.finishedAt ?? endedAt)
        const row: StoredOperation = { ...stored, ...changes, inFlight: false, lastSentAt, finishedAt }
        return { row, stored, endedAt, known: isSent ? known : (known ?? held?.known) }
      }
      return table.settle(compute, onSettled, ({ row, stored, endedAt, known }, now) => {
        const settled = onSettled ? { ...row, acknowledgedAt: now } : row
        table.put(settled, stored)
        table.putClaim(resource, { expiresAt: endedAt, known })
        const payment = `payment:${row.paymentId}`
        if (row.paymentId !== undefined && payment !== resource && table.findClaim(payment) === undefined) {
          table.putClaim(payment, { expiresAt: now, known })
        }
        return settled
      })
    },
    async release(resource, owner) {
      table.transaction((now) => {
        const held = heldBy(owner, resource)
        if (held) table.putClaim(resource, { expiresAt: endOf(held, now), known: held.known })
      })
    },
    related: async (to) => table.related(to),
    get: async (key) => table.find(key),
    list: async (filter) => table.list(filter),
    countOpen: async () => table.countOpen(),
    migrate: async () => table.migrate(),
    prune: async () => table.transaction((now) => table.prune(now)),
  }
}
