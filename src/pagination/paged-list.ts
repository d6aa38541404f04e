import type { WithResponse } from '../call.js'
import { RequestValidationError } from '../errors.js'
import { ItemIterator, LazyItems } from './items.js'
import { fetchPage, type Page, type PageSource, type Position } from './page.js'
import { type Checkpoint, captureCaller, readPages } from './prefetch.js'

/**
 * A list that fetches its pages on demand.
 *
 * Iterate over it to receive the items of all pages, or await it to receive the first page. While you process a page,
 * the next one is fetched.
 */
export class PagedList<Item> extends LazyItems<Item> implements PromiseLike<Page<Item>> {
  readonly #source: PageSource<Item>
  readonly #start: Checkpoint
  readonly #latest: { iteration: { readonly checkpoint: Checkpoint } }
  #firstPage: Promise<WithResponse<Page<Item>>> | undefined

  /** @internal */
  constructor(source: PageSource<Item>, start: Checkpoint) {
    const latest: { iteration: { readonly checkpoint: Checkpoint } } = { iteration: { checkpoint: start } }
    super((limit) => {
      const iterator = new ItemIterator(source, start, limit)
      latest.iteration = iterator
      return iterator
    })
    this.#source = source
    this.#start = start
    this.#latest = latest
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

  /** Iterates over the pages. While you process a page, the next one is fetched. */
  pages(): AsyncGenerator<Page<Item>, void, undefined> {
    return this.#iteratePages(captureCaller())
  }

  /**
   * Returns a checkpoint for `resumeFrom`. It marks the position after the last item or page that the latest iteration
   * returned.
   */
  checkpoint(): string {
    const { position, delivered } = this.#latest.iteration.checkpoint
    return JSON.stringify([position ?? null, delivered])
  }

  /**
   * Returns the same list, starting at a checkpoint. The filters and the page size must be the same as when the
   * checkpoint was created.
   *
   * Iteration continues with the item after the checkpoint. `pages()` starts with the page that contains this item.
   *
   * @param checkpoint A result of `checkpoint()`.
   * @throws {RequestValidationError} The string is not a checkpoint.
   */
  resumeFrom(checkpoint: string): PagedList<Item> {
    return listFrom(this.#source, parseCheckpoint(checkpoint))
  }

  async *#iteratePages(caller: { stack?: string }): AsyncGenerator<Page<Item>, void, undefined> {
    for await (const { page, checkpoint } of readPages(this.#source, this.#start, { caller })) {
      // Skips a page whose items were all returned before the checkpoint.
      if (checkpoint.delivered > 0 && checkpoint.delivered >= page.data.length) continue
      this.#latest.iteration = { checkpoint: { ...checkpoint, delivered: page.data.length } }
      yield page
    }
  }
}

// Defined outside the class, because bundlers rename a class that refers to itself. Stack traces would show the new
// name.
function listFrom<Item>(source: PageSource<Item>, start: Checkpoint): PagedList<Item> {
  return new PagedList(source, start)
}

export function pagedList<Item>(source: PageSource<Item>, position: Position): PagedList<Item> {
  return listFrom(source, { position, delivered: 0 })
}

function parseCheckpoint(checkpoint: string): Checkpoint {
  try {
    const [position, delivered] = JSON.parse(checkpoint) as unknown[]
    const isPosition = position === null || typeof position === 'string' || Number.isSafeInteger(position)
    if (isPosition && Number.isSafeInteger(delivered) && (delivered as number) >= 0)
      return { position: (position as string | number | null) ?? undefined, delivered: delivered as number }
  } catch {
    // The checkpoint is not JSON, or not an array.
  }
  throw new RequestValidationError([
    { path: ['checkpoint'], code: 'invalid_value', message: 'must be a result of checkpoint()' },
  ])
}
