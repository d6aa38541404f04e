import { describe, expect, it, vi } from 'vitest'
import { NotFoundError, PaginationError } from '../../../src/index.js'
import { aClient } from '../../support/clients.js'
import { page, threePages } from '../../support/pages.js'

const lines = (requests: readonly { line: string }[]) => requests.map(({ line }) => line)
const notFound = () => Response.json({}, { status: 404 })

describe('an awaited list', () => {
  it('resolves to the first page of the list', async () => {
    const { client, requests } = aClient(threePages)

    const first = await client.payments.list({ limit: 2 })

    expect({ ...first }).toStrictEqual({ data: [{ id: 'a' }, { id: 'b' }], hasNextPage: true, nextCursor: 'two' })
    expect(lines(requests)).toEqual(['GET /payments?limit=2'])
  })

  it('returns the cursors of the next and the previous page', async () => {
    const { client } = aClient([page('c d', 'three', 'one')])

    const { nextCursor, prevCursor } = await client.payments.list({ cursor: 'two' })

    expect([nextCursor, prevCursor]).toEqual(['three', 'one'])
  })

  it('sends only one request for a list that is awaited several times', async () => {
    const { client, requests } = aClient(threePages)
    const list = client.payments.list()

    expect(await list).toBe(await list)
    expect(requests).toHaveLength(1)
  })

  it('sends no request before the list is awaited or iterated', async () => {
    const { client, requests } = aClient(threePages)

    client.payments.list()
    client.payments.list().pages()
    client.payments.list()[Symbol.asyncIterator]()
    await Promise.resolve()

    expect(requests).toEqual([])
  })

  it('returns status, headers and attempts from withResponse()', async () => {
    const headers = { 'x-request-id': 'request-1' }
    const { client } = aClient([Response.json(threePages[0], { headers })])
    const list = client.payments.list()

    const { data, response } = await list.withResponse()

    expect(await list).toBe(data)
    expect(response).toMatchObject({ status: 200, attempts: [{ number: 1, status: 200 }] })
    expect(response.headers.get('x-request-id')).toBe('request-1')
  })

  it('supports then, catch and finally on a list', async () => {
    const { client } = aClient([page('a'), page('b'), notFound(), page('c')])
    const finished = vi.fn()

    const results = await Promise.all([
      client.payments.list().then(({ data }) => data[0]?.id),
      client.payments.list().finally(finished),
      client.payments.list().catch((error) => error.httpStatus),
      client.payments.list().catch(() => 'no failure'),
    ])

    expect(results).toMatchObject(['a', { data: [{ id: 'b' }] }, 404, { data: [{ id: 'c' }] }])
    expect(finished).toHaveBeenCalledOnce()
  })

  it('rejects every await of a failed list with the same error after one request', async () => {
    const { client, requests } = aClient([notFound()])
    const list = client.payments.list()
    const finished = vi.fn()

    await expect(list.withResponse()).rejects.toThrow(NotFoundError)
    await expect(list.finally(finished)).rejects.toThrow(NotFoundError)
    await expect(list).rejects.toThrow(NotFoundError)
    expect(finished).toHaveBeenCalledOnce()
    expect(requests).toHaveLength(1)
  })
})

describe('a page of a list', () => {
  it('fetches the next or previous page with the same parameters and options', async () => {
    const { client, requests } = aClient([...threePages, page('c d', 'three', 'one')])

    const first = await client.payments.list({ status: ['SETTLED'], limit: 2 }, { headers: { 'x-trace': 't-1' } })
    const second = await first.nextPage()
    const third = await second?.nextPage()
    const secondAgain = await third?.previousPage()

    expect(await first.previousPage()).toBeUndefined()
    expect(third?.data).toEqual([{ id: 'e' }])
    expect(third?.hasNextPage).toBe(false)
    expect(await third?.nextPage()).toBeUndefined()
    expect(secondAgain?.data).toEqual(second?.data)
    expect(lines(requests)).toEqual([
      'GET /payments?status=SETTLED&limit=2',
      'GET /payments?status=SETTLED&limit=2&cursor=two',
      'GET /payments?status=SETTLED&limit=2&cursor=three',
      'GET /payments?status=SETTLED&limit=2&cursor=two',
    ])
    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(['t-1', 't-1', 't-1', 't-1'])
  })

  it.each([
    ['the cursor of the page itself', undefined, ['A', 'A'], 'A'],
    ['the cursor of the first page', 'A', ['B', 'A'], 'A'],
    ['the cursor of an earlier page', undefined, ['A', 'B', 'A'], 'A'],
  ])('rejects nextPage() if the next cursor is %s', async (_which, cursor, cursors, repeated) => {
    const { client, requests } = aClient(cursors.map((next, index) => page(`item-${index}`, next)))
    let last = await client.payments.list(cursor === undefined ? {} : { cursor })
    for (let count = 1; count < cursors.length; count++) last = (await last.nextPage()) as typeof last

    const next = last.nextPage()

    await expect(next).rejects.toThrow(PaginationError)
    await expect(next).rejects.toMatchObject({
      code: 'ERR_PAGINATION',
      cursor: repeated,
      operation: 'payments.list',
      message: 'payments.list: the service returned a page twice, so the list would never end',
    })
    await expect(last.nextPage()).rejects.toThrow(PaginationError)
    expect(requests).toHaveLength(cursors.length)
  })

  it('navigates forward and back between two pages', async () => {
    const [one, two, three] = [page('a', 'two'), page('b', 'three', 'one'), page('c', null, 'two')]
    const { client } = aClient([one, two, one, two, three, two, three])

    const visited: (string | undefined)[] = []
    let current = await client.payments.list()
    for (const turn of ['nextPage', 'previousPage', 'nextPage', 'nextPage', 'previousPage', 'nextPage'] as const) {
      visited.push(current.data[0]?.id)
      current = (await current[turn]()) as typeof current
    }

    expect([...visited, current.data[0]?.id]).toEqual(['a', 'b', 'a', 'b', 'c', 'b', 'c'])
  })
})
