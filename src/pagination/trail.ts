import { PaginationError } from '../errors.js'
import type { Slice } from './slice.js'

/** How many empty pages in a row are believed. */
const mostEmptyPages = 100

/** Where an iteration has been, to notice when it does not come to an end. */
export class Trail {
  /** How many items have come. */
  length = 0
  readonly #visited = new Set<string>()
  #emptyPages = 0
  #previous: string | undefined

  visit(position: unknown): void {
    if (typeof position === 'string') this.#visited.add(position)
  }

  /** Note a page. Returns what is wrong when going on would lead nowhere. */
  follow({ items, next }: Slice<unknown, unknown>): PaginationError | undefined {
    this.length += items.length
    this.#emptyPages = items.length === 0 ? this.#emptyPages + 1 : 0
    if (next === undefined) return undefined
    const cursor = typeof next === 'string' ? next : undefined
    if (cursor !== undefined && this.#visited.has(cursor)) return repeats(cursor)
    if (this.#emptyPages >= mostEmptyPages) {
      return new PaginationError(`${mostEmptyPages} pages in a row were empty`, cursor)
    }
    this.visit(next)
    return undefined
  }

  /**
   * Without cursors, a service that does not move on shows by sending the same page again. Throws before anybody takes its
   * items for new ones.
   */
  refuseSamePage({ items, next }: Slice<unknown, unknown>): void {
    if (typeof next === 'string') return
    const page = JSON.stringify(items.map(plainFields))
    if (page === this.#previous) throw repeats(undefined)
    this.#previous = page
  }
}

/** What tells one item from another, without what may be nested in it. */
function plainFields(item: unknown): unknown[] {
  return Object.entries(Object(item)).filter(([, value]) => typeof value !== 'object')
}

export function repeats(cursor: string | undefined): PaginationError {
  return new PaginationError('The list repeats itself, so it would never end', cursor)
}
