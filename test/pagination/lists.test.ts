import { describe, expect, it, vi } from 'vitest'
import { NotFoundError, type Page, type PaymentSummary } from '../../src/index.js'
import { page, readAll, threePages } from '../support/pages.js'
import { aClient, sent } from '../support/recording-fetch.js'
import { issuesOf } from '../support/rejection.js'

const lines = (requests: readonly { line: string }[]) => requests.map(({ line }) => line)

describe('a list that is awaited', () => {
  it('is its first page', async () => {
    const { client, requests } = aClient(threePages)

    const first = await client.payments.list({ limit: 2 })

    expect(first.data).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(first.hasNextPage).toBe(true)
    expect(first.nextCursor).toBe('two')
    expect(lines(requests)).toEqual(['GET /payments?limit=2'])
  })

  it('is fetched once, however often it is awaited', async () => {
    const { client, requests } = aClient(threePages)
    const list = client.payments.list()

    expect(await list).toBe(await list)
    expect(requests).toHaveLength(1)
  })

  it('is not fetched at all when nobody reads it', async () => {
    const { client, requests } = aClient(threePages)

    client.payments.list()
    client.payments.list().pages()
    await Promise.resolve()

    expect(requests).toEqual([])
  })

  it('leads to the next page and back, with the same parameters and options', async () => {
    const { client, requests } = aClient([...threePages, page('c d', 'three', 'one')])

    const first = await client.payments.list({ status: ['SETTLED'], limit: 2 }, { headers: { 'x-trace': 't-1' } })
    const second = await first.nextPage()
    const third = await second?.nextPage()
    const back = await third?.previousPage()

    expect(third?.data).toEqual([{ id: 'e' }])
    expect(third?.hasNextPage).toBe(false)
    expect(await third?.nextPage()).toBeUndefined()
    expect(back?.data).toEqual(second?.data)
    expect(lines(requests)).toEqual([
      'GET /payments?status=SETTLED&limit=2',
      'GET /payments?status=SETTLED&limit=2&cursor=two',
      'GET /payments?status=SETTLED&limit=2&cursor=three',
      'GET /payments?status=SETTLED&limit=2&cursor=two',
    ])
    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(['t-1', 't-1', 't-1', 't-1'])
  })

  it('has no page before the first', async () => {
    const { client } = aClient(threePages)

    const first = await client.payments.list()

    expect(first.prevCursor).toBeUndefined()
    expect(await first.previousPage()).toBeUndefined()
  })

  it('starts at the cursor that is given', async () => {
    const { client, requests } = aClient([page('c d', 'three', 'one'), page('e')])

    const second = await client.payments.list({ cursor: 'two' })
    await second.nextPage()

    expect(lines(requests)).toEqual(['GET /payments?cursor=two', 'GET /payments?cursor=three'])
  })

  it('rejects as any call does', async () => {
    const { client } = aClient([Response.json({}, { status: 404 })])

    await expect(client.payments.list()).rejects.toThrow(NotFoundError)
  })

  it('tells status, headers and attempts beside its first page', async () => {
    const headers = { 'x-request-id': 'request-1' }
    const { client, requests } = aClient([Response.json(threePages[0], { headers })])
    const list = client.payments.list()

    const { data, response } = await list.withResponse()

    expect(await list).toBe(data)
    expect(data.data).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toBe('request-1')
    expect(response.attempts).toEqual([{ number: 1, durationMs: expect.any(Number), status: 200 }])
    expect(requests).toHaveLength(1)
  })

  it('stands on a promise like any other', async () => {
    const { client } = aClient([page('a'), page('b'), Response.json({}, { status: 404 }), page('c')])
    const finished = vi.fn()

    const ids = await Promise.all([
      client.payments.list().then(({ data }) => data[0]?.id),
      client.payments.list().finally(finished),
      client.payments.list().catch((error) => error.status),
      client.payments.list().catch(() => 'no failure'),
    ])

    expect(ids).toMatchObject(['a', { data: [{ id: 'b' }] }, 404, { data: [{ id: 'c' }] }])
    expect(finished).toHaveBeenCalledOnce()
  })

  it('is followed by `finally` when it fails too, and keeps its failure', async () => {
    const { client } = aClient([Response.json({}, { status: 404 })])
    const finished = vi.fn()

    await expect(client.payments.list().finally(finished)).rejects.toThrow(NotFoundError)
    expect(finished).toHaveBeenCalledOnce()
  })

  it('has one owner of its failure, in however many ways it is looked at', async () => {
    const { client, requests } = aClient([Response.json({}, { status: 404 })])
    const list = client.payments.list()

    await expect(list.withResponse()).rejects.toThrow(NotFoundError)
    await expect(list).rejects.toThrow(NotFoundError)
    expect(requests).toHaveLength(1)
  })
})

