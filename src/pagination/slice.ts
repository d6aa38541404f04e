import type { ResponseInfo } from '../call.js'

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
  signal?: AbortSignal,
) => Promise<Slice<Item, Position>>
