import type { Runtime } from '../core/internal/runtime.js'
import type { Claimed } from './claim.js'
import { storing } from './errors.js'
import type { JournalStore } from './journal.js'
import { isOpenState, type StoredOperation } from './record.js'

/** The result of `operations.settle`: how many operations it finished, could not finish, or marked for review. */
export interface SettleReport {
  /** Number of operations whose result is now known. */
  readonly settled: number
  /**
   * Number of operations that this call could not finish. Does not count operations that another process has claimed,
   * and operations beyond `limit`.
   */
  readonly stillOpen: number
  /** Number of operations that now need a review. */
  readonly needsReview: number
}

interface SettlementOptions {
  readonly store: JournalStore
  readonly runtime: Runtime
  /** Executes a claimed operation as far as possible now. Resolves to the operation's record. */
  readonly finish: (claimed: Claimed, owner: string) => Promise<StoredOperation>
  readonly limit: number
  readonly concurrency: number
  /** Whether `finish` also passes each result to `onSettled`. */
  readonly acknowledges: boolean
  readonly signal: AbortSignal | undefined
}

/** One call of `operations.settle`: claims operations one after another, and executes several at the same time. */
export class Settlement {
  readonly #options: SettlementOptions
  readonly #report = { settled: 0, stillOpen: 0, needsReview: 0 }
  /** The keys of operations that are running, or that this call cannot finish. */
  readonly #skipped = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  #claims = 0
  /** The first error that the journal threw while an operation was being finished. */
  #failure: { readonly error: unknown } | undefined

  constructor(options: SettlementOptions) {
    this.#options = options
  }

  /** Finishes operations until no further operation can be claimed, and waits for the running operations. */
  async run(): Promise<SettleReport> {
    try {
      for (;;) {
        if (this.#failure) throw this.#failure.error
        // Operations on one payment run one after another, so the end of an operation may allow claiming the next one.
        // Therefore, a search that finds nothing is final only if no operation was running when the search started.
        const isConclusive = this.#running.size === 0
        if (this.#running.size >= this.#options.concurrency) await Promise.race(this.#running)
        else if (!(await this.#startNext())) {
          if (isConclusive) return this.#report
          if (this.#running.size > 0) await Promise.race(this.#running)
        }
      }
    } finally {
      await Promise.all(this.#running)
    }
  }

  /**
   * Searches for an unfinished operation, and starts it if no other process is executing it. Returns false if the
   * search found none.
   */
  async #startNext(): Promise<boolean> {
    const { store, runtime, acknowledges, limit, signal } = this.#options
    if (signal?.aborted || this.#claims >= limit) return false
    const owner = runtime.uuid()
    const requestedAt = runtime.now()
    const begun = await storing(store.next(owner, [...this.#skipped], acknowledges), { operation: 'operations.settle' })
    if (begun?.row === undefined) return false
    // If `isClaimed` is false, another process claimed the payment during the search. It may release the payment soon,
    // so the search continues.
    if (begun.isClaimed) this.#start({ ...begun, row: begun.row, requestedAt }, owner)
    return true
  }

  #start(claimed: Claimed, owner: string): void {
    this.#claims += 1
    this.#skipped.add(claimed.row.key)
    const work = this.#options.finish(claimed, owner).then(
      (row) => this.#count(claimed.row, row),
      (error) => {
        this.#failure ??= { error }
      },
    )
    const tracked: Promise<void> = work.finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
  }

  #count(before: StoredOperation, { key, state, acknowledgedAt }: StoredOperation): void {
    const isFinished = !isOpenState(state) && (!this.#options.acknowledges || acknowledgedAt !== undefined)
    if (isFinished) this.#skipped.delete(key)
    if (!isOpenState(before.state)) return
    if (state === 'needs_review') this.#report.needsReview += 1
    else this.#report[isOpenState(state) ? 'stillOpen' : 'settled'] += 1
  }
}
