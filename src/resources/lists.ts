import type { Operation } from '../contract/operation.js'
import type { Shape } from '../contract/version.js'
import { PaginationError } from '../errors.js'
import type { RequestOptions } from '../options.js'
import { type PagedList, pagedList } from '../pagination/paged-list.js'
import type { Transport } from '../transport/transport.js'

/** An operation that answers with a page, the same in every version. */
type Listing<Params, Page> = Operation<string, Params, Record<Shape, unknown>, Record<Shape, Page>>

interface CursorPage<Item> {
  data: Item[]
  nextCursor?: string
  prevCursor?: string
}

/** A list whose pages name their neighbours. */
export function cursorList<Item, Params extends { cursor?: string }>(
  transport: Transport,
  operation: Listing<Params, CursorPage<Item>>,
  params: Params | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  return pagedList<Item, string>(async (cursor, signal) => {
    const query = cursor === undefined ? params : { ...(params as Params), cursor }
    const { data: page, response } = await transport.send(operation, { query }, either(options, signal)).withResponse()
    return {
      items: rows(page.data),
      next: page.nextCursor || undefined,
      previous: page.prevCursor || undefined,
      response,
    }
  }, params?.cursor)
}

interface OffsetPage<Item> {
  items: Item[]
  total?: number
  limit?: number
  offset?: number
}

/** A list whose pages are counted off. */
export function offsetList<Item, Params extends { limit?: number; offset?: number }>(
  transport: Transport,
  operation: Listing<Params, OffsetPage<Item>>,
  params: Params | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  return pagedList<Item, number>(async (position, signal) => {
    const query = position === undefined ? params : { ...(params as Params), offset: position }
    const { data: page, response } = await transport.send(operation, { query }, either(options, signal)).withResponse()
    const items = rows(page.items)
    const offset = position ?? 0
    const end = offset + items.length
    const limit = page.limit ?? params?.limit ?? items.length
    return {
      items,
      response,
      total: page.total,
      next: items.length > 0 && end < (page.total ?? Number.POSITIVE_INFINITY) ? end : undefined,
      // The first page only claims a total; the second one shows that the service counts as it says.
      following: position === params?.offset ? [] : startsAfter(end, items.length, page.total ?? end),
      previous: offset > 0 && limit > 0 ? Math.max(0, offset - limit) : undefined,
    }
  }, params?.offset)
}

/** How many pages are fetched at the same time, where it is known where they start. */
const pagesAtOnce = 4

/** Where the pages after the one at `offset` start, if all are as long as the one before. */
function startsAfter(offset: number, length: number, total: number): number[] {
  const starts = Array.from({ length: pagesAtOnce - 1 }, (_, index) => offset + (index + 1) * length)
  return starts.filter((start) => start > offset && start < total)
}

/** With validation off anything may have come, but a page without rows must not look like the end of the list. */
function rows<Item>(items: Item[]): Item[] {
  if (Array.isArray(items)) return items
  throw new PaginationError('The answer has no list of items', undefined)
}

/** The caller's options, with a signal that ends when either the caller or the list gives up. */
function either(options: RequestOptions | undefined, abandoned: AbortSignal | undefined): RequestOptions | undefined {
  if (abandoned === undefined) return options
  const { signal: caller } = { ...options }
  if (caller === undefined) return { ...options, signal: abandoned }
  // Anything that is no signal stays as it is, to be refused like every other wrong option.
  return { ...options, signal: caller instanceof AbortSignal ? AbortSignal.any([caller, abandoned]) : caller }
}
