import { PaymentsError } from '../errors.js'
import { iterationEnded } from '../internal/deadline.js'
import { isAbortSignal, ownSignal } from '../internal/foreign.js'
import { CycleGuard } from './cycle-guard.js'
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
 * Makes `return()` abort the request that a pending `next()` waits for. A generator's own `return()` would wait for the
 * response.
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

/** Reads at most `limit` items. */
export async function* readItems<Item>(
  source: PageSource<Item>,
  iteration: Iteration,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item, void, undefined> {
  const { checkpoint } = iteration
  let remaining = limit
  if (remaining === 0) return
  for await (const { data } of readPages(source, iteration, limit)) {
    while (checkpoint.delivered < data.length) {
      yield data[checkpoint.delivered++] as Item
      if (--remaining === 0) return
    }
  }
}

/** Reads whole pages. Skips the first page if all of its items were returned before the checkpoint. */
export async function* readWholePages<Item>(
  source: PageSource<Item>,
  iteration: Iteration,
): AsyncGenerator<Page<Item>, void, undefined> {
  const { checkpoint } = iteration
  for await (const page of readPages(source, iteration)) {
    if (checkpoint.delivered > 0 && checkpoint.delivered >= page.data.length) continue
    checkpoint.delivered = page.data.length
    yield page
  }
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
    // Ignores the error, because the reader aborted the request by calling `return()`.
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

/** Waits until the request is sent, because the consumer's code may block the event loop afterwards. */
const nextTurn = (): Promise<void> => new Promise((resolve) => (setImmediate ? setImmediate(resolve) : resolve()))
