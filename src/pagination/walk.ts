import { PaymentsError } from '../errors.js'
import { Ahead } from './ahead.js'
import type { Mark } from './mark.js'
import { type Page, pageOf } from './page.js'
import type { FetchSlice } from './slice.js'
import { Trail } from './trail.js'

/** A page that was turned to, and where the reader stands on it. */
export interface TurnedPage<Item> {
  readonly page: Page<Item>
  readonly mark: Mark
}

/** Page after page from a mark on, until the list ends, `limit` items have come, or it is abandoned. */
export async function* walk<Item>(
  fetch: FetchSlice<Item, unknown>,
  start: Mark,
  { limit = Number.POSITIVE_INFINITY, abandoned = new AbortController() } = {},
): AsyncGenerator<TurnedPage<Item>, void, undefined> {
  const trail = new Trail()
  const ahead = new Ahead<Item>((position) => fetch(position, abandoned.signal))
  let mark = { ...start }
  trail.visit(mark.position)
  try {
    while (true) {
      const { position } = mark
      const slice = await resumable(ahead.take(position), position)
      trail.refuseSamePage(slice)
      const problem = trail.follow(slice)
      const onwards = problem === undefined && slice.next !== undefined && trail.length < limit
      if (onwards) await ahead.send(slice, limit - trail.length)
      yield { page: pageOf(fetch, slice, { position }), mark }
      if (problem !== undefined) throw problem
      if (!onwards) return
      mark = { position: slice.next, taken: 0 }
    }
  } finally {
    abandoned.abort()
  }
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
