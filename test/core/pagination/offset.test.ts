import { describe, expect, it } from 'vitest'
import { aClient } from '../../support/clients.js'

const lines = (requests: readonly { line: string }[]) => requests.map(({ line }) => line)

describe('a list with offset pagination', () => {
  /** Creates a page of loyalty transactions. */
  const points = (ids: string, facts: object = {}) => ({
    items: ids
      .split(' ')
      .filter(Boolean)
      .map((id) => ({ id })),
    ...facts,
  })
  const ids = (items: readonly { id?: string }[]) => items.map(({ id }) => id).join(' ')

  it('uses the number of received items as the next offset', async () => {
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

  it('returns the next page, the previous page and the total', async () => {
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

  it('computes the previous page from the requested limit if the response has none', async () => {
    const { client, requests } = aClient([points('e'), points('c d')])

    const third = await client.loyalty.transactions.list({ limit: 2, offset: 4 })
    await third.previousPage()

    expect(requests[1]?.line).toBe('GET /loyalty-transactions?limit=2&offset=2')
  })

  it('continues after the last received item if a page is too short', async () => {
    const { client, requests } = aClient(['a b', 'c', 'd'].map((ids) => points(ids, { total: 4, limit: 2 })))

    expect(ids(await client.loyalty.transactions.list({ limit: 2 }).toArray({ limit: 100 }))).toBe('a b c d')
    expect(
      lines(requests)
        .map((line) => line.replace(/.*offset=/, ''))
        .slice(1),
    ).toEqual(['2', '3'])
  })
})
