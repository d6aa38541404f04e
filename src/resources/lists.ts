import type { Operation } from '../contract/operation.js'
import type { Shape } from '../contract/version.js'
import { PaginationError } from '../errors.js'
import type { Issue } from '../internal/issues.js'
import { copyPlainData } from '../internal/plain-data.js'
import type { RequestOptions } from '../options.js'
import type { PageSource, Position } from '../pagination/page.js'
import { type PagedList, pagedList } from '../pagination/paged-list.js'
import type { Transport } from '../transport/transport.js'

type ListOperation<Params, Page> = Operation<string, Params, Record<Shape, unknown>, Record<Shape, Page>>

interface CursorPage<Item> {
  data: Item[]
  nextCursor?: string
  prevCursor?: string
}

interface OffsetPage<Item> {
  items: Item[]
  total?: number
  limit?: number
  offset?: number
}

export function cursorList<Item, Params extends { cursor?: string }>(
  transport: Transport,
  operation: ListOperation<Params, CursorPage<Item>>,
  given: Params | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  const params = copyParams(given)
  const request = requester(transport, operation, params, options)
  const source: PageSource<Item> = {
    operation: operation.name,
    signal: options?.signal,
    async fetch(cursor, signal) {
      const { data: page, response } = await request({ cursor }, signal)
      return {
        items: itemsOf(operation.name, page.data, cursor as string | undefined),
        next: page.nextCursor || undefined,
        previous: page.prevCursor || undefined,
        response,
      }
    },
  }
  return pagedList(source, params?.cursor)
}

export function offsetList<Item, Params extends { limit?: number; offset?: number }>(
  transport: Transport,
  operation: ListOperation<Params, OffsetPage<Item>>,
  given: Params | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  const params = copyParams(given)
  const request = requester(transport, operation, params, options)
  const source: PageSource<Item> = {
    operation: operation.name,
    signal: options?.signal,
    async fetch(position, signal) {
      const { data: page, response } = await request({ offset: position }, signal)
      const items = itemsOf(operation.name, page.items)
      const offset = Number(position ?? 0)
      const end = offset + items.length
      const limit = page.limit ?? params?.limit ?? items.length
      return {
        items,
        response,
        total: page.total,
        next: items.length > 0 && end < (page.total ?? Number.POSITIVE_INFINITY) ? end : undefined,
        // Requests only one page in advance at first. The total may be wrong, and only the second page shows that the
        // service applies the offset.
        following: position === params?.offset ? [] : startsAfter(end, items.length, page.total ?? end),
        previous: offset > 0 && limit > 0 ? Math.max(0, offset - limit) : undefined,
      }
    },
  }
  return pagedList(source, params?.offset)
}

/**
 * Copies the parameters, because the caller may change them before the last page is requested. Returns invalid
 * parameters unchanged, because the first request rejects them.
 */
function copyParams<Params>(given: Params): Params {
  const issues: Issue[] = []
  const copy = copyPlainData(given, issues, { dates: true }) as Params
  return issues.length > 0 ? given : copy
}

function requester<Params, Page>(
  transport: Transport,
  operation: ListOperation<Params, Page>,
  params: Params | undefined,
  options: RequestOptions | undefined,
) {
  const query = params as (object & Params) | undefined
  return (position: Record<string, Position>, signal: AbortSignal | undefined) => {
    const [start] = Object.values(position)
    const page = { query: start === undefined ? undefined : position, signal }
    return transport.send(operation, { query, page }, options).withResponse()
  }
}

const maxConcurrentPages = 4

/** Returns the offsets of the pages after the page at `offset`. Assumes that all pages have the same length. */
function startsAfter(offset: number, length: number, total: number): number[] {
  const starts = Array.from({ length: maxConcurrentPages - 1 }, (_, index) => offset + (index + 1) * length)
  return starts.filter((start) => start > offset && start < total)
}

/**
 * Throws if the page has no array of items. With response validation off, such a page would look like the end of the
 * list.
 */
function itemsOf<Item>(operation: string, items: Item[], cursor?: string): Item[] {
  if (Array.isArray(items)) return items
  throw new PaginationError('the response has no array of items', { operation, cursor })
}
