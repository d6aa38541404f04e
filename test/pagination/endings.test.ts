import { describe, expect, it } from 'vitest'
import { NotFoundError, PaginationError, type PaymentsClient } from '../../src/index.js'
import { failureOf } from '../support/failures.js'
import { page, readAll, threePages } from '../support/pages.js'
import { aClient } from '../support/recording-fetch.js'

describe('a list that is left', () => {
  /** Three pages of which the second never comes, and the signals of the requests. */
  function stuckAtTheSecond() {
    const signals: AbortSignal[] = []
    const service = aClient([
      threePages[0] as object,
      (request) => {
        signals.push(request.signal)
        return new Promise(() => {})
      },
    ])
    return { ...service, signals }
  }

  it('abandons the page that is on its way, and asks for no other', async () => {
    const { client, requests, signals } = stuckAtTheSecond()

    for await (const { id } of client.payments.list()) {
      while (signals.length === 0) await new Promise(setImmediate)
      if (id === 'b') break
    }

    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(requests).toHaveLength(2)
  })

  it('abandons it too when the loop throws', async () => {
    const { client, requests, signals } = stuckAtTheSecond()

    const reading = (async () => {
      for await (const _payment of client.payments.list()) {
        while (signals.length === 0) await new Promise(setImmediate)
        throw new Error('enough')
      }
    })()

    await expect(reading).rejects.toThrow('enough')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(requests).toHaveLength(2)
  })

  it('abandons it too when it is read page by page', async () => {
    const { client, signals } = stuckAtTheSecond()
    const pages = client.payments.list().pages()

    await pages.next()
    while (signals.length === 0) await new Promise(setImmediate)
    await pages.return()

    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('says nothing of a page ahead that failed, since nobody asked for it', async () => {
    const { client, requests } = aClient([threePages[0] as object, Response.json({}, { status: 404 })])

    for await (const _payment of client.payments.list()) {
      while (requests.length < 2) await new Promise(setImmediate)
      await new Promise(setImmediate)
      break
    }

    expect(requests).toHaveLength(2)
  })

  it("ends when the caller's signal does", async () => {
    const { client, signals } = stuckAtTheSecond()
    const controller = new AbortController()

    const reading = readAll(client.payments.list({}, { signal: controller.signal }))
    while (signals.length === 0) await new Promise(setImmediate)
    controller.abort()

    expect(await reading).toMatchObject({ ids: ['a', 'b'], error: { code: 'ERR_ABORTED', cursor: 'two' } })
  })
})

describe('a list that goes wrong', () => {
  it('delivers what came before, and says where to resume', async () => {
    const { client, requests } = aClient([...threePages.slice(0, 2), Response.json({}, { status: 404 })])

    const { ids, error } = await readAll(client.payments.list())

    expect(ids).toEqual(['a', 'b', 'c', 'd'])
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ cursor: 'three' })
    expect(requests).toHaveLength(3)
  })

  it('is never cut short in silence: a limit of the service is an error', async () => {
    const error = { errorId: 'PaginationLimitError', description: 'Too deep' }
    const { client } = aClient([page('a', 'two'), Response.json({ error }, { status: 400 })])

    expect(await readAll(client.payments.list())).toMatchObject({
      ids: ['a'],
      error: { status: 400, errorId: 'PaginationLimitError', cursor: 'two' },
    })
  })

  it.each([
    ['comes again at once', [page('a', 'two'), page('b', 'two')], ['a', 'b'], 'two'],
    ['comes again later', [page('a', 'A'), page('b', 'B'), page('c', 'A')], ['a', 'b', 'c'], 'A'],
    ['changes only its case, then comes again', [page('a', 'x'), page('b', 'X'), page('c', 'x')], ['a', 'b', 'c'], 'x'],
  ])('ends with an error when a cursor %s', async (_how, pages, expected, cursor) => {
    const { client, requests } = aClient(pages)

    const { ids, error } = await readAll(client.payments.list())

    expect(ids).toEqual(expected)
    expect(error).toBeInstanceOf(PaginationError)
    expect(error).toMatchObject({ code: 'ERR_PAGINATION', cursor })
    expect((error as PaginationError).outcome).toBeUndefined()
    expect(requests).toHaveLength(pages.length)
  })

  it('notices that the first page comes again, when it had a cursor itself', async () => {
    const { client } = aClient([page('a', 'one')])

    expect(await readAll(client.payments.list({ cursor: 'one' }))).toMatchObject({
      ids: ['a'],
      error: { code: 'ERR_PAGINATION', cursor: 'one' },
    })
  })

  it('ends with an error when page after page is empty', async () => {
    const pages = Array.from({ length: 200 }, (_, index) => page('', `cursor-${index}`))
    const { client, requests } = aClient(pages)

    expect(await readAll(client.payments.list())).toMatchObject({
      ids: [],
      error: { code: 'ERR_PAGINATION', message: '100 pages in a row were empty', cursor: 'cursor-99' },
    })
    expect(requests).toHaveLength(100)
  })

  it('believes any number of empty pages that are not in a row', async () => {
    const gap = Array.from({ length: 60 }, () => '')
    const pages = [...gap, 'a', ...gap, 'b'].map((ids, index) => page(ids, `cursor-${index}`))
    const { client } = aClient([...pages, page('c')])

    expect(await readAll(client.payments.list())).toEqual({ ids: ['a', 'b', 'c'] })
  })

  it.each([
    ['rows', 'data', (client: PaymentsClient) => client.payments.list()],
    ['items', 'items', (client: PaymentsClient) => client.loyalty.transactions.list()],
  ])('does not take a page without %s for the last one, where answers are not checked', async (_what, field, list) => {
    const { client } = aClient([{ [field]: null }], { responseValidation: 'off' })

    await expect(list(client).toArray({ limit: 1 })).rejects.toThrow('The answer has no list of items')
  })

  it('has no cursor to resume at where the list has none', async () => {
    const { client } = aClient([{ items: [{ id: 'a' }], total: 2 }, Response.json({}, { status: 404 })])

    const error = await failureOf(client.loyalty.transactions.list().toArray({ limit: 2 }))

    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).not.toHaveProperty('cursor')
  })
})

