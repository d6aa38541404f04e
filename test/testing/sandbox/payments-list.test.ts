import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ListPaymentsParams } from '../../../src/index.js'
import { aPayment, refusal, send, startSandbox } from '../../support/start-sandbox.js'

/** Starts a sandbox with this many payments, created an hour apart. Returns their ids in order of creation. */
async function startWithMany(count: number) {
  const started = startSandbox()
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    const { id } = await started.client.payments.create(aPayment({ orderId: `order-${number}`, amount: number }))
    ids.push(id)
    await started.sandbox.clock.advance('1h')
  }
  return { ...started, ids }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe('payments.list', () => {
  it.each<[ListPaymentsParams, positions: number[]]>([
    [{ fromDate: '2026-01-31T13:00:00.001' }, [2, 3]],
    [{ toDate: '2026-01-31 13:00:00' }, [0, 1]],
    [{ fromDate: '2026-01-31T14:00:00+01:00', toDate: '2026-01-31T13:00:00Z' }, [1]],
    [{ toDate: '2026-01-31' }, []],
    [{ minAmount: 1, maxAmount: 2 }, [1, 2]],
    [{ orderId: 'order-unknown' }, []],
    [{ customerId: 'customer-unknown' }, []],
  ])('filters payments by %j', async (params, positions) => {
    const { client, ids } = await startWithMany(4)

    const { data, nextCursor, prevCursor } = await client.payments.list(params)

    expect(data.map(({ id }) => ids.indexOf(id))).toEqual(positions)
    expect({ nextCursor, prevCursor }).toEqual({})
  })

  it.each([
    ['0', 'must be an integer from 1 to 100'],
    ['101', 'must be an integer from 1 to 100'],
    ['', 'must be an integer'],
    ['1e1', 'must be an integer'],
    ['1&limit=2', 'must be an integer'],
  ])('rejects a limit of %s', async (limit, description) => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'GET', `/payments?limit=${limit}`)

    expect(status).toBe(400)
    expect(json.error.validationErrors).toEqual([{ model: 'query', errors: [{ path: '$.limit', description }] }])
  })

  it.each([
    ['min_amount=-1&limit=100', 2],
    ['min_amount=1&limit=100', 1],
    ['max_amount=-1', 0],
    ['limit=1&max_amount=10', 1],
  ])('accepts integer filters of any sign and length: %s', async (query, expected) => {
    const { sandbox } = await startWithMany(2)

    const { json } = await send(sandbox, 'GET', `/payments?${query}`)

    expect(json.data).toHaveLength(expected)
  })

  it('filters by an order id with leading zeros without converting it to a number', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment({ orderId: '0017' }))

    const { data } = await client.payments.list({ orderId: '0017', limit: 1 })

    expect(data.map((row) => row.id)).toEqual([id])
  })

  it('continues at the cursor even after payments were added and changed', async () => {
    const { client, ids } = await startWithMany(4)
    const first = await client.payments.list({ limit: 2 })

    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(ids[0] as string, {})
    const rest = await client.payments.list({ limit: 100, cursor: first.nextCursor })

    expect(rest.data.map((row) => row.id)).toEqual([...ids.slice(2), id])
  })

  it.each([
    ['another direction', (cursor: string) => cursor.replace('on', 'off')],
    ['no position', (cursor: string) => cursor.replace('.1.', '..')],
    ['an infinite position', (cursor: string) => cursor.replace('.1.', '.1000000000000000.')],
    ['a prefix', (cursor: string) => `x${cursor}`],
    ['a suffix', (cursor: string) => `${cursor}x`],
    ['other separators', (cursor: string) => cursor.replaceAll('.', ',')],
    ['no fingerprint', (cursor: string) => cursor.replace(/\d+$/, '')],
    ['another format', () => 'page-2'],
  ])('rejects a cursor with %s', async (_, change) => {
    const { client } = await startWithMany(2)
    const { nextCursor } = await client.payments.list({ limit: 1 })

    const error = await refusal(client.payments.list({ cursor: change(nextCursor as string) }))

    expect(error).toMatchObject({ httpStatus: 400, errorId: 'InvalidCursor' })
  })

  it('rejects a cursor from a list with other filters', async () => {
    const { client } = await startWithMany(3)
    const { nextCursor } = await client.payments.list({ limit: 1, currencyCode: 'EUR' })

    const other = await refusal(client.payments.list({ limit: 1, currencyCode: 'USD', cursor: nextCursor }))
    const none = await refusal(client.payments.list({ cursor: nextCursor }))

    expect([other, none]).toMatchObject(Array(2).fill({ httpStatus: 400, errorId: 'InvalidCursor' }))
  })

  it.each([
    ['forward', 1, 'prevCursor', 'nextCursor', 0],
    ['backward', 0, 'nextCursor', 'prevCursor', 1],
  ] as const)('continues %s from a page that has become empty', async (_, from, away, back, changed) => {
    const { client, ids } = await startWithMany(2)
    const filters = { status: 'AUTHORIZED', limit: 1 }
    const first = await client.payments.list(filters)
    const page = from === 0 ? first : await first.nextPage()
    await client.payments.capture(ids[changed] as string)

    const empty = await client.payments.list({ ...filters, cursor: page?.[away] })
    const { data } = await client.payments.list({ ...filters, cursor: empty[back] })

    expect(empty.data).toEqual([])
    expect(empty[away]).toBeUndefined()
    expect(data.map(({ id }) => id)).toEqual([ids[from]])
  })
})
