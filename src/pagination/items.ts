import type { Mark } from './mark.js'
import type { TurnedPage } from './walk.js'

/**
 * The items of page after page.
 *
 * Written out, since a generator of items would make three promises for each of them where one is enough.
 */
export class Items<Item> implements AsyncIterableIterator<Item, void, undefined> {
  readonly #pages: AsyncGenerator<TurnedPage<Item>, void, undefined>
  #items: readonly Item[] = []
  #mark: Mark
  #turning: Promise<void> | undefined
  #waiting = 0
  #ended = false

  constructor(pages: AsyncGenerator<TurnedPage<Item>, void, undefined>, start: Mark) {
    this.#pages = pages
    this.#mark = start
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
  async #waitInLine(): Promise<IteratorResult<Item, void>> {
    this.#waiting++
    try {
      while (!this.#hasItem && !this.#ended) {
        this.#turning ??= this.#turn()
        await this.#turning
      }
      return this.#hasItem ? this.#take() : { done: true, value: undefined }
    } finally {
      this.#waiting--
    }
  }

  async #turn(): Promise<void> {
    try {
      const { done, value } = await this.#pages.next()
      if (done) return this.#end()
      this.#items = value.page.data
      this.#mark = value.mark
    } catch (error) {
      this.#end()
      throw error
    } finally {
      this.#turning = undefined
    }
  }

  #end(): void {
    this.#ended = true
    this.#items = []
  }
}
