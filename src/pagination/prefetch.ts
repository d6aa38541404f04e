import { PaginationError, PaymentsError } from '../errors.js'
import { iterationEnded } from '../internal/deadline.js'
import { type FetchedPage, Page, type PageSource, type Position, repeatedPage } from './page.js'

/** A list with this many empty pages in a row is assumed to be endless. */
const maxEmptyPages = 100

/** A position in a list: the start of a page, and how many of its items were already read. */
export interface Checkpoint {
  readonly position: Position
  readonly delivered: number
}

export interface PageAtCheckpoint<Item> {
  readonly page: Page<Item>
  readonly checkpoint: Checkpoint
}

interface Iteration {
  readonly limit?: number
  readonly stopped?: AbortController
  /** The stack trace of the code that iterates. */
  readonly caller: { readonly stack?: string }
}

/** Reads pages from a checkpoint onwards, and requests later pages in advance. */
export async function* readPages<Item>(
  source: PageSource<Item>,
  start: Checkpoint,
  { limit = Number.POSITIVE_INFINITY, stopped = new AbortController(), caller }: Iteration,
): AsyncGenerator<PageAtCheckpoint<Item>, void, undefined> {
  const { operation, signal: callerSignal } = source
  // All pages share one signal, because each signal derived from the caller's stays in memory as long as the caller's.
  const signal = callerSignal instanceof AbortSignal ? AbortSignal.any([callerSignal, stopped.signal]) : stopped.signal
  const requested = new Map<Position, Promise<FetchedPage<Item>>>()
  const cursors = new Set([start.position])
  let checkpoint = start
  let wanted = start.delivered + limit
  let emptyPages = 0
  let previousItems: string | undefined
  try {
    while (true) {
      const { position } = checkpoint
      const fetched = await (requested.get(position) ?? source.fetch(position, signal))
      requested.delete(position)
      const { items, next, following = [] } = fetched
      const cursor = typeof next === 'string' ? next : undefined
      if (cursor === undefined) {
        // Detects a service that ignores the offset and returns the same items for every page.
        const flatItems = JSON.stringify(items.map(flatFields))
        if (flatItems === previousItems) throw repeatedPage(operation)
        previousItems = flatItems
      }
      wanted -= items.length
      emptyPages = items.length === 0 ? emptyPages + 1 : 0
      const repeats = cursor !== undefined && cursors.has(cursor)
      const more = next !== undefined && wanted > 0
      // If the next page was not requested in advance, the list has changed, so the requested pages are discarded.
      if (!requested.has(next)) requested.clear()
      if (more && !repeats && emptyPages < maxEmptyPages) {
        for (const start of [next, ...following].slice(0, Math.ceil(wanted / Math.max(1, items.length)))) {
          if (requested.has(start)) continue
          const page = source.fetch(start, signal)
          // Prevents an unhandled rejection. The error is thrown when the reader reaches this page.
          page.catch(() => {})
          requested.set(start, page)
        }
        await nextTurn()
      }
      yield { page: new Page(source, fetched, { position }), checkpoint }
      if (!more) return
      if (repeats) throw repeatedPage(operation, cursor)
      if (emptyPages >= maxEmptyPages) {
        throw new PaginationError(`${maxEmptyPages} pages in a row were empty`, { operation, cursor })
      }
      cursors.add(cursor)
      checkpoint = { position: next, delivered: 0 }
    }
  } catch (error) {
    if (error instanceof PaymentsError) {
      const frames = caller.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
      error.stack = [error.stack, ...frames].join('\n')
    }
    throw error
  } finally {
    stopped.abort(iterationEnded)
  }
}

/** Captures the stack trace of the caller. Node formats it only if the iteration fails. */
export function captureCaller(): { readonly stack?: string } {
  const caller: { readonly stack?: string } = {}
  Error.captureStackTrace?.(caller, captureCaller)
  return caller
}

/** Captured at import, because fake timers in tests may replace the global function. */
const { setImmediate } = globalThis

/** Waits until the requests are sent, because the consumer's code may block the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => (setImmediate ? setImmediate(resolve) : resolve()))

/** Returns an item's fields without nested values, because these may be too deep for `JSON.stringify`. */
function flatFields(item: unknown): unknown[] {
  return Object.entries(Object(item)).filter(([, value]) => typeof value !== 'object')
}
