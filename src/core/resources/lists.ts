import type { Operation } from '../contract/operation.js'
import type { Cart } from '../contract/version.js'
import { PaginationError } from '../errors.js'
import type { RequestOptions } from '../options.js'
import type { FetchedPage, Position } from '../pagination/page.js'
import { type PagedList, pagedList } from '../pagination/paged-list.js'
import type { Transport } from '../transport/transport.js'

interface CursorPage<Item> {
  data: Item[]
  nextCursor?: string
  prevCursor?: string
}

interface OffsetPage<Item> {
  items: Item[]
  total?: number
  limit?: number
}

type ListOperation<Params, Item> = Operation<
  string,
  Params,
  Record<Cart, unknown>,
  Record<Cart, CursorPage<Item> | OffsetPage<Item>>
>

/** Creates a list from an operation that returns pages. Checks and copies the parameters once, for all pages. */
export function listOf<Item, Params extends { cursor?: string } | { limit?: number; offset?: number }>(
  transport: Transport,
  operation: ListOperation<Params, Item>,
  params: Params | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  const checked = transport.check(operation, { query: params }, options)
  const { cursor, offset, limit }: { cursor?: string; offset?: number; limit?: number } = Object(params)
  const hasCursors = Object.hasOwn(Object(operation.query?.names), 'cursor')
  const isPosition = hasCursors ? isCursor : isOffset
  const invalid = (problem: string, position: Position) => {
    const facts = { operation: operation.name, cursor: typeof position === 'string' ? position : undefined }
    return new PaginationError(problem, facts)
  }
  const source = {
    operation: operation.name,
    signal: options?.signal,
    isPosition,
    async fetch(position: Position, signal?: AbortSignal): Promise<FetchedPage<Item>> {
      const page = { parameter: hasCursors ? 'cursor' : 'offset', position, signal }
      const { data: body, response } = await transport.send(operation, { checked, page }).withResponse()
      const fetched = hasCursors
        ? cursorPage(body as CursorPage<Item>)
        : offsetPage(body as OffsetPage<Item>, Number(position ?? 0), limit)
      // Checked even if response validation is off. Otherwise, an invalid page could look like the end of the list.
      if (!Array.isArray(fetched.items)) throw invalid('the response has no array of items', position)
      if (fetched.next !== undefined && !isPosition(fetched.next)) throw invalid('the cursor is not a string', position)
      return { ...fetched, response }
    },
  }
  return pagedList(source, hasCursors ? cursor : offset)
}

const isCursor = (value: unknown) => typeof value === 'string' && value !== ''
const isOffset = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function cursorPage<Item>({ data, nextCursor, prevCursor }: CursorPage<Item>) {
  return { items: data, next: nextCursor || undefined, previous: prevCursor || undefined }
}

/** @param requestedLimit The page size, if the response does not contain it. */
function offsetPage<Item>({ items, total, limit }: OffsetPage<Item>, offset: number, requestedLimit?: number) {
  const { length } = Object(items)
  const end = offset + length
  const previous = Math.max(0, offset - (limit ?? requestedLimit ?? length))
  return {
    items,
    total,
    next: length > 0 && end < (total ?? Number.POSITIVE_INFINITY) ? end : undefined,
    previous: previous < offset ? previous : undefined,
  }
}
