import type { ResponseInfo, WithResponse } from '../call.js'
import { PaginationError } from '../errors.js'

/** The start of a page: a cursor, an offset, or `undefined` for the first page. */
export type Position = string | number | undefined

export interface FetchedPage<Item> {
  readonly items: Item[]
  readonly next: Position
  readonly previous: Position
  readonly total?: number | undefined
  readonly response: ResponseInfo
}

export interface PageSource<Item> {
  /** Name of the operation in error messages, for example `payments.list`. */
  readonly operation: string
  readonly signal: AbortSignal | undefined
  /** Returns whether a value can be the start of any page except the first. */
  readonly isPosition: (value: unknown) => boolean
  readonly fetch: (position: Position, signal?: AbortSignal) => Promise<FetchedPage<Item>>
}

/** The positions of a page and of the pages before it. */
interface Route {
  readonly position: Position
  readonly from?: Route
}

/** One page of a list. */
export class Page<Item> {
  readonly data: Item[]
  /** Whether a next page exists. */
  readonly hasNextPage: boolean
  /** Total number of items on all pages, if the service reports it. */
  declare readonly total?: number
  /** Start of the next page, if the list uses cursors. Pass it as `cursor`. */
  declare readonly nextCursor?: string
  /** Start of the previous page, if the list uses cursors. Pass it as `cursor`. */
  declare readonly prevCursor?: string
  // The page stores fields instead of a closure. V8 would allocate the closure in the old generation, and everything
  // that it captures would stay in memory until the next full garbage collection.
  readonly #source: PageSource<Item>
  readonly #route: Route
  readonly #next: Position
  readonly #previous: Position

  /** @internal */
  constructor(source: PageSource<Item>, { items, total, next, previous }: FetchedPage<Item>, route: Route) {
    this.data = items
    if (total !== undefined) this.total = total
    if (typeof next === 'string') this.nextCursor = next
    if (typeof previous === 'string') this.prevCursor = previous
    this.hasNextPage = next !== undefined
    this.#source = source
    this.#route = route
    this.#next = next
    this.#previous = previous
  }

  /**
   * Fetches the next page. Resolves to `undefined` after the last page.
   *
   * @throws {PaginationError} An earlier page had the same cursor, so the list would never end.
   */
  async nextPage(): Promise<Page<Item> | undefined> {
    const position = this.#next
    if (position === undefined) return undefined
    for (let page: Route | undefined = this.#route; page !== undefined; page = page.from) {
      if (page.position === position) throw repeatedPage(this.#source.operation, position)
    }
    return (await fetchPage(this.#source, { position, from: this.#route })).data
  }

  /** Fetches the page before this one. Resolves to `undefined` before the first page. */
  async previousPage(): Promise<Page<Item> | undefined> {
    const position = this.#previous
    return position === undefined ? undefined : (await fetchPage(this.#source, { position })).data
  }
}

export async function fetchPage<Item>(source: PageSource<Item>, route: Route): Promise<WithResponse<Page<Item>>> {
  const fetched = await source.fetch(route.position)
  return { data: new Page(source, fetched, route), response: fetched.response }
}

export function repeatedPage(operation: string, position: Position): PaginationError {
  const cursor = typeof position === 'string' ? position : undefined
  return new PaginationError('the service returned a page twice, so the list would never end', { operation, cursor })
}
