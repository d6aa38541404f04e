import type { AnyOperation } from '../contract/operation.js'
import type { RequestOptions } from '../options.js'
import { PagedList } from '../pagination.js'
import type { Transport } from '../transport/transport.js'

interface CursorPage<Item> {
  data: Item[]
  nextCursor?: string
  prevCursor?: string
}

/** A list whose pages name their neighbours. */
export function cursorList<Item>(
  transport: Transport,
  operation: AnyOperation,
  params: { cursor?: string } | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  return PagedList.of<Item, string>(async (cursor, signal) => {
    const query = cursor === undefined ? params : { ...params, cursor }
    const page = await transport.send<CursorPage<Item>>(operation, { query }, either(options, signal))
    return { items: page.data, next: page.nextCursor || undefined, previous: page.prevCursor || undefined }
  }, params?.cursor)
}

interface OffsetPage<Item> {
  items: Item[]
  total?: number
  limit?: number
  offset?: number
}

/** A list whose pages are counted off. */
export function offsetList<Item>(
  transport: Transport,
  operation: AnyOperation,
  params: { limit?: number; offset?: number } | undefined,
  options: RequestOptions | undefined,
): PagedList<Item> {
  return PagedList.of<Item, number>(async (position, signal) => {
    const query = position === undefined ? params : { ...params, offset: position }
    const page = await transport.send<OffsetPage<Item>>(operation, { query }, either(options, signal))
    const offset = position ?? 0
    return {
      items: page.items,
      total: page.total,
      next: nextOffset(page, offset),
      previous: previousOffset(page, offset),
    }
  }, params?.offset)
}

function nextOffset(
  { items, total = Number.POSITIVE_INFINITY }: OffsetPage<unknown>,
  offset: number,
): number | undefined {
  const next = offset + items.length
  return items.length > 0 && next < total ? next : undefined
}

function previousOffset({ items, limit = items.length }: OffsetPage<unknown>, offset: number): number | undefined {
  return offset > 0 && limit > 0 ? Math.max(0, offset - limit) : undefined
}

/** The caller's options, with a signal that ends when either the caller or the list gives up. */
function either(options: RequestOptions | undefined, abandoned: AbortSignal): RequestOptions {
  return { ...options, signal: options?.signal ? AbortSignal.any([options.signal, abandoned]) : abandoned }
}
