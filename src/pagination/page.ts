import type { Answer } from '../call.js'
import type { FetchSlice, Slice } from './slice.js'
import { repeats } from './trail.js'

type GoTo<Item> = (to: 'next' | 'previous') => Promise<Page<Item>> | undefined

/** The pages that were turned to reach a page. */
export interface Way {
  readonly position: unknown
  readonly before?: Way | undefined
}

/** One page of a list. */
export class Page<Item> {
  readonly data: Item[]
  /** Whether there is a further page. */
  readonly hasNextPage: boolean
  /** How many items there are in all, where the service says. */
  declare readonly total?: number
  /** Where the next page starts, on lists with cursors: pass it as `cursor`. */
  declare readonly nextCursor?: string
  /** Where the previous page starts, on lists with cursors: pass it as `cursor`. */
  declare readonly prevCursor?: string
  readonly #goTo: GoTo<Item>

  /** @internal */
  constructor(slice: Slice<Item, unknown>, goTo: GoTo<Item>) {
    this.data = slice.items
    if (slice.total !== undefined) this.total = slice.total
    if (typeof slice.next === 'string') this.nextCursor = slice.next
    if (typeof slice.previous === 'string') this.prevCursor = slice.previous
    this.hasNextPage = slice.next !== undefined
    this.#goTo = goTo
  }

  /**
   * The next page, or `undefined` after the last.
   *
   * @throws {PaginationError} The cursor was there before on the way to this page, so there would be no end.
   */
  async nextPage(): Promise<Page<Item> | undefined> {
    return this.#goTo('next')
  }

  /** The page before this one, or `undefined` before the first. */
  async previousPage(): Promise<Page<Item> | undefined> {
    return this.#goTo('previous')
  }
}

/** Fetch the page to which a way leads. */
export async function fetchPage<Item>(fetch: FetchSlice<Item, unknown>, way: Way): Promise<Answer<Page<Item>>> {
  const slice = await fetch(way.position)
  return { data: pageOf(fetch, slice, way), response: slice.response }
}

/** A page that has come, with the way on from it. */
export function pageOf<Item>(fetch: FetchSlice<Item, unknown>, slice: Slice<Item, unknown>, way: Way): Page<Item> {
  return new Page(slice, (to) => {
    const position = slice[to]
    if (position === undefined) return undefined
    if (to === 'previous') return fetchPage(fetch, { position }).then(({ data }) => data)
    if (leadsBack(way, position)) return Promise.reject(repeats(position as string))
    return fetchPage(fetch, { position, before: way }).then(({ data }) => data)
  })
}

/** Whether a cursor was passed on the way already. */
function leadsBack(way: Way, cursor: unknown): boolean {
  for (let passed: Way | undefined = way; passed !== undefined; passed = passed.before) {
    if (typeof cursor === 'string' && passed.position === cursor) return true
  }
  return false
}
