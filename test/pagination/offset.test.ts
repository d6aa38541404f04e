import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PaginationError } from '../../src/index.js'
import { aClient } from '../support/recording-fetch.js'

const lines = (requests: readonly { line: string }[]) => requests.map(({ line }) => line)

describe('a list with offsets', () => {
  /** A page of loyalty transactions with these ids. */
  const points = (ids: string, facts: object = {}) => ({
    items: ids
      .split(' ')
      .filter(Boolean)
      .map((id) => ({ id })),
    ...facts,
  })
  const ids = (items: readonly { id?: string }[]) => items.map(({ id }) => id).join(' ')

  it('counts on from what came', async () => {
    const { client, requests } = aClient([
      points('a b', { total: 5, limit: 2, offset: 0 }),
      points('c d', { total: 5, limit: 2, offset: 2 }),
      points('e', { total: 5, limit: 2, offset: 4 }),
    ])

    const all = await client.loyalty.transactions.list({ connectionId: 'c-1', limit: 2 }).toArray({ limit: 100 })

    expect(ids(all)).toBe('a b c d e')
    expect(lines(requests)).toEqual([
      'GET /loyalty-transactions?connectionId=c-1&limit=2',
      'GET /loyalty-transactions?connectionId=c-1&limit=2&offset=2',
      'GET /loyalty-transactions?connectionId=c-1&limit=2&offset=4',
    ])
  })

  it('leads to the next page and back', async () => {
    const { client, requests } = aClient([
      points('c d', { total: 5, limit: 2, offset: 2 }),
      points('e', { total: 5, limit: 2, offset: 4 }),
      points('c d', { total: 5, limit: 2, offset: 2 }),
      points('a b', { total: 5, limit: 2, offset: 0 }),
    ])

    const second = await client.loyalty.transactions.list({ limit: 2, offset: 2 })
    const third = await second.nextPage()
    const back = await third?.previousPage()
    const first = await back?.previousPage()

    expect([second, third, back, first].map((at) => ids(at?.data ?? []))).toEqual(['c d', 'e', 'c d', 'a b'])
    expect(second.total).toBe(5)
    expect(third?.hasNextPage).toBe(false)
    expect(await third?.nextPage()).toBeUndefined()
    expect(await first?.previousPage()).toBeUndefined()
    expect(lines(requests).map((line) => line.replace(/.*offset=/, ''))).toEqual(['2', '4', '2', '0'])
  })

  it('goes back as far as it was told to read, when the service does not repeat it', async () => {
    const { client, requests } = aClient([points('e'), points('c d')])

    const third = await client.loyalty.transactions.list({ limit: 2, offset: 4 })
    await third.previousPage()

    expect(requests[1]?.line).toBe('GET /loyalty-transactions?limit=2&offset=2')
  })

  it('ends at an empty page when the service does not say how many there are', async () => {
    const { client, requests } = aClient([points('a b'), points('c', { total: null }), points('')])

    expect(ids(await client.loyalty.transactions.list().toArray({ limit: 100 }))).toBe('a b c')
    expect(lines(requests).slice(1)).toEqual([
      'GET /loyalty-transactions?offset=2',
      'GET /loyalty-transactions?offset=3',
    ])
  })

  it('ends when the total shrinks below what came', async () => {
    const { client, requests } = aClient([points('a b', { total: 5 }), points('c d', { total: 3 })])

    expect(ids(await client.loyalty.transactions.list().toArray({ limit: 100 }))).toBe('a b c d')
    expect(requests).toHaveLength(2)
  })

  it('goes on when the total grows', async () => {
    const { client } = aClient([points('a b', { total: 3 }), points('c', { total: 4 }), points('d', { total: 4 })])

    expect(ids(await client.loyalty.transactions.list().toArray({ limit: 100 }))).toBe('a b c d')
  })

  it('ends with an error when the service ignores the offset', async () => {
    const same = points('a b', { total: 1000 })
    const { client, requests } = aClient([same, same, same])

    const gathering = client.loyalty.transactions.list().toArray({ limit: 100 })

    await expect(gathering).rejects.toThrow(PaginationError)
    expect(requests).toHaveLength(2)
  })

  it('asks for no more pages than the wanted items are on', async () => {
    const { client, requests } = aClient(['a b', 'c d', 'e f', 'g h', 'i j'].map((ids) => points(ids, { total: 100 })))

    expect(ids(await client.loyalty.transactions.list().toArray({ limit: 5 }))).toBe('a b c d e')
    expect(requests).toHaveLength(3)
  })

  it('ends with an error when the page that repeats would be the last', async () => {
    const same = points('a b', { total: 4 })
    const { client } = aClient([same, same])

    await expect(client.loyalty.transactions.list().toArray({ limit: 100 })).rejects.toThrow(PaginationError)
  })

  it('ends, whatever the service says about totals', async () => {
    const said = fc.record({
      total: fc.option(fc.integer({ min: -5, max: 50 }), { nil: undefined }),
      limit: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
    })

    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 10 }), async (facts) => {
        const pages = facts.map((fact, index) => points(`item-${index}`, fact))
        const { client, requests } = aClient([...pages, points('')])

        const items = await client.loyalty.transactions.list().toArray({ limit: 1000 })

        expect(items.length).toBeLessThanOrEqual(pages.length)
        // At most four pages are on their way at once, of which the last three may turn out not to exist.
        expect(requests.length).toBeLessThanOrEqual(pages.length + 4)
      }),
    )
  })
})
