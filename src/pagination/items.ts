import type { Mark } from './mark.js'
import type { TurnedPage } from './walk.js'

/**
 * The items of page after page.
 *
 * Written out, since a generator of items would make three promises for each of them where one is enough.
 */
export class Items<Item> implements AsyncIterableIterator<Item, void, undefined> {
  readonly #pages: AsyncGenerator<TurnedPage<Item>, void, undefined>
  readonly #abandon: () => void
  #items: readonly Item[] = []
  #mark: Mark
  #line: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #ended = false

  /** @param abandon Gives up what `pages` is waiting for. */
  constructor(pages: AsyncGenerator<TurnedPage<Item>, void, undefined>, start: Mark, abandon: () => void) {
    this.#pages = pages
    this.#mark = start
    this.#abandon = abandon
  }

  /** After the item that was taken last. */
  get mark(): Mark {
    return this.#mark
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Item, void>> {
    return this.#waiting === 0 && this.#hasItem ? Promise.resolve(this.#take()) : this.#waitInLine()
  }

  async return(): Promise<IteratorReturnResult<void>> {
    this.#end()
    this.#abandon()
    await this.#pages.return()
    return { done: true, value: undefined }
  }

  get #hasItem(): boolean {
    return this.#mark.taken < this.#items.length
  }

  #take(): IteratorYieldResult<Item> {
    return { done: false, value: this.#items[this.#mark.taken++] as Item }
  }

  /** Several may ask before a page has come: they are served in the order in which they asked. */
  #waitInLine(): Promise<IteratorResult<Item, void>> {
    this.#waiting++
    const served = this.#line.then(() => this.#serve())
    this.#line = served.catch(() => {})
    return served
  }

  async #serve(): Promise<IteratorResult<Item, void>> {
    try {
      while (!this.#hasItem && !this.#ended) await this.#turn()
      return this.#hasItem ? this.#take() : { done: true, value: undefined }
    } finally {
      this.#waiting--
    }
  }

  async #turn(): Promise<void> {
    try {
      const { done, value } = await this.#pages.next()
      if (done) return this.#end()
      // Whoever left meanwhile wants no more.
      if (this.#ended) return
      this.#items = value.page.data
      this.#mark = value.mark
    } catch (error) {
      if (this.#ended) return
      this.#end()
      throw error
    }
  }

  #end(): void {
    this.#ended = true
    this.#items = []
  }
}