describe('a page whose next one leads back', () => {
  it('rejects at once when a page names itself as the next', async () => {
    const { client, requests } = aClient([page('a', 'A'), page('b', 'A')])
    const first = await client.payments.list()
    const second = await first.nextPage()

    const third = second?.nextPage()

    await expect(third).rejects.toThrow(PaginationError)
    await expect(third).rejects.toMatchObject({ code: 'ERR_PAGINATION', cursor: 'A' })
    expect(second?.hasNextPage).toBe(true)
    expect(requests).toHaveLength(2)
  })

  it('rejects on a page of an iteration too', async () => {
    const { client } = aClient([page('a', 'A'), page('b', 'A')])
    const pages = client.payments.list().pages()
    await pages.next()
    const { value: second } = await pages.next()

    await expect(second?.nextPage()).rejects.toMatchObject({ code: 'ERR_PAGINATION', cursor: 'A' })
  })

  it('rejects when the way goes round in a circle', async () => {
    const { client, requests } = aClient([page('a', 'B'), page('b', 'A')])
    const first = await client.payments.list({ cursor: 'A' })
    const second = await first.nextPage()

    await expect(second?.nextPage()).rejects.toMatchObject({ code: 'ERR_PAGINATION', cursor: 'A' })
    expect(requests).toHaveLength(2)
  })

  it('rejects when the circle begins later, and at every further try', async () => {
    const { client, requests } = aClient([page('a', 'A'), page('b', 'B'), page('c', 'A')])
    const first = await client.payments.list()
    const third = await (await first.nextPage())?.nextPage()

    await expect(third?.nextPage()).rejects.toThrow(PaginationError)
    await expect(third?.nextPage()).rejects.toThrow('The list repeats itself, so it would never end')
    expect(requests).toHaveLength(3)
  })

  it('ends a loop over pages that would have no end', async () => {
    const { client } = aClient(
      Array.from({ length: 100 }, (_, turn) => page(`item-${turn}`, ['A', 'B', 'C'][turn % 3])),
    )

    const ids: (string | undefined)[] = []
    const reading = (async () => {
      for (let at = await client.payments.list(); at !== undefined; at = (await at.nextPage()) as typeof at) {
        ids.push(at.data[0]?.id)
      }
    })()

    await expect(reading).rejects.toThrow(PaginationError)
    expect(ids).toEqual(['item-0', 'item-1', 'item-2', 'item-3'])
  })

  it('is told from one that someone goes back to: back and forth is no circle', async () => {
    const [one, two, three] = [page('a', 'two'), page('b', 'three', 'one'), page('c', null, 'two')]
    const { client } = aClient([one, two, one, two, three, two, three])

    const visited: (string | undefined)[] = []
    let at = await client.payments.list()
    for (const turn of ['nextPage', 'previousPage', 'nextPage', 'nextPage', 'previousPage', 'nextPage'] as const) {
      visited.push(at.data[0]?.id)
      at = (await at[turn]()) as typeof at
    }

    expect([...visited, at.data[0]?.id]).toEqual(['a', 'b', 'a', 'b', 'c', 'b', 'c'])
  })

  it('may be asked for twice by the same page', async () => {
    const { client } = aClient([page('a', 'two'), page('b'), page('b')])
    const first = await client.payments.list()

    const twice = [await first.nextPage(), await first.nextPage()]

    expect(twice.map((at) => at?.data[0]?.id)).toEqual(['b', 'b'])
  })
})
