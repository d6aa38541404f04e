import type { Answer, ResponseInfo } from './call.js'
import { PaginationError, PaymentsError, RequestValidationError } from './errors.js'

/** One page as an endpoint delivers it: its items, and where the neighbouring pages start. */
export interface Slice<Item, Position> {
  readonly items: Item[]
  readonly next?: Position | undefined
  readonly previous?: Position | undefined
  /** Where the pages after `next` start, as far as this page tells: they can be fetched at the same time. */
  readonly following?: readonly Position[]
  /** How many items there are in all, where the service says. */
  readonly total?: number | undefined
  /** What is known about the answer besides its items. */
  readonly response: ResponseInfo
}

/** Fetches the page at a position, or the first one. */
export type FetchSlice<Item, Position> = (
  position: Position | undefined,
  signal: AbortSignal,
) => Promise<Slice<Item, Position>>

/** How many empty pages in a row are believed. */
const mostEmptyPages = 100

type GoTo<Item> = (to: 'next' | 'previous') => Promise<Page<Item>> | undefined

/** The pages that were turned to reach a page. */
interface Way {
  readonly position: unknown
  readonly before?: Way | undefined
}

/** One page of a list. */
export class Page<Item> {
  readonly data: Item[]
  /** Whether there is a further page. */
  readonly hasNextPage: boolean
  /** How many items there are in all, where the service says. */
  readonly total?: number
  /** Where the next page starts, on lists with cursors: pass it as `cursor`. */
  readonly nextCursor?: string
  /** Where the previous page starts, on lists with cursors: pass it as `cursor`. */
  readonly prevCursor?: string
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

/** The real one, whatever a test does to timers later. */
const { setImmediate } = globalThis

/** A turn of the event loop: a consumer that computes does not hold up what was to be sent before. */
const nextTurnOfTheLoop = (): Promise<void> =>
  new Promise((resolve) => (setImmediate ? setImmediate(resolve) : resolve()))

/**
 * A list that is fetched as it is read.
 *
 * Iterate it for every item, over all pages; await it for the first page. While one page is consumed the next is
 * already on its way (where pages are counted off, several are). Each iteration starts anew.
 */
export class PagedList<Item> implements AsyncIterable<Item>, PromiseLike<Page<Item>> {
  readonly #fetch: FetchSlice<Item, unknown>
  readonly #start: Mark
  #mark: Mark
  #first: Promise<Answer<Page<Item>>> | undefined

  /** @internal */
  constructor(fetch: FetchSlice<Item, unknown>, start: Mark) {
    this.#fetch = fetch
    this.#start = start
    this.#mark = start
  }

