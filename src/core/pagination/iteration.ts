import { PaymentsError } from '../errors.js'
import { iterationEnded } from '../internal/deadline.js'
import { isAbortSignal, ownSignal } from '../internal/foreign.js'
import { CycleGuard } from './cycle-guard.js'
import { flatMap } from './items.js'
import { Page, type PageSource, type Position } from './page.js'

/** A position in a list: the start of a page, and how many of its items were already read. */
export interface Checkpoint {
  position: Position
  delivered: number
}

/** The state of one iteration over a list. */
export interface Iteration {
  /** The position after the last item or page that was returned. */
  readonly checkpoint: Checkpoint
  readonly stopped: AbortController
  /** The stack trace of the code that iterates. Node formats it only if the iteration fails. */
  readonly caller: { readonly stack?: string }
}

export function startIteration(start: Checkpoint): Iteration {
  const caller: { readonly stack?: string } = {}
  Error.captureStackTrace?.(caller, startIteration)
  return { checkpoint: { ...start }, stopped: new AbortController(), caller }
}

/**
 * Makes `return()` abort the request for which a pending `next()` waits. The `return()` of a generator would wait for
 * the response.
 */
export function endAtReturn<T>(
  generator: AsyncGenerator<T, void, undefined>,
  { stopped }: Iteration,
): AsyncGenerator<T, void, undefined> {
  const end = generator.return
  return Object.assign(generator, {
    return(): Promise<IteratorResult<T, void>> {
      stopped.abort(iterationEnded)
      return end.call(generator, undefined)
    },
  })
}

/** A base class with the runtime's helpers for async iterators, such as `drop`. Async generators inherit them too. */
const WithHelpers = /* @__PURE__ */ (() => {
  const Base = function Base() {}
  Base.prototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype))
  return Base as unknown as new () => object
})()

/** Reads at most `limit` items. This is a class, because an async generator would need several promises per item. */
export class ItemIterator<Item> extends WithHelpers implements AsyncIterableIterator<Item, void, undefined> {
  readonly #iteration: Iteration
  readonly #pages: AsyncGenerator<Page<Item>, void, undefined>
  #page: Page<Item> | undefined
  #remaining: number
  /**
   * The `next()` call that waits for a page. Later `next()` calls wait for this call, so that they return the items in
   * order.
   */
  #waiting: Promise<unknown> | undefined

  constructor(source: PageSource<Item>, iteration: Iteration, limit: number) {
    super()
    this.#iteration = iteration
    this.#pages = readPages(source, iteration, limit)
    this.#remaining = limit
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Item, void>> {
    if (this.#waiting === undefined && this.#hasItem) return Promise.resolve(this.#take())
    const result = this.#takeFromNextPage(this.#waiting)
    this.#waiting = result
    const end = () => {
      if (this.#waiting === result) this.#waiting = undefined
    }
    result.then(end, end)
    return result
  }

  /** Also aborts the request that a pending `next()` waits for. */
  async return(): Promise<IteratorResult<Item, void>> {
    this.#remaining = 0
    this.#iteration.stopped.abort(iterationEnded)
    await this.#pages.return()
    return { done: true, value: undefined }
  }

  get #hasItem(): boolean {
    const { delivered } = this.#iteration.checkpoint
    return this.#remaining > 0 && this.#page !== undefined && delivered < this.#page.data.length
  }

  #take(): IteratorResult<Item, void> {
    this.#remaining--
    return { done: false, value: this.#page?.data[this.#iteration.checkpoint.delivered++] as Item }
  }

  async #takeFromNextPage(earlier: Promise<unknown> | undefined): Promise<IteratorResult<Item, void>> {
    await earlier?.catch(() => {})
    while (this.#remaining > 0 && !this.#hasItem) {
      const { done, value: page } = await this.#pages.next()
      if (done) this.#remaining = 0
      else this.#page = page
    }
    return this.#hasItem ? this.#take() : this.return()
  }
}

/** Reads whole pages. Skips the first page if all of its items were returned before the checkpoint. */
export function readWholePages<Item>(source: PageSource<Item>, iteration: Iteration) {
  const { checkpoint } = iteration
  return flatMap(readPages(source, iteration), Number.POSITIVE_INFINITY, (page) => {
    if (checkpoint.delivered > 0 && checkpoint.delivered >= page.data.length) return []
    checkpoint.delivered = page.data.length
    return [page]
  })
}

/** Reads pages from the checkpoint onwards. Requests the next page before it returns the current page. */
async function* readPages<Item>(
  source: PageSource<Item>,
  { checkpoint, stopped, caller }: Iteration,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Page<Item>, void, undefined> {
  // All page requests share one signal. A separate signal per page, derived from the caller's signal, would stay in
  // memory as long as that signal.
  const signal = isAbortSignal(source.signal)
    ? AbortSignal.any([ownSignal(source.signal), stopped.signal])
    : stopped.signal
  const guard = new CycleGuard(source.operation, checkpoint.position)
  let { position, delivered } = checkpoint
  let wanted = delivered + limit
  try {
    let request = source.fetch(position, signal)
    while (true) {
      const fetched = await request
      const { items, next } = fetched
      const problem = guard.check(position, fetched)
      wanted -= items.length
      const isLast = next === undefined || wanted <= 0
      if (!isLast && problem === undefined) {
        request = source.fetch(next, signal)
        // Prevents an unhandled rejection. The error is thrown when the reader reaches this page.
        request.catch(() => {})
        await nextTurn()
      }
      Object.assign(checkpoint, { position, delivered })
      yield new Page(source, fetched, { position })
      if (isLast) return
      if (problem !== undefined) throw problem
      position = next
      delivered = 0
    }
  } catch (error) {
    // The error is expected, because the reader called `return()` and thereby aborted the request.
    if (stopped.signal.aborted) return
    if (error instanceof PaymentsError) {
      const frames = caller.stack?.split('\n').filter((line) => line.startsWith(' ')) ?? []
      error.stack = [error.stack, ...frames].join('\n')
    }
    throw error
  }
}

/** Captured at import, because fake timers in tests may replace the global function. */
const { setImmediate } = globalThis

/** Waits until the request is sent, because the consumer's code may then block the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => (setImmediate ? setImmediate(resolve) : resolve()))
