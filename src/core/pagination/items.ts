import { RequestValidationError } from '../errors.js'
import { checkOptions, custom, func, optionsOf, type Shape } from '../internal/validation.js'

/** Starts an iteration that returns at most `limit` items. */
type Open<Item> = (limit: number) => AsyncIterableIterator<Item, void, undefined>

// The public classes of lists have no `implements` clause: compilers of consumers would check it with 190 instantiations.
/** The items of a list. Iteration fetches the pages on demand. Each iteration starts from the beginning. */
export class LazyItems<Item> {
  readonly #operation: string
  readonly #open: Open<Item>

  /** @internal */
  constructor(operation: string, open: Open<Item>) {
    this.#operation = operation
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
    this.#check({ count }, { count: custom(isCount, 'must be an integer of at least 0') })
    return lazyItems(this.#operation, (limit) => this.#open(Math.min(count, limit)))
  }

  /**
   * Returns the items after the first `count` items.
   *
   * @param count The number of items to skip, at least 0. The pages of skipped items are fetched too.
   * @throws {RequestValidationError} The count is invalid.
   */
  drop(count: number): LazyItems<Item> {
    this.#check({ count }, { count: custom(isCount, 'must be an integer of at least 0') })
    return lazyItems(this.#operation, (limit) => {
      let skipped = 0
      return flatMap(this.#open(limit + count), limit, (item) => (skipped++ < count ? [] : [item]))
    })
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
    this.#check({ accept }, { accept: func() })
    return lazyItems(this.#operation, (limit) =>
      flatMap(this, limit, async (item) => ((await accept(item)) ? [item] : [])),
    )
  }

  /**
   * Converts each item with a function.
   *
   * @param convert Called with each item that the iteration reaches. May be async.
   * @throws {RequestValidationError} The argument is not a function.
   */
  map<Result>(convert: (item: Item) => Result | PromiseLike<Result>): LazyItems<Result> {
    this.#check({ convert }, { convert: func() })
    return lazyItems(this.#operation, (limit) =>
      flatMap(this.#open(limit), limit, async (item) => [await convert(item)]),
    )
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
    const { limit } = this.#check(options ?? {}, {
      limit: custom(isCount, 'must be an integer of at least 0: toArray({ limit: 100 })'),
    })
    const items: Item[] = []
    for await (const item of this.#open(limit)) items.push(item)
    return items
  }

  #check<T extends object>(given: T, shape: Shape<T>): T {
    const { issues } = checkOptions(given, optionsOf(shape, Object.keys(shape) as (keyof T)[]), { noun: 'argument' })
    if (issues.length > 0) throw new RequestValidationError(issues, { operation: this.#operation })
    return given
  }
}

// Defined outside the class, because bundlers rename a class that refers to itself, and stack traces would then show
// the new name.
function lazyItems<Item>(operation: string, open: Open<Item>): LazyItems<Item> {
  return new LazyItems(operation, open)
}

/** Iterates over the items that `itemsOf` returns for each value. Stops after `limit` items. */
export async function* flatMap<Value, Item>(
  values: AsyncIterable<Value>,
  limit: number,
  itemsOf: (value: Value) => Iterable<Item> | Promise<Iterable<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let remaining = limit
  if (remaining === 0) return
  for await (const value of values) {
    for (const item of await itemsOf(value)) {
      yield item
      if (--remaining === 0) return
    }
  }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