describe('a list that is iterated', () => {
  it('is every item of every page', async () => {
    const { client, requests } = aClient(threePages)

    expect(await readAll(client.payments.list({ limit: 2 }))).toEqual({ ids: ['a', 'b', 'c', 'd', 'e'] })
    expect(requests).toEqual([
      sent('GET /payments?limit=2'),
      sent('GET /payments?limit=2&cursor=two'),
      sent('GET /payments?limit=2&cursor=three'),
    ])
  })

  it('is every page with `pages`', async () => {
    const { client } = aClient(threePages)

    const pages: Page<PaymentSummary>[] = []
    for await (const onePage of client.payments.list().pages()) pages.push(onePage)

    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 1])
    expect(pages.map(({ hasNextPage }) => hasNextPage)).toEqual([true, true, false])
  })

  it('starts anew every time', async () => {
    const { client, requests } = aClient([...threePages, ...threePages])
    const list = client.payments.list()

    expect(await readAll(list)).toEqual(await readAll(list))
    expect(requests).toHaveLength(6)
  })

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
  ])('ends where the next cursor is %s', async (_what, nextCursor) => {
    const { client, requests } = aClient([page('a', 'two'), page('b', nextCursor)])

    expect(await readAll(client.payments.list())).toEqual({ ids: ['a', 'b'] })
    expect(requests).toHaveLength(2)
  })

  it('goes on after an empty page with a cursor', async () => {
    const { client } = aClient([page('a', 'two'), page('', 'three'), page('', 'four'), page('b')])

    expect(await readAll(client.payments.list())).toEqual({ ids: ['a', 'b'] })
  })

  it('may hold an item twice, when the list changed meanwhile', async () => {
    const { client } = aClient([page('a b', 'two'), page('b c')])

    expect(await readAll(client.payments.list())).toEqual({ ids: ['a', 'b', 'b', 'c'] })
  })

  it('has the next page on its way while this one is consumed, and no more than that', async () => {
    const arrived = { second: () => {} }
    const secondRequested = new Promise<void>((resolve) => {
      arrived.second = resolve
    })
    const { client, requests } = aClient([
      threePages[0] as object,
      () => {
        arrived.second()
        return Response.json(threePages[1])
      },
      threePages[2] as object,
    ])

    const requestsAt: Record<string, number> = {}
    for await (const { id } of client.payments.list()) {
      // Without the page ahead this would wait for ever.
      if (id === 'a') await secondRequested
      requestsAt[id] = requests.length
    }

    expect(requestsAt).toMatchObject({ a: 2, b: 2 })
  })
})

