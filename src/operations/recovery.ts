import { type Runtime, Stopwatch } from '../core/internal/runtime.js'
import { type Claimed, otherService, tryClaim } from './claim.js'
import { storing } from './errors.js'
import { DamagedRecord, type JournalStore } from './journal.js'
import { isOpenState, type StoredOperation } from './record.js'

/** The result of `operations.recover`: how many operations it finished, could not finish, or marked for review. */
export interface RecoveryReport {
  /** Number of operations whose result is now known, or was passed to `onSettled`. */
  readonly finished: number
  /**
   * Number of operations that this call could not finish, including those that have to wait until the service accepts
   * requests again. Does not count operations that another process has claimed, or operations beyond `limit`.
   */
  readonly open: number
  /** Number of operations that now need a review. */
  readonly needsReview: number
}

interface RecoveryOptions {
  readonly store: JournalStore
  readonly runtime: Runtime
  /** Origin and path of the client's base URL. */
  readonly baseUrl: string
  /** Executes a claimed operation as far as currently possible. Resolves to the operation's record. */
  readonly finish: (claimed: Claimed) => Promise<StoredOperation>
  readonly onDamaged: (record: DamagedRecord) => void
  readonly limit: number
  readonly concurrency: number
  /** Whether `finish` also passes each result to `onSettled`. */
  readonly acknowledges: boolean
  readonly signal: AbortSignal | undefined
}

const facts = { operation: 'operations.recover' }

/**
 * Finishes operations until no further operation can be claimed, and then waits for the running operations. Claims one
 * operation at a time, but executes several concurrently.
 */
export async function recoverAll(options: RecoveryOptions): Promise<RecoveryReport> {
  const { store, runtime, baseUrl, finish, onDamaged, limit, concurrency, acknowledges, signal } = options
  const report = { finished: 0, open: 0, needsReview: 0 }
  /** The keys of operations that are running, or that this call cannot finish. */
  const skipped = new Set<string>()
  const running = new Set<Promise<void>>()
  let claims = 0
  /** The first error that the journal threw while an operation was being finished. */
  let failure: { readonly error: unknown } | undefined

  const isFinished = ({ state, acknowledgedAt }: StoredOperation) =>
    !isOpenState(state) && (!acknowledges || acknowledgedAt !== undefined)

  async function execute(claimed: Claimed): Promise<void> {
    const row = await finish(claimed)
    if (isFinished(row)) skipped.delete(row.key)
    // Does not count an operation that another process has finished in the meantime.
    if (isFinished(claimed.row)) return
    const isReview = row.state === 'needs_review' && isOpenState(claimed.row.state)
    report[isReview ? 'needsReview' : isFinished(row) ? 'finished' : 'open'] += 1
  }

  function start(claimed: Claimed): void {
    claims += 1
    skipped.add(claimed.row.key)
    const work = execute(claimed).catch((error) => {
      failure ??= { error }
    })
    const tracked: Promise<void> = work.finally(() => running.delete(tracked))
    running.add(tracked)
  }

  /** Starts the next unfinished operation, unless another process is executing it. Returns whether there was one. */
  async function startNext(): Promise<boolean> {
    if (signal?.aborted || claims >= limit) return false
    const owner = runtime.uuid()
    const filter = { baseUrl, except: [...skipped], unacknowledged: acknowledges }
    const place = await storing(store.next(filter), facts)
    if (place?.key === undefined) return false
    const claimedFor = new Stopwatch(runtime)
    try {
      const claiming = tryClaim(store, place, { owner, baseUrl, ignoresOpenPayments: true })
      const begun = await storing(claiming, { ...facts, idempotencyKey: place.key })
      // If `isClaimed` is false, another process claimed the payment during the search. That process may release the
      // payment soon, so the search continues.
      if (begun.row && begun.isClaimed) start({ ...begun, row: begun.row, owner, claimedFor })
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      onDamaged(error)
      skipped.add(place.key)
      report.open += 1
    }
    return true
  }

  try {
    for (;;) {
      if (failure) throw failure.error
      // Operations on one payment run one after another, so when an operation ends, the next one may become claimable.
      // Therefore, a search that finds nothing is final only if no operation was running when it started.
      const isConclusive = running.size === 0
      if (running.size >= concurrency) await Promise.race(running)
      else if (!(await startNext())) {
        if (isConclusive) break
        if (running.size > 0) await Promise.race(running)
      }
    }
  } finally {
    await Promise.all(running)
  }
  const counting = store.countSkipped({ baseUrl, except: [...skipped], unacknowledged: acknowledges })
  const { waiting, foreign, firstForeign } = await storing(counting, facts)
  if (foreign > 0) throw otherService(foreign, String(firstForeign), facts)
  return { ...report, open: report.open + waiting }
}
