import { RequestValidationError } from '../errors.js'
import { iterationEnded } from '../internal/deadline.js'
import { checkOptions, func, type Rules, rule } from '../internal/options.js'
import type { PageSource } from './page.js'
import { type Checkpoint, captureCaller, type PageAtCheckpoint, readPages } from './prefetch.js'

/** Starts an iteration that returns at most `limit` items. */
type Open<Item> = (limit: number) => AsyncIterableIterator<Item, void, undefined>

/** The items of a list. Iteration fetches the pages on demand. Each iteration starts from the beginning. */
export class LazyItems<Item> implements AsyncIterable<Item> {
  readonly #open: Open<Item>

  /** @internal */
  constructor(open: Open<Item>) {
    this.#open = open
  }

  /** Iterates over the items. `break` aborts the requests that are still running. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Item, void, undefined> {
    return this.#open(Number.POSITIVE_INFINITY)
  }

  /**
   * Returns the first `count` items. Later pages are not fetched.
   *
   * @param count Maximum number of items, at least 0.
   * @throws {RequestValidationError} The count is invalid.
   */
  take(count: number): LazyItems<Item> {
    check({ count }, { count: rule(isCount, 'must be an integer of at least 0') })
    return lazyItems((limit) => this.#open(Math.min(count, limit)))
  }

  /**
   * Skips the first `count` items and returns the rest.
   *
   * @param count The number of items to skip, at least 0. Their pages are fetched too.
   * @throws {RequestValidationError} The count is invalid.
   */
  drop(count: number): LazyItems<Item> {
    check({ count }, { count: rule(isCount, 'must be an integer of at least 0') })
    return lazyItems((limit) => drop(this.#open(limit === 0 ? 0 : limit + count), count))
  }

  /**
   * Returns the items for which a function returns a truthy value.
   *
   * @param accept Called with each item that the iteration reaches. May be async.
   * @throws {RequestValidationError} The argument is not a function.
   * @example
   * for await (const payment of client.payments.list().filter(({ amount = 0 }) => amount > 10_000)) …
   */
  filter<Accepted extends Item>(accept: (item: Item) => item is Accepted): LazyItems<Accepted>
  filter(accept: (item: Item) => unknown): LazyItems<Item>
  filter(accept: (item: Item) => unknown): LazyItems<Item> {
    check({ accept }, { accept: func })
    return lazyItems((limit) => filter(this, accept, limit))
  }

  /**
   * Converts each item with a function.
   *
   * @param convert Called with each item that the iteration reaches. May be async.
   * @throws {RequestValidationError} The argument is not a function.
   */
  map<Result>(convert: (item: Item) => Result | PromiseLike<Result>): LazyItems<Result> {
    check({ convert }, { convert: func })
    return lazyItems((limit) => map(this.#open(limit), convert))
  }

  /**
   * Collects the first items in an array.
   *
   * @param options.limit Maximum number of items, at least 0. Required, to prevent accidental loading of a long list
   * into memory.
   * @throws {RequestValidationError} The limit is missing or invalid.
   * @example
   * const payments = await client.payments.list({ orderId: 'order-17' }).toArray({ limit: 100 })
   */
  async toArray(options: { limit: number }): Promise<Item[]> {
    const { limit } = check(options ?? {}, {
      limit: rule(isCount, 'must be an integer of at least 0: toArray({ limit: 100 })'),
    })
    const items: Item[] = []
    for await (const item of this.#open(limit)) items.push(item)
    return items
  }
}

// Defined outside the class, because bundlers rename a class that refers to itself. Stack traces would show the new
// name.
function lazyItems<Item>(open: Open<Item>): LazyItems<Item> {
  return new LazyItems(open)
}

async function* drop<Item>(items: AsyncIterable<Item>, count: number) {
  let remaining = count
  for await (const item of items) {
    if (remaining === 0) yield item
    else remaining--
  }
}

async function* filter<Item>(items: AsyncIterable<Item>, accept: (item: Item) => unknown, limit: number) {
  let remaining = limit
  if (remaining === 0) return
  for await (const item of items) {
    if (!(await accept(item))) continue
    yield item
    if (--remaining === 0) return
  }
}

async function* map<Item, Result>(items: AsyncIterable<Item>, convert: (item: Item) => Result | PromiseLike<Result>) {
  for await (const item of items) yield await convert(item)
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function check<T extends object>(given: T, rules: Rules<T>): T {
  const { issues } = checkOptions(given, rules, { noun: 'argument', required: Object.keys(rules) as (keyof T)[] })
  if (issues.length > 0) throw new RequestValidationError(issues)
  return given
}

/**
 * A base class with the prototype of the built-in async iterators. In newer runtimes, it provides methods such as
 * `map`.
 */
function BuiltInAsyncIterator() {}
BuiltInAsyncIterator.prototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype))

/** Iterates over the items of all pages. Creates one promise per item, but an async generator would create three. */
export class ItemIterator<Item>
  extends (BuiltInAsyncIterator as unknown as new () => object)
  implements AsyncIterableIterator<Item, void, undefined>
{
  readonly #pages: AsyncGenerator<PageAtCheckpoint<Item>, void, undefined>
  readonly #stopped = new AbortController()
  #items: readonly Item[] = []
  #remaining: number
  #checkpoint: { position: Checkpoint['position']; delivered: number }
  #loading: Promise<void> | undefined
  #ended = false

  constructor(source: PageSource<Item>, start: Checkpoint, limit: number) {
    super()
    this.#pages = readPages(source, start, { limit, stopped: this.#stopped, caller: captureCaller() })
    this.#remaining = limit
    this.#checkpoint = { ...start }
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Item, void>> {
    if (this.#loading !== undefined) return this.#nextAfter(this.#loading)
    if (this.#remaining === 0) return this.return()
    if (this.#checkpoint.delivered < this.#items.length) {
      this.#remaining--
      return Promise.resolve({ done: false, value: this.#items[this.#checkpoint.delivered++] as Item })
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    this.#loading = this.#load()
    return this.#nextAfter(this.#loading)
  }

  /**
   * Returns the next item once its page is loaded. Concurrent calls to `next` wait for the same page, in call order.
   */
  async #nextAfter(loading: Promise<void>): Promise<IteratorResult<Item, void>> {
    try {
      await loading
    } finally {
      if (this.#loading === loading) this.#loading = undefined
    }
    return this.next()
  }

  async return(): Promise<IteratorReturnResult<void>> {
    this.#ended = true
    this.#items = []
    this.#stopped.abort(iterationEnded)
    await this.#pages.return()
    return { done: true, value: undefined }
  }

  async #load(): Promise<void> {
    try {
      const { done, value } = await this.#pages.next()
      if (this.#ended) return
      this.#ended = done === true
      if (value) {
        this.#items = value.page.data
        this.#checkpoint = { ...value.checkpoint }
      }
    } catch (error) {
      // Ignores errors after `return` was called, because `return` aborts the pending request.
      if (this.#ended) return
      this.#ended = true
      throw error
    }
  }
}