describe('toArray', () => {
  it('gathers as many items as it is told, and asks for no page beyond', async () => {
    const { client, requests } = aClient(threePages)

    const payments = await client.payments.list().toArray({ limit: 3 })

    expect(payments.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(requests).toHaveLength(2)
  })

  it('gathers all there are when that is less', async () => {
    const { client } = aClient(threePages)

    expect(await client.payments.list().toArray({ limit: 100 })).toHaveLength(5)
  })

  it('asks for nothing when the limit is 0', async () => {
    const { client, requests } = aClient(threePages)

    expect(await client.payments.list().toArray({ limit: 0 })).toEqual([])
    expect(requests).toEqual([])
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined])('refuses the limit %j', async (limit) => {
    expect(await issuesOf((client) => client.payments.list().toArray({ limit: limit as number }))).toEqual([
      'limit must be an integer of at least 0',
    ])
  })

  it.each([undefined, null, 5])('refuses %j in place of a limit', async (options) => {
    expect(await issuesOf((client) => client.payments.list().toArray(options as never))).toEqual([
      'limit must be an integer of at least 0',
    ])
  })
})

describe('an iterator in the hands of a caller', () => {
  const pages = () => [
    { data: [{ id: 'pay_1' }, { id: 'pay_2' }, { id: 'pay_3' }], nextCursor: 'c1' },
    { data: [{ id: 'pay_4' }] },
  ]

  it('serves those who wait for a page in the order in which they asked', async () => {
    const { client } = aClient(pages())
    const items = client.payments.list()[Symbol.asyncIterator]()
    const order: string[] = []
    const ask = (name: string) => items.next().then(({ value }) => order.push(`${name} ${value?.id}`))

    const first = ask('a')
    const second = ask('b')
    for (let turn = 0; turn < 200; turn++) await Promise.resolve()
    await Promise.all([first, second, ask('c'), ask('d')])

    expect(order).toEqual(['a pay_1', 'b pay_2', 'c pay_3', 'd pay_4'])
  })

  it('has nothing more once it was left, not even what was on its way', async () => {
    const { client } = aClient(pages())
    const items = client.payments.list()[Symbol.asyncIterator]()

    const pending = items.next()
    const left = items.return?.()

    await expect(left).resolves.toEqual({ done: true, value: undefined })
    await expect(pending).resolves.toEqual({ done: true, value: undefined })
    await expect(items.next()).resolves.toEqual({ done: true, value: undefined })
  })

  it('abandons the page that it waits for when it is left', async () => {
    const signals: AbortSignal[] = []
    const { client } = aClient([
      (request) => {
        signals.push(request.signal)
        return new Promise<never>(() => {})
      },
    ])
    const items = client.payments.list()[Symbol.asyncIterator]()

    const pending = items.next()
    await vi.waitUntil(() => signals.length === 1)
    await items.return?.()

    await expect(pending).resolves.toEqual({ done: true, value: undefined })
    expect(signals[0]?.aborted).toBe(true)
  })

  it('may be iterated itself', async () => {
    const { client } = aClient(pages())
    const seen: unknown[] = []

    for await (const { id } of client.payments.list()[Symbol.asyncIterator]()) seen.push(id)

    expect(seen).toEqual(['pay_1', 'pay_2', 'pay_3', 'pay_4'])
  })

  it('is over after an error', async () => {
    const { client } = aClient([new Response('', { status: 404 })])
    const items = client.payments.list()[Symbol.asyncIterator]()

    await expect(items.next()).rejects.toMatchObject({ name: 'NotFoundError' })

    await expect(items.next()).resolves.toEqual({ done: true, value: undefined })
  })
})

describe('a page', () => {
  it('has only what the service said of its neighbours', async () => {
    const middle = { data: [{ id: 'pay_1' }], nextCursor: 'c2', prevCursor: 'c0' }
    const { client } = aClient([middle, { data: [{ id: 'pay_1' }] }])

    const known = await client.payments.list({ cursor: 'c1' })
    const unknown = await client.payments.list()

    expect({ ...known }).toEqual({ data: [{ id: 'pay_1' }], hasNextPage: true, nextCursor: 'c2', prevCursor: 'c0' })
    expect({ ...unknown }).toStrictEqual({ data: [{ id: 'pay_1' }], hasNextPage: false })
  })

  it('names the cursor at which an iteration failed, and none where there was none', async () => {
    const { client } = aClient([pageOf('pay_1', 'c1'), new Response('', { status: 404 })])
    const failing = aClient([new Response('', { status: 404 })]).client

    const { error: second } = await readAll(client.payments.list())
    const { error: first } = await readAll(failing.payments.list())

    expect(second).toMatchObject({ name: 'NotFoundError', cursor: 'c1' })
    expect((first as NotFoundError).cursor).toBeUndefined()
  })

  it('is not asked for when enough items have come', async () => {
    const { client, requests } = aClient([pageOf('pay_1', 'c1'), pageOf('pay_2', 'c2')])

    await client.payments.list().toArray({ limit: 1 })

    expect(requests).toHaveLength(1)
  })
})

function pageOf(id: string, nextCursor: string) {
  return { data: [{ id }], nextCursor }
}
