import type { Answer } from '../call.js'
import { RequestValidationError } from '../errors.js'
import { Items } from './items.js'
import { type Mark, readMark } from './mark.js'
import { fetchPage, type Page } from './page.js'
import type { FetchSlice } from './slice.js'
import { walk } from './walk.js'

/**
 * A list that is fetched as it is read.
 *
 * Iterate it for every item, over all pages; await it for the first page. While one page is consumed the next is
 * already on its way (where pages are counted off, several are). Each iteration starts anew.
 */
export class PagedList<Item> implements AsyncIterable<Item>, PromiseLike<Page<Item>> {
  readonly #fetch: FetchSlice<Item, unknown>
  readonly #start: Readonly<Mark>
  #latest: { readonly mark: Readonly<Mark> }
  #first: Promise<Answer<Page<Item>>> | undefined

  /** @internal */
  constructor(fetch: FetchSlice<Item, unknown>, start: Readonly<Mark>) {
    this.#fetch = fetch
    this.#start = start
    this.#latest = { mark: start }
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
    this.#first ??= fetchPage(this.#fetch, { position: this.#start.position })
    return this.#first
  }

  /** Every item of every page. Leaving the loop abandons the pages that are on their way. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Item, void, undefined> {
    const abandoned = new AbortController()
    const pages = walk(this.#fetch, this.#start, { abandoned })
    const items = new Items(pages, this.#start, () => abandoned.abort())
    this.#latest = items
    return items
  }

  /** Every page, the next one fetched while this one is consumed. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for await (const { page, mark } of walk(this.#fetch, this.#start)) {
      this.#latest = { mark: { ...mark, taken: page.data.length } }
      yield page
    }
  }

  /**
   * Where the latest iteration stands: after the item, or the page, that came last. Text to be stored, for `resumeFrom`.
   */
  checkpoint(): string {
    const { position, taken } = this.#latest.mark
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
    for await (const { page } of walk(this.#fetch, this.#start, { limit: taken + limit })) items.push(...page.data)
    return items.slice(taken, taken + limit)
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
