import type { WithResponse } from '../call.js'
import { RequestValidationError } from '../errors.js'
import type { Issue } from '../internal/issues.js'
import { custom, optionsOf, requireOptions } from '../internal/validation.js'
import { type Checkpoint, endAtReturn, type Iteration, readItems, readWholePages, startIteration } from './iteration.js'
import { fetchPage, type Page, type PageSource, type Position } from './page.js'

/**
 * A list that fetches its pages on demand.
 *
 * Iterate over it to receive the items of all pages, or await it to receive the first page. While you process a page,
 * the next one is fetched.
 */
export class PagedList<Item> {
  readonly #source: PageSource<Item>
  readonly #start: Checkpoint
  #latest: Checkpoint
  #firstPage: Promise<WithResponse<Page<Item>>> | undefined

  /** @internal */
  constructor(source: PageSource<Item>, start: Checkpoint) {
    this.#source = source
    this.#start = start
    this.#latest = start
  }

  /** Resolves to the first page. */
  then<A = Page<Item>, B = never>(
    onFulfilled?: ((page: Page<Item>) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: `any`, as in `Promise`: callers may annotate the error's type.
    onRejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected)
  }

  // biome-ignore lint/suspicious/noExplicitAny: `any`, as in `Promise`.
  catch<B = never>(onRejected?: ((reason: any) => B | PromiseLike<B>) | null): Promise<Page<Item> | B> {
    return this.then(undefined, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Page<Item>> {
    return this.then().finally(onFinally)
  }

  /** Resolves to the first page with its status, headers and attempts. */
  withResponse(): Promise<WithResponse<Page<Item>>> {
    this.#firstPage ??= fetchPage(this.#source, { position: this.#start.position })
    return this.#firstPage
  }

  /** Iterates over the items. `break` aborts the requests that are still running. */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return this.#read(Number.POSITIVE_INFINITY)
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
    const { operation } = this.#source
    const fail = (issues: readonly Issue[]) => new RequestValidationError(issues, { operation })
    const { limit = 0 } = requireOptions(options ?? {}, arrayOptions, { noun: 'argument', fail })
    const items: Item[] = []
    for await (const item of this.#read(limit)) items.push(item)
    return items
  }

  /** Iterates over the pages. While you process a page, the next one is fetched. */
  pages(): AsyncGenerator<Page<Item>, void, undefined> {
    const iteration = this.#startIteration()
    return endAtReturn(readWholePages(this.#source, iteration), iteration)
  }

  /**
   * Returns a checkpoint for `resumeFrom`. It marks the position after the last item or page that the latest iteration
   * returned.
   */
  checkpoint(): string {
    const { position, delivered } = this.#latest
    return JSON.stringify([position ?? null, delivered])
  }

  /**
   * Returns the same list, starting at a checkpoint. The filters and the page size must be the same as when the
   * checkpoint was created.
   *
   * Iteration continues with the item after the checkpoint. `pages()` starts with the page that contains this item.
   *
   * @param checkpoint A result of `checkpoint()`.
   * @throws {RequestValidationError} The string is not a checkpoint of this kind of list.
   */
  resumeFrom(checkpoint: string): PagedList<Item> {
    return listFrom(this.#source, parseCheckpoint(checkpoint, this.#source))
  }

  #read(limit: number): AsyncGenerator<Item, void, undefined> {
    const iteration = this.#startIteration()
    return endAtReturn(readItems(this.#source, iteration, limit), iteration)
  }

  #startIteration(): Iteration {
    const iteration = startIteration(this.#start)
    this.#latest = iteration.checkpoint
    return iteration
  }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

const arrayOptions = optionsOf<{ limit: number }>(
  { limit: custom(isCount, 'must be an integer of at least 0: toArray({ limit: 100 })') },
  ['limit'],
)

// Defined outside the class, because bundlers rename a class that refers to itself, and stack traces would then show
// the new name.
function listFrom<Item>(source: PageSource<Item>, start: Checkpoint): PagedList<Item> {
  return new PagedList(source, start)
}

export function pagedList<Item>(source: PageSource<Item>, position: Position): PagedList<Item> {
  return listFrom(source, { position, delivered: 0 })
}

function parseCheckpoint(checkpoint: string, { operation, isPosition }: PageSource<unknown>): Checkpoint {
  try {
    const [position, delivered] = JSON.parse(checkpoint)
    const isValid = position === null || isPosition(position)
    if (isValid && Number.isSafeInteger(delivered) && delivered >= 0) {
      return { position: position ?? undefined, delivered }
    }
  } catch {
    // The checkpoint is not JSON, or not an array. The code below throws a validation error.
  }
  const issue: Issue = { path: ['checkpoint'], code: 'invalid_value', message: 'must be a result of checkpoint()' }
  throw new RequestValidationError([issue], { operation })
}
