import { awaitQueries } from '../../core/internal/queries.js'
import { func, optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type JournalOptions, type JournalStore, journalRules, type Place } from '../../operations/journal.js'
import { isOpenState, openStates, type StoredOperation, toOpenCounts } from '../../operations/record.js'
import { toJournal } from '../../operations/recorder.js'
import { type Change, type Claim, type Held, isForeign, unfinishedStates } from '../../operations/rules.js'

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
export function createMemoryJournal(options?: MemoryJournalOptions): Journal<never> {
  const schema = optionsOf<MemoryJournalOptions>({ ...journalRules, now: func() })
  const { now = () => new Date(Date.now()), ...others } = requireOptions(options, schema)
  return toJournal(
    createStore(() => now().getTime()),
    others,
  )
}

function createStore(clock: () => number): JournalStore {
  /** The records, in the order in which they were stored. */
  const rows = new Map<string, StoredOperation>()
  const claims = new Map<string, Claim>()
  const select = (isSelected: (row: StoredOperation) => boolean) => [...rows.values()].filter(isSelected)

  const read = ({ resource, key, orderId }: Place): Held => ({
    now: clock(),
    claim: claims.get(resource),
    row: key === undefined ? undefined : rows.get(key),
    creates: select(
      (row) =>
        orderId !== undefined &&
        row.orderId === orderId &&
        row.operation === 'payments.create' &&
        row.key !== key &&
        unfinishedStates.includes(row.state),
    ),
  })

  const store = <T>({ resource }: Place, { result, row, claim, learned }: Change<T>): T => {
    if (row) rows.set(row.key, row)
    if (claim) claims.set(resource, claim)
    if (learned && !claims.has(learned.resource)) claims.set(learned.resource, learned.claim)
    return result
  }

  const isWaiting = ({ notBefore = 0 }: StoredOperation, now: number) => notBefore > now

  return {
    name: 'memory',
    async update(place, work) {
      const change = work(read(place))
      if (change.hook === undefined) return store(place, change)
      await awaitQueries(change.hook.call(undefined))
      change.hook.onEnd(false)
      // Calls `work` again, because another owner may have claimed the operation while `onSettled` ran.
      return store(place, work(read(place)))
    },
    updateIn: async (_, place, work) => store(place, work(read(place))),
    updateInSync: (_, place, work) => store(place, work(read(place))),
    async next({ baseUrl, except, unacknowledged }) {
      const now = clock()
      let first: StoredOperation | undefined
      for (const row of rows.values()) {
        const claim = claims.get(row.resource)
        const isFree = claim?.owner === undefined || claim.expiresAt <= now
        const mayContinue = isOpenState(row.state) ? !isWaiting(row, now) : unacknowledged
        const isWanted =
          mayContinue && !(unacknowledged && row.acknowledgedAt !== undefined) && !isForeign(row, baseUrl)
        const isFirst = first === undefined || row.lastClaimedAt < first.lastClaimedAt
        if (isWanted && isFirst && !except.includes(row.key) && isFree) first = row
      }
      return first
    },
    async countSkipped({ baseUrl, except, unacknowledged }) {
      const skipped = select(({ key }) => !except.includes(key))
      const isWanted = ({ state, acknowledgedAt }: StoredOperation) =>
        unacknowledged ? acknowledgedAt === undefined : isOpenState(state)
      const foreign = skipped.filter((row) => isForeign(row, baseUrl) && isWanted(row))
      const waiting = skipped.filter(
        (row) => !isForeign(row, baseUrl) && isOpenState(row.state) && isWaiting(row, clock()),
      )
      return { waiting: waiting.length, foreign: foreign.length, firstForeign: foreign[0]?.key }
    },
    find: async (key) => rows.get(key),
    list: async ({ state, paymentId, orderId, before }) =>
      select(
        (row) =>
          (state === undefined || row.state === state) &&
          (paymentId === undefined || row.id === paymentId || row.paymentId === paymentId) &&
          (orderId === undefined || row.orderId === orderId) &&
          (before === undefined || row.createdAt < before),
      ),
    countOpen: async () =>
      toOpenCounts(openStates.map((state) => [state, select((row) => row.state === state).length])),
    migrate: async () => {},
    async prune({ recordsMs, bodiesMs }) {
      const now = clock()
      let changed = 0
      for (const row of rows.values()) {
        const finishedAt = row.finishedAt ?? now
        const isOld = row.state !== 'needs_review' && finishedAt <= now - recordsMs
        const hasOldBody = row.body !== undefined && finishedAt <= now - bodiesMs
        if (isOld) rows.delete(row.key)
        else if (hasOldBody) rows.set(row.key, { ...row, body: undefined })
        if (isOld || hasOldBody) changed++
      }
      for (const [resource, { owner, expiresAt }] of claims) {
        if (owner === undefined && expiresAt <= now - recordsMs) claims.delete(resource)
      }
      return changed
    },
  }
}
