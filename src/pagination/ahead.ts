import type { Slice } from './slice.js'

/** The real one, whatever a test does to timers later. */
const { setImmediate } = globalThis

/** A turn of the event loop: a consumer that computes does not hold up what was to be sent before. */
const nextTurnOfTheLoop = (): Promise<void> =>
  new Promise((resolve) => (setImmediate ? setImmediate(resolve) : resolve()))

/** The pages that are on their way. */
export class Ahead<Item> {
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
