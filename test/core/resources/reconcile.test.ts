import { describe, expect, it } from 'vitest'
import { type ClientOptions, type Fetch, PaymentsClient, type ReconcileQuery } from '../../../src/index.js'
import { aClient, rejectionOf } from '../../support/clients.js'
import { stopClock } from '../../support/clock.js'
import { aPayment, startSandbox } from '../../support/start-sandbox.js'

const since = new Date('2026-03-01T12:00:00Z')
const secondsLater = (seconds: number) => new Date(since.getTime() + seconds * 1000)
const query: ReconcileQuery = { orderId: 'order-17', since, until: since }
const nothing = { data: [] }

/** Calls `reconcile` this many seconds after `since`, with a service that lists the given payments. */
function reconcile(payments: object[], seconds: number, given = query, options: ClientOptions = {}) {
  stopClock(secondsLater(seconds))
  const { client } = aClient([{ data: payments }], options)
  return client.payments.reconcile(given)
}

describe('payments.reconcile', () => {
  it('lists the order’s payments from one minute before `since`', async () => {
    stopClock(secondsLater(5))
    const { client, requests } = aClient([{ data: [{ id: 'pay_1', status: 'AUTHORIZED' }] }])

    const result = await client.payments.reconcile(query, { headers: { 'x-trace': 't-1' } })

    expect(requests.map(({ line }) => decodeURIComponent(line))).toEqual([
      'GET /payments?order_id=order-17&from_date=2026-03-01T11:59:00.000Z',
    ])
    expect(requests[0]?.headers['x-trace']).toBe('t-1')
    expect(result).toEqual({ status: 'found', payments: [{ id: 'pay_1', status: 'AUTHORIZED' }] })
  })

  it('returns the payments of all pages', async () => {
    stopClock(secondsLater(5))
    const { client } = aClient([{ data: [{ id: 'pay_1' }], nextCursor: 'two' }, { data: [{ id: 'pay_2' }] }])

    const result = await client.payments.reconcile(query)

    expect(result).toEqual({ status: 'found', payments: [{ id: 'pay_1' }, { id: 'pay_2' }] })
  })

  it.each([0, 1, 59.999])('returns "not_found_yet" %d seconds after `until`', async (seconds) => {
    expect(await reconcile([], seconds)).toEqual({ status: 'not_found_yet', retryAt: secondsLater(60), payments: [] })
  })

  it.each([60, 61, 86_400])('returns "not_found" %d seconds after `until`', async (seconds) => {
    expect(await reconcile([], seconds)).toEqual({ status: 'not_found' })
  })

  it('returns "not_found_yet" until one minute after the given `until`', async () => {
    const result = await reconcile([], 70, { ...query, until: secondsLater(40) })

    expect(result).toMatchObject({ status: 'not_found_yet', retryAt: secondsLater(100) })
  })

  it.each([
    [{}, 120],
    [{ totalTimeout: 30_000 }, 30],
  ])('uses `since` plus totalTimeout as `until` if `until` is absent: %j', async (options, seconds) => {
    const withoutUntil = { orderId: 'order-17', since }

    const early = await reconcile([], seconds + 59, withoutUntil, options)
    const late = await reconcile([], seconds + 60, withoutUntil, options)

    expect(early).toEqual({ status: 'not_found_yet', retryAt: secondsLater(seconds + 60), payments: [] })
    expect(late).toEqual({ status: 'not_found' })
  })

  it.each([
    ['in the past', 0, 'not_found_yet'],
    ['in the past, when a new payment would be listed', 60, 'not_found'],
    ['in the second before', 59, 'not_found_yet'],
  ])('uses the service’s clock even if the local clock differs by a day: %s', async (_, seconds, status) => {
    stopClock(secondsLater(seconds < 60 ? 86_400 : -86_400))
    const { client } = aClient([Response.json(nothing, { headers: { date: secondsLater(seconds).toUTCString() } })])

    expect(await client.payments.reconcile(query)).toMatchObject({ status })
  })

  it.each(['', 'yesterday', '2026-03-01T12:10:00Z'])(
    'uses the local clock if the service sends the Date header %j',
    async (date) => {
      stopClock(secondsLater(59))
      const { client } = aClient(() => Response.json(nothing, { headers: { date } }))

      expect(await client.payments.reconcile(query)).toMatchObject({ status: 'not_found_yet' })
      stopClock(secondsLater(60))
      expect(await client.payments.reconcile(query)).toEqual({ status: 'not_found' })
    },
  )

  it('returns a final result at retryAt even though the service rounds its time', async () => {
    const serviceClock = { now: secondsLater(60.1) }
    const { client } = aClient(() => Response.json(nothing, { headers: { date: serviceClock.now.toUTCString() } }))
    const args = { ...query, since: secondsLater(0.5), until: secondsLater(0.5) }

    const early = await client.payments.reconcile(args)
    if (early.status !== 'not_found_yet') return expect.unreachable()
    serviceClock.now = early.retryAt

    expect(early.retryAt.getTime()).toBeGreaterThanOrEqual(secondsLater(60.5).getTime())
    expect(await client.payments.reconcile(args)).toEqual({ status: 'not_found' })
  })

  describe('for an order with a payment from the minute before `since`,', () => {
    const earlier = { id: 'pay_1', status: 'AUTHORIZED', date: '2026-03-01T11:59:55' }
    const current = { id: 'pay_2', status: 'AUTHORIZED', date: '2026-03-01T12:00:00' }

    it('returns "not_found_yet" while the list may not contain the new payment yet', async () => {
      const result = await reconcile([earlier], 59)

      expect(result).toEqual({ status: 'not_found_yet', retryAt: secondsLater(60), payments: [earlier] })
    })

    it.each<[string, object[], number]>([
      ['if the list also contains the new payment', [earlier, current], 1],
      ['one minute after `until`', [earlier], 60],
    ])('returns the earlier payment with the status "found" %s', async (_when, payments, seconds) => {
      expect(await reconcile(payments, seconds)).toEqual({ status: 'found', payments })
    })

    it.each([undefined, 'someday', '2026-03-01T11:59:59'])(
      'treats a payment with the date %j as the new payment',
      async (date) => {
        const payment = { id: 'pay_2', ...(date !== undefined && { date }) }

        expect(await reconcile([payment], 1)).toEqual({ status: 'found', payments: [payment] })
      },
    )
  })

  it.each(['DECLINED', 'FAILED', 'CANCELLED'])(
    'waits until one minute after `until` before it returns a %s payment as "found"',
    async (status) => {
      const payments = [{ id: 'pay_1', status, date: '2026-03-01T12:00:01' }]

      expect(await reconcile(payments, 59)).toEqual({ status: 'not_found_yet', retryAt: secondsLater(60), payments })
      expect(await reconcile(payments, 60)).toEqual({ status: 'found', payments })
    },
  )

  it('returns both payments if one was declined and one succeeded', async () => {
    const payments = [
      { id: 'pay_1', status: 'DECLINED', date: '2026-03-01T12:00:01' },
      { id: 'pay_2', status: 'AUTHORIZED', date: '2026-03-01T12:00:02' },
    ]

    expect(await reconcile(payments, 5)).toEqual({ status: 'found', payments })
  })

  it('ignores payments of other orders', async () => {
    const other = { id: 'pay_1', status: 'AUTHORIZED', orderId: 'order-18' }
    const own = { id: 'pay_2', status: 'AUTHORIZED', orderId: 'order-17' }

    expect(await reconcile([other, own], 5)).toEqual({ status: 'found', payments: [own] })
    expect(await reconcile([other], 5)).toMatchObject({ status: 'not_found_yet', payments: [] })
    expect(await reconcile([other], 60)).toEqual({ status: 'not_found' })
  })

  it('ignores earlier payments that the service lists', async () => {
    const { sandbox, client } = startSandbox({ now: since })
    await client.payments.create(aPayment({ orderId: 'order-17' }))
    await sandbox.clock.advance('2h')
    const fetch: Fetch = (url, init) => sandbox.fetch(url.replace(/&from_date=[^&]+/, ''), init)
    const careless = new PaymentsClient(sandbox.clientOptions({ fetch }))

    const result = await careless.payments.reconcile({ orderId: 'order-17', since: secondsLater(3600) })

    expect(result).toEqual({ status: 'not_found' })
  })

  it('returns "not_found_yet" for a list requested within a minute after `until`', async () => {
    stopClock(secondsLater(59))
    const { client } = aClient([
      () => {
        stopClock(secondsLater(61))
        return Response.json(nothing)
      },
    ])

    expect((await client.payments.reconcile(query)).status).toBe('not_found_yet')
  })

  it('rejects with the error of the list request', async () => {
    const { client } = aClient([Response.json({}, { status: 403 })])

    await expect(client.payments.reconcile(query)).rejects.toMatchObject({
      operation: 'payments.list',
      requiredScope: 'transactions:retrieve',
    })
  })

  it.each<[unknown, string]>([
    [{ orderId: 'order-17' }, 'since must be a valid Date'],
    [{ ...query, since: new Date(Number.NaN) }, 'since must be a valid Date'],
    [{ ...query, until: 5 }, 'until must be a valid Date'],
    [{ ...query, until: secondsLater(-1) }, 'until must not be before since'],
    [{ since }, 'orderId must be a non-empty string'],
    [{ orderId: '', since }, 'orderId must be a non-empty string'],
    [{ ...query, untill: since }, 'untill is not a parameter: did you mean "until"?'],
    [undefined, 'the value must be an object of parameters'],
    [Object.create(query), 'orderId is inherited, so JSON would omit it: copy the data into a plain object'],
  ])('rejects the arguments %j', async (given, message) => {
    const error = await rejectionOf((client) => client.payments.reconcile(given as ReconcileQuery))

    expect(error.operation).toBe('payments.reconcile')
    expect(error.message).toBe(`payments.reconcile: ${message}`)
  })
})
