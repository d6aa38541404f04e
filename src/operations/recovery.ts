import { type Runtime, Stopwatch } from '../core/internal/runtime.js'
import { type Claimed, otherService, tryClaim } from './claim.js'
import { storing } from './errors.js'
import { DamagedRecord, type Engine } from './journal.js'
import { isOpenState, type StoredOperation } from './record.js'

/** The result of `operations.recover`: how many operations it finished, could not finish, or marked for review. */
export interface RecoveryReport {
  /** Number of operations whose result is now known, or was passed to `onSettled`. */
  readonly finished: number
  /**
   * Number of operations that this call could not finish, including those that have to wait until the service accepts
   * requests again. Does not count operations that another process has claimed, and operations beyond `limit`.
   */
  readonly open: number
  /** Number of operations that now need a review. */
  readonly needsReview: number
}

interface RecoveryOptions {
  readonly engine: Engine
  readonly runtime: Runtime
  /** Origin and path of the client's base URL. */
  readonly baseUrl: string
  /** Executes a claimed operation as far as possible now. Resolves to the operation's record. */
  readonly finish: (claimed: Claimed) => Promise<StoredOperation>
  readonly onDamaged: (record: DamagedRecord) => void
  readonly limit: number
  readonly concurrency: number
  /** Whether `finish` also passes each result to `onSettled`. */
  readonly acknowledges: boolean
  readonly signal: AbortSignal | undefined
}

const facts = { operation: 'operations.recover' }

/** One call of `operations.recover`: claims operations one after another, and executes several at the same time. */
export class Recovery {
  readonly #options: RecoveryOptions
  readonly #report = { finished: 0, open: 0, needsReview: 0 }
  /** The keys of operations that are running, or that this call cannot finish. */
  readonly #skipped = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  #claims = 0
  /** The first error that the journal threw while an operation was being finished. */
  #failure: { readonly error: unknown } | undefined

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** Finishes operations until no further operation can be claimed, and waits for the running operations. */
  async run(): Promise<RecoveryReport> {
    try {
      for (;;) {
        if (this.#failure) throw this.#failure.error
        // Operations on one payment run one after another, so the end of an operation may allow claiming the next one.
        // Therefore, a search that finds nothing is final only if no operation was running when the search started.
        const isConclusive = this.#running.size === 0
        if (this.#running.size >= this.#options.concurrency) await Promise.race(this.#running)
        else if (!(await this.#startNext())) {
          if (isConclusive) break
          if (this.#running.size > 0) await Promise.race(this.#running)
        }
      }
    } finally {
      await Promise.all(this.#running)
    }
    return this.#complete()
  }

  /** Adds the operations that have to wait to the report. Rejects if there are operations of another service. */
  async #complete(): Promise<RecoveryReport> {
    const { engine, baseUrl } = this.#options
    const skipped = engine.countSkipped({ baseUrl, except: [...this.#skipped] })
    const { waiting, foreign, firstForeign } = await storing(skipped, facts)
    if (foreign > 0) throw otherService(foreign, String(firstForeign), facts)
    return { ...this.#report, open: this.#report.open + waiting }
  }

  /**
   * Searches for an unfinished operation, and starts it if no other process is executing it. Returns false if the
   * search found none.
   */
  async #startNext(): Promise<boolean> {
    const { engine, runtime, baseUrl, acknowledges, limit, signal } = this.#options
    if (signal?.aborted || this.#claims >= limit) return false
    const owner = runtime.uuid()
    const filter = { baseUrl, except: [...this.#skipped], unacknowledged: acknowledges }
    const place = await storing(engine.next(filter), facts)
    if (place?.key === undefined) return false
    const claimedFor = new Stopwatch(runtime)
    try {
      const claiming = tryClaim(engine, place, { owner, baseUrl, ignoresOpenPayments: true })
      const begun = await storing(claiming, { ...facts, idempotencyKey: place.key })
      // If `isClaimed` is false, another process claimed the payment during the search. It may release the payment soon,
      // so the search continues.
      if (begun.row && begun.isClaimed) this.#start({ ...begun, row: begun.row, owner, claimedFor })
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      this.#options.onDamaged(error)
      this.#skipped.add(place.key)
      this.#report.open += 1
    }
    return true
  }

  #start(claimed: Claimed): void {
    this.#claims += 1
    this.#skipped.add(claimed.row.key)
    const work = this.#options.finish(claimed).then(
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
    const isReview = state === 'needs_review' && isOpenState(before.state)
    this.#report[isReview ? 'needsReview' : isFinished ? 'finished' : 'open'] += 1
  }
}
