import { PaginationError } from '../errors.js'
import { type FetchedPage, type Position, repeatedPage } from './page.js'

/** A list with this many consecutive empty pages is assumed to be endless. */
const maxEmptyPages = 100

/** Detects lists that never end. */
export class CycleGuard {
  readonly #operation: string
  readonly #positions: Set<Position>
  #emptyPages = 0
  #previousItems: string | undefined

  constructor(operation: string, start: Position) {
    this.#operation = operation
    this.#positions = new Set([start])
  }

  /**
   * Checks a page. Returns undefined if the list may continue. Otherwise, returns the error to throw if the next page
   * is requested.
   *
   * @throws {PaginationError} The service ignores the offset: it returned the same items for two offsets.
   */
  check(position: Position, { items, next }: FetchedPage<unknown>): PaginationError | undefined {
    if (typeof (next ?? position) === 'number') {
      const flatItems = JSON.stringify(items.map(flatFields))
      if (flatItems === this.#previousItems) throw repeatedPage(this.#operation, next)
      this.#previousItems = flatItems
    }
    this.#emptyPages = items.length === 0 ? this.#emptyPages + 1 : 0
    if (this.#positions.has(next)) return repeatedPage(this.#operation, next)
    this.#positions.add(next)
    if (this.#emptyPages < maxEmptyPages) return undefined
    const cursor = typeof next === 'string' ? next : undefined
    return new PaginationError(`${maxEmptyPages} pages in a row were empty`, { operation: this.#operation, cursor })
  }
}

/** Returns an item's fields without nested values, because these may be too deep for `JSON.stringify`. */
function flatFields(item: unknown): unknown[] {
  return Object.entries(Object(item)).filter(([, value]) => typeof value !== 'object')
}
