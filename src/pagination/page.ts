import type { ResponseInfo, WithResponse } from '../call.js'
import { PaginationError } from '../errors.js'

/** The start of a page: a cursor, an offset, or `undefined` for the first page. */
export type Position = string | number | undefined

export interface FetchedPage<Item> {
  readonly items: Item[]
  readonly next?: Position
  readonly previous?: Position
  /** The expected positions of the pages after `next`. These pages can be fetched at the same time as `next`. */
  readonly following?: readonly Position[]
  readonly total?: number | undefined
  readonly response: ResponseInfo
}

export interface PageSource<Item> {
  /** Name of the operation in error messages, for example `payments.list`. */
  readonly operation: string
  readonly fetch: (position: Position, signal?: AbortSignal) => Promise<FetchedPage<Item>>
  readonly signal?: AbortSignal | undefined
}

/** The position of a page and of all pages before it. Used to detect cycles. */
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
  readonly #load: (to: 'next' | 'previous') => Promise<Page<Item> | undefined>

  /** @internal */
  constructor(source: PageSource<Item>, fetched: FetchedPage<Item>, route: Route) {
    this.data = fetched.items
    if (fetched.total !== undefined) this.total = fetched.total
    if (typeof fetched.next === 'string') this.nextCursor = fetched.next
    if (typeof fetched.previous === 'string') this.prevCursor = fetched.previous
    this.hasNextPage = fetched.next !== undefined
    this.#load = async (to) => {
      const position = fetched[to]
      if (position === undefined) return undefined
      if (to === 'previous') return (await fetchPage(source, { position })).data
      if (typeof position === 'string' && includes(route, position)) throw repeatedPage(source.operation, position)
      return (await fetchPage(source, { position, from: route })).data
    }
  }

  /**
   * Fetches the next page. Resolves to `undefined` after the last page.
   *
   * @throws {PaginationError} An earlier page had the same cursor, so the list would never end.
   */
  async nextPage(): Promise<Page<Item> | undefined> {
    return this.#load('next')
  }

  /** Fetches the page before this one. Resolves to `undefined` before the first page. */
  async previousPage(): Promise<Page<Item> | undefined> {
    return this.#load('previous')
  }
}

export async function fetchPage<Item>(source: PageSource<Item>, route: Route): Promise<WithResponse<Page<Item>>> {
  const fetched = await source.fetch(route.position)
  return { data: new Page(source, fetched, route), response: fetched.response }
}

export function repeatedPage(operation: string, cursor?: string): PaginationError {
  return new PaginationError('the service returned a page twice, so the list would never end', { operation, cursor })
}

function includes(route: Route, position: Position): boolean {
  for (let visited: Route | undefined = route; visited !== undefined; visited = visited.from) {
    if (visited.position === position) return true
  }
  return false
}
