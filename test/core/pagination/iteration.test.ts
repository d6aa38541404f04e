import { describe, expect, it, vi } from 'vitest'
import { NotFoundError, type PaymentsClient } from '../../../src/index.js'
import { aClient, failureOf, issuesOf, sent } from '../../support/clients.js'
import { page, readAll, threePages } from '../../support/pages.js'

/** Creates a client whose service returns these pages, and then never responds. `stuck` contains the open requests. */
function stuckAfter(...pages: object[]) {
  // Keeps the requests, not only their signals: the signal of a garbage-collected request never aborts.
  const stuck: Request[] = []
  const service = aClient([
    ...pages,
    (request) => {
      stuck.push(request)
      return new Promise(() => {})
    },
  ])
  const isStuck = () => vi.waitUntil(() => stuck.length > 0, { interval: 1, timeout: 60_000 })
  return { ...service, stuck, isStuck }
}

const stuckAtSecondPage = () => stuckAfter(threePages[0] as object)

type List = ReturnType<PaymentsClient['payments']['list']>

const readSlowly = async (items: AsyncIterable<unknown>) => {
  for await (const _item of items) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('the iteration over a list', () => {
  it('yields the items of all pages in every type of loop', async () => {
    const { client, requests } = aClient([...threePages, ...threePages])
    const list = client.payments.list({ limit: 2 })

    expect(await readAll(list)).toEqual({ ids: ['a', 'b', 'c', 'd', 'e'] })
    expect(await readAll(list)).toEqual({ ids: ['a', 'b', 'c', 'd', 'e'] })
    expect(requests.slice(3)).toEqual([
      sent('GET /payments?limit=2'),
      sent('GET /payments?limit=2&cursor=two'),
      sent('GET /payments?limit=2&cursor=three'),
    ])
  })

  it('sends the same filters for every page even if the caller changes the parameters', async () => {
    const { client, requests } = aClient(threePages)
    const params = { status: ['SETTLED'], limit: 2 }
    const list = client.payments.list(params)

    params.status.push('DECLINED')
    params.limit = 1
    await readAll(list)

    expect(requests).toEqual([
      sent('GET /payments?status=SETTLED&limit=2'),
      sent('GET /payments?status=SETTLED&limit=2&cursor=two'),
      sent('GET /payments?status=SETTLED&limit=2&cursor=three'),
    ])
  })

  it('prefetches only the next page while the loop reads the current page', async () => {
    const { client, requests, isStuck } = stuckAtSecondPage()

    for await (const { id } of client.payments.list()) {
      await isStuck()
      if (id === 'b') break
    }

    expect(requests).toHaveLength(2)
  })

  it('requests the next page before returning the current page’s items', async () => {
    const apiKey = async () => {
      for (let turn = 0; turn < 100; turn++) await null
      return 'key-1'
    }
    const { client, requests } = aClient(threePages, { apiKey })

    for await (const _page of client.payments.list().pages()) {
      expect(requests).toHaveLength(2)
      break
    }
  })

  it.each([
    ['items', (client: PaymentsClient) => client.payments.list()],
    ['pages', (client: PaymentsClient) => client.payments.list().pages()],
  ])('aborts the pending request when a loop over %s breaks', async (_what, iterable) => {
    const { client, requests, stuck, isStuck } = stuckAtSecondPage()

    for await (const _item of iterable(client)) {
      await isStuck()
      break
    }

    expect(stuck.map(({ signal }) => signal.aborted)).toEqual([true])
    expect(requests).toHaveLength(2)
  })

  it('throws an error with the abort reason when the caller’s signal aborts', async () => {
    const { client, isStuck } = stuckAtSecondPage()
    const controller = new AbortController()

    const reading = readAll(client.payments.list({}, { signal: controller.signal }))
    await isStuck()
    controller.abort('enough')

    expect(await reading).toMatchObject({
      ids: ['a', 'b'],
      error: { code: 'ERR_ABORTED', cursor: 'two', reason: 'enough' },
    })
  })

  it('yields the items before the failed page, then throws that page’s error', async () => {
    const { client } = aClient([...threePages.slice(0, 2), Response.json({}, { status: 404 })])

    const { ids, error } = await readAll(client.payments.list())

    expect(ids).toEqual(['a', 'b', 'c', 'd'])
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ cursor: 'three', operation: 'payments.list' })
  })

  it('omits the cursor from the error if the first page fails or the list uses offsets', async () => {
    const first = aClient([Response.json({}, { status: 404 })]).client
    const offsets = aClient([{ items: [{ id: 'a' }], total: 2 }, Response.json({}, { status: 404 })]).client

    for (const list of [first.payments.list(), offsets.loyalty.transactions.list()]) {
      expect(await failureOf(list.toArray({ limit: 2 }))).not.toHaveProperty('cursor')
    }
  })

  it.each([
    ['for await', (list: List) => readSlowly(list)],
    ['pages', (list: List) => readSlowly(list.pages())],
    ['toArray', async (list: List) => void (await list.toArray({ limit: 10 }))],
  ])('includes the caller’s line in the stack of an error, from %s', async (_what, iterate) => {
    const { client } = aClient([page('a', 'two'), Response.json({}, { status: 404 })])
    const readPayments = async () => iterate(client.payments.list())

    const error = (await failureOf(readPayments())) as Error

    expect(error.stack).toMatch(/^NotFoundError: payments\.list/)
    expect(error.stack).toMatch(/^ +at .*iteration\.test\.ts:\d+:\d+\)?\n +at readPayments \(/m)
    expect(error.stack?.split('\n').filter((line) => !/^ +at /.test(line))).toHaveLength(1)
  })

  it('keeps an error’s original stack in runtimes without Error.captureStackTrace', async () => {
    const { captureStackTrace } = Error
    Object.assign(Error, { captureStackTrace: undefined })
    const { client } = aClient([Response.json({}, { status: 404 })])

    const failing = failureOf(client.payments.list().toArray({ limit: 1 }))
    const error = await failing.finally(() => Object.assign(Error, { captureStackTrace }))

    const [first, ...frames] = error.stack?.split('\n') ?? []
    expect(first).toMatch(/^NotFoundError: payments\.list/)
    expect(frames.filter((line) => !/^ +at /.test(line) || line.includes('iteration.test.ts'))).toEqual([])
  })

  it('accepts over 100 empty pages if at most 60 are consecutive', async () => {
    const gap = Array.from({ length: 60 }, () => '')
    const pages = [...gap, 'a', ...gap, 'b'].map((ids, index) => page(ids, `cursor-${index}`))
    const { client } = aClient([...pages, page('c')])

    expect(await readAll(client.payments.list())).toEqual({ ids: ['a', 'b', 'c'] })
  })

  it.each([
    ['data', (client: PaymentsClient) => client.payments.list()],
    ['items', (client: PaymentsClient) => client.loyalty.transactions.list()],
  ])('rejects a page without the field %s, even with response validation off', async (field, list) => {
    const { client } = aClient([{ [field]: null }], { responseValidation: 'off' })

    await expect(list(client).toArray({ limit: 1 })).rejects.toThrow('the response has no array of items')
  })

  it.each([5, { page: 2 }])('rejects the cursor %j, even with response validation off', async (nextCursor) => {
    const { client, requests } = aClient([{ data: [{ id: 'a' }], nextCursor }], { responseValidation: 'off' })

    const error = await failureOf(client.payments.list().toArray({ limit: 2 }))

    expect(error).toMatchObject({ code: 'ERR_PAGINATION', operation: 'payments.list' })
    expect(error.message).toContain('the cursor is not a string')
    expect(requests).toHaveLength(1)
  })

  it('rejects a cursor with malformed Unicode before sending a request', async () => {
    const { client, requests } = aClient([page('a', '\ud800')])

    const { ids, error } = await readAll(client.payments.list())

    expect(ids).toEqual(['a'])
    expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', issues: [{ path: ['cursor'] }] })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['parameters', Object.create({ limit: 5 }), {}],
    ['options', {}, Object.create({ maxRetries: 0 })],
  ])('rejects %s with inherited properties, also after resumeFrom', async (_what, params, options) => {
    const { client, requests } = aClient([])
    const list = client.payments.list(params, options).resumeFrom('["two",0]')

    expect((await readAll(list)).error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION' })
    expect(requests).toEqual([])
  })
})

