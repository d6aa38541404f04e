import type { PagedList, PaymentSummary } from '../../src/index.js'

/** Creates a page of payments with these ids, for example `'a b'`. */
export const page = (ids: string, nextCursor?: string | null, prevCursor?: string | null) => ({
  data: ids
    .split(' ')
    .filter(Boolean)
    .map((id) => ({ id })),
  nextCursor,
  prevCursor,
})

export const threePages = [page('a b', 'two'), page('c d', 'three', 'one'), page('e', null, 'two')]

/** Reads a list until it ends or fails. */
export async function readAll(list: PagedList<PaymentSummary>): Promise<{ ids: string[]; error?: unknown }> {
  const ids: string[] = []
  try {
    for await (const { id } of list) ids.push(id)
    return { ids }
  } catch (error) {
    return { ids, error }
  }
}