  /** Resolves with the first page. */
  then<A = Page<Item>, B = never>(
    onFulfilled?: ((page: Page<Item>) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as promises declare it, so that callers may name the error they expect.
    onRejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as promises declare it.
  catch<B = never>(onRejected?: ((reason: any) => B | PromiseLike<B>) | null): Promise<Page<Item> | B> {
    return this.then(undefined, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Page<Item>> {
    return this.then().finally(onFinally)
  }

  /** The first page together with status, headers and attempts. */
  withResponse(): Promise<Answer<Page<Item>>> {
    this.#first ??= this.#pageAt({ position: this.#start.position })
    return this.#first
  }

  /** Every item of every page. Leaving the loop abandons the pages that are on their way. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let skipped = this.#start.taken
    for await (const { page, position } of this.#walk(Number.POSITIVE_INFINITY)) {
      for (let index = skipped; index < page.data.length; index++) {
        this.#mark = { position, taken: index + 1 }
        yield page.data[index] as Item
      }
      skipped = 0
    }
  }

  /** Every page, the next one fetched while this one is consumed. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for await (const { page, position } of this.#walk(Number.POSITIVE_INFINITY)) {
      this.#mark = { position, taken: page.data.length }
      yield page
    }
  }

  /**
   * Where the latest iteration stands: after the item, or the page, that came last. Text to be stored, for `resumeFrom`.
   */
  checkpoint(): string {
    const { position, taken } = this.#mark
    return JSON.stringify([position ?? null, taken])
  }

  /**
   * The same list from a checkpoint on: iterated, it goes on with the item after that; its pages begin with the page that
   * item stands on. Filters and page size must be the same as before.
   *
   * @throws {RequestValidationError} The text is no checkpoint.
   */
  resumeFrom(checkpoint: string): PagedList<Item> {
    return listFrom(this.#fetch, readMark(checkpoint))
  }

  /** The first `limit` items. The limit is required, so that no list is gathered in memory by accident. */
  async toArray(options: { limit: number }): Promise<Item[]> {
    const { limit }: { limit: number } = Object(options)
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new RequestValidationError([{ path: ['limit'], message: 'must be an integer of at least 0' }])
    }
    const items: Item[] = []
    if (limit === 0) return items
    const { taken } = this.#start
    for await (const { page } of this.#walk(taken + limit)) items.push(...page.data)
    return items.slice(taken, taken + limit)
  }

  /** Page after page, until the list ends or `limit` items have come. */
  async *#walk(limit: number): AsyncGenerator<{ page: Page<Item>; position: unknown }, void, undefined> {
    const abandoned = new AbortController()
    const trail = new Trail()
    const ahead = new Ahead<Item>((position) => this.#fetch(position, abandoned.signal))
    let { position } = this.#start
    trail.visit(position)
    try {
      while (true) {
        const slice = await resumable(ahead.take(position), position)
        trail.refuseSamePage(slice)
        const problem = trail.follow(slice)
        const onwards = problem === undefined && slice.next !== undefined && trail.length < limit
        if (onwards) await ahead.send(slice, limit - trail.length)
        yield { page: this.#page(slice, { position }), position }
        if (problem !== undefined) throw problem
        if (!onwards) return
        position = slice.next
      }
    } finally {
      abandoned.abort()
    }
  }

  async #pageAt(way: Way): Promise<Answer<Page<Item>>> {
    const slice = await this.#fetch(way.position, new AbortController().signal)
    return { data: this.#page(slice, way), response: slice.response }
  }

  #page(slice: Slice<Item, unknown>, way: Way): Page<Item> {
    return new Page(slice, (to) => {
      const position = slice[to]
      if (position === undefined) return undefined
      if (to === 'previous') return this.#pageAt({ position }).then(({ data }) => data)
      if (leadsBack(way, position)) return Promise.reject(repeats(position as string))
      return this.#pageAt({ position, before: way }).then(({ data }) => data)
    })
  }
}

// Made outside the class: a bundler renames a class that names itself, and that name shows in stack traces.
function listFrom<Item>(fetch: FetchSlice<Item, unknown>, start: Mark): PagedList<Item> {
  return new PagedList(fetch, start)
}

/** A list whose pages `fetch` delivers, from `start` on. */
export function pagedList<Item, Position>(fetch: FetchSlice<Item, Position>, start?: Position): PagedList<Item> {
  return listFrom(fetch as FetchSlice<Item, unknown>, { position: start, taken: 0 })
}

/** The pages that are on their way. */
class Ahead<Item> {
  readonly #fetch: (position: unknown) => Promise<Slice<Item, unknown>>
  readonly #arriving = new Map<unknown, Promise<Slice<Item, unknown>>>()

  constructor(fetch: (position: unknown) => Promise<Slice<Item, unknown>>) {
    this.#fetch = fetch
  }

  /** Ask for the pages after this one, as far as it tells them and `wanted` items need them. */
  async send({ items, next, following = [] }: Slice<Item, unknown>, wanted: number): Promise<void> {
    const pages = [next, ...following].slice(0, Math.ceil(wanted / Math.max(1, items.length)))
    for (const position of pages) {
      if (this.#arriving.has(position)) continue
      const arriving = this.#fetch(position)
      // A page that fails is reported when its turn comes, and not at all if it never does.
      arriving.catch(() => {})
      this.#arriving.set(position, arriving)
    }
    await nextTurnOfTheLoop()
  }

  /** The page at a position. If it is not on its way, the list has moved, and those that are will not be needed. */
  take(position: unknown): Promise<Slice<Item, unknown>> {
    const arriving = this.#arriving.get(position)
    if (arriving === undefined) this.#arriving.clear()
    else this.#arriving.delete(position)
    return arriving ?? this.#fetch(position)
  }
}

/** A place in a list: a page, and how many of its items were taken. */
interface Mark {
  readonly position: unknown
  readonly taken: number
}

function readMark(checkpoint: string): Mark {
  try {
    const [position, taken] = JSON.parse(checkpoint) as unknown[]
    const known = position === null || typeof position === 'string' || Number.isSafeInteger(position)
    if (known && Number.isSafeInteger(taken)) return { position: position ?? undefined, taken: taken as number }
  } catch {
    // Told like any other text that is no checkpoint.
  }
  throw new RequestValidationError([{ path: ['checkpoint'], message: 'must be what checkpoint() returned' }])
}

/** Where an iteration has been, to notice when it does not come to an end. */
class Trail {
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
    if (typeof next !== 'number') return
    const page = JSON.stringify(items.map(plainFields))
    if (page === this.#previous) throw repeats(undefined)
    this.#previous = page
  }
}

/** Whether a cursor was passed on the way already. */
function leadsBack(way: Way, cursor: unknown): boolean {
  for (let passed: Way | undefined = way; passed !== undefined; passed = passed.before) {
    if (typeof cursor === 'string' && passed.position === cursor) return true
  }
  return false
}

/** What tells one item from another, without what may be nested in it. */
function plainFields(item: unknown): unknown[] {
  return Object.entries(Object(item)).filter(([, value]) => typeof value !== 'object')
}

function repeats(cursor: string | undefined): PaginationError {
  return new PaginationError('The list repeats itself, so it would never end', cursor)
}

/** Whatever ends an iteration tells where it can be resumed. */
async function resumable<T>(arriving: Promise<T>, position: unknown): Promise<T> {
  try {
    return await arriving
  } catch (error) {
    if (error instanceof PaymentsError && typeof position === 'string') error.cursor = position
    throw error
  }
}
