import fc from 'fast-check'
import { type PaymentSummary, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { clientWith, failureOf, rejectionOf } from '../support/clients.js'

describe('a list with repeated cursors or empty pages', () => {
  it.each([
    ['the same cursor', { first: 'A', A: 'A' }, ['first', 'A'], 'A'],
    ['the cursor of the start', { A: 'A' }, ['A'], 'A', { cursor: 'A' }],
    ['A, B, A', { first: 'A', A: 'B', B: 'A' }, ['first', 'A', 'B'], 'A'],
    ['A, B, C, D, B', { first: 'A', A: 'B', B: 'C', C: 'D', D: 'B' }, ['first', 'A', 'B', 'C', 'D'], 'B'],
  ])('rejects a cursor cycle at the first repetition: %s', async (_, next, expectedPages, cursor, start?: object) => {
    const { client, asked } = listing(next)
    const seen: string[] = []

    const error = await failureOf(collect(client.payments.list(start), seen))

    expect(error).toMatchObject({ name: 'PaginationError', code: 'ERR_PAGINATION', cursor })
    expect(seen).toEqual(expectedPages.map((page) => `item of ${page}`))
    expect(asked).toEqual(expectedPages)
  })

  it('treats cursors that differ only in case as different cursors', async () => {
    const { client, asked } = listing({ first: 'aBc', aBc: 'AbC', AbC: null })

    expect(await client.payments.list().toArray({ limit: 10 })).toHaveLength(3)
    expect(asked).toEqual(['first', 'aBc', 'AbC'])
  })

  it('continues after an empty page that has a next cursor', async () => {
    const { client } = listing({ first: 'A', A: 'B', B: null }, (page) => (page === 'A' ? [] : [{ id: page }]))

    expect(await client.payments.list().toArray({ limit: 10 })).toEqual([{ id: 'first' }, { id: 'B' }])
    const sizes: number[] = []
    for await (const { data } of client.payments.list().pages()) sizes.push(data.length)
    expect(sizes).toEqual([1, 0, 1])
  })

  it('throws an error with the cursor to resume from after 100 consecutive empty pages', async () => {
    let page = 0
    const client = clientWith(() => Response.json({ data: [], nextCursor: `c${++page}` }))

    const error = await failureOf(client.payments.list().toArray({ limit: 10 }))

    expect(error).toMatchObject({ name: 'PaginationError', cursor: 'c100' })
    expect((error as Error).message).toContain('100 pages in a row were empty')
    expect(page).toBe(100)
  })

  it.each([
    ['an empty cursor', { nextCursor: '' }],
    ['a null cursor', { nextCursor: null }],
    ['no cursor', {}],
  ])('stops at a page with %s', async (_, end) => {
    let requests = 0
    const client = clientWith(() => {
      requests++
      return Response.json({ data: [{ id: 'pay_1' }], ...end })
    })

    const page = await client.payments.list()
    const items = await client.payments.list().toArray({ limit: 10 })

    expect(page.hasNextPage).toBe(false)
    expect(await page.nextPage()).toBeUndefined()
    expect(items).toEqual([{ id: 'pay_1' }])
    expect(requests).toBe(2)
  })
})

describe('a list that changes during the iteration', () => {
  it('returns every payment that existed when the loop started', async () => {
    const sandbox = createSandbox()
    const client = new PaymentsClient(sandbox.clientOptions())
    const create = (orderId: string) =>
      client.payments.create({ paymentMethodToken: sandbox.tokens.card, orderId, currencyCode: 'EUR', amount: 700 })
    const earlier = []
    for (let count = 1; count <= 12; count++) earlier.push((await create(`order-${count}`)).id)

    const seen: string[] = []
    for await (const { id } of client.payments.list({ limit: 3 })) {
      seen.push(id)
      if (seen.length % 2 === 0 && seen.length < 20) await create('meanwhile')
    }

    expect(seen).toEqual(expect.arrayContaining(earlier))
  })

  it('returns a payment twice if it moves to the next page', async () => {
    const rows: Record<string, PaymentSummary[]> = { first: [{ id: '1' }, { id: '2' }], A: [{ id: '2' }, { id: '3' }] }
    const { client } = listing({ first: 'A', A: null }, (page) => rows[page] ?? [])

    const items = await client.payments.list().toArray({ limit: 10 })

    expect(items.map(({ id }) => id)).toEqual(['1', '2', '2', '3'])
    expect(new Map(items.map((item) => [item.id, item])).size).toBe(3)
  })
})

describe('a list with a limit or an offset', () => {
  it('returns each item once, regardless of the total that the service reports', async () => {
    const totals = fc.oneof(fc.integer({ min: -5, max: 60 }), fc.constantFrom(null, undefined, 1_000_000))

    await fc.assert(
      fc.asyncProperty(
        fc.nat(30),
        fc.integer({ min: 1, max: 10 }),
        fc.infiniteStream(totals),
        async (count, limit, said) => {
          let requests = 0
          const client = clientWith((request) => {
            requests++
            const offset = Number(new URL(request.url).searchParams.get('offset') ?? 0)
            const ids = Array.from(
              { length: Math.max(0, Math.min(limit, count - offset)) },
              (_, at) => `${offset + at}`,
            )
            return Response.json({ items: ids.map((id) => ({ id })), total: said.next().value, limit, offset })
          })

          const items = await client.loyalty.transactions.list({ limit }).toArray({ limit: 1_000 })

          expect(items.map(({ id }) => id)).toEqual(items.map((_, at) => `${at}`))
          // If the reported total is too high, the client requests pages beyond the end.
          expect(requests).toBeLessThanOrEqual(4 * (Math.ceil(count / limit) + 1))
        },
      ),
    )
  })

  it('throws an error if the service ignores the offset', async () => {
    let requests = 0
    const client = clientWith(() => {
      requests++
      return Response.json({ items: [{ id: 'a' }, { id: 'b' }], total: 100 })
    })
    const seen: string[] = []

    const error = await failureOf(collect(client.loyalty.transactions.list({ limit: 2 }), seen))

    expect(error).toMatchObject({ name: 'PaginationError' })
    expect(seen).toEqual(['a', 'b'])
    expect(requests).toBe(2)
  })

  it.each([0, -1, 1.5, 101, 1_000, Number.NaN, Number.POSITIVE_INFINITY, '10', null])(
    'rejects the limit %j of payments.list, and sends no request',
    async (limit) => {
      await rejectionOf(({ payments }) => payments.list({ limit: limit as number }))
    },
  )

  it.each([{ limit: 0 }, { limit: -1 }, { limit: 0.5 }, { offset: -1 }, { offset: 0.5 }, { offset: '0' }])(
    'rejects the parameters %j of loyalty.transactions.list, and sends no request',
    async (params) => {
      await rejectionOf(({ loyalty }) => loyalty.transactions.list(params as object))
    },
  )
})

/** Creates a client for a list whose cursors are page names. `next` maps each page to the following page. */
function listing(
  next: Record<string, string | null>,
  itemsOf = (page: string): PaymentSummary[] => [{ id: `item of ${page}` }],
) {
  const asked: string[] = []
  const client = clientWith((request) => {
    const page = new URL(request.url).searchParams.get('cursor') ?? 'first'
    asked.push(page)
    return Response.json({ data: itemsOf(page), nextCursor: next[page] })
  })
  return { client, asked }
}

/** Reads a list to its end, and appends each item's id to `seen`. */
async function collect(list: AsyncIterable<{ id?: string }>, seen: string[]): Promise<void> {
  for await (const { id } of list) seen.push(String(id))
}