describe('list.toArray', () => {
  it('sends no request for the limit 0', async () => {
    const { client, requests } = aClient(threePages)

    expect(await client.payments.list().toArray({ limit: 0 })).toEqual([])
    expect(requests).toEqual([])
  })

  it('collects items up to the limit, and fetches no further page', async () => {
    const { client, requests } = aClient(threePages)

    const payments = await client.payments.list().toArray({ limit: 4 })

    expect(payments.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(requests).toHaveLength(2)
  })

  it.each([
    [{ limit: -1 }, 'limit must be an integer of at least 0: toArray({ limit: 100 })'],
    [{ limit: Number.POSITIVE_INFINITY }, 'limit must be an integer of at least 0: toArray({ limit: 100 })'],
    [undefined, 'limit must be an integer of at least 0: toArray({ limit: 100 })'],
    [{ limit: 5, page: 1 }, 'page is not an argument'],
  ])('rejects the options %j', async (options, issue) => {
    expect(await issuesOf((client) => client.payments.list().toArray(options as never))).toEqual([issue])
  })
})

describe('the iterator of a list', () => {
  it.each([
    ['items', (client: PaymentsClient) => client.payments.list()],
    ['pages', (client: PaymentsClient) => client.payments.list().pages()],
  ])('ends pending next() calls of %s and aborts the request after return()', async (_what, iterable) => {
    const { client, stuck, isStuck } = stuckAfter()
    const items = iterable(client)[Symbol.asyncIterator]()

    const pending = items.next()
    await isStuck()
    const results = await Promise.all([items.return?.(), pending, items.next()])

    expect(results).toEqual(Array(3).fill({ done: true, value: undefined }))
    expect(stuck[0]?.signal.aborted).toBe(true)
  })
})
