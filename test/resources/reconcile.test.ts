import { describe, expect, it } from 'vitest'
import type { ReconcileQuery } from '../../src/index.js'
import { stopClock } from '../support/clock.js'
import { aClient } from '../support/recording-fetch.js'
import { issuesOf, refusal } from '../support/rejection.js'

const since = new Date('2026-03-01T12:00:00Z')
const nothing = { data: [] }
const secondsLater = (seconds: number) => new Date(since.getTime() + seconds * 1000)

describe('payments.reconcile', () => {
  it('looks for payments of the order since then, with a minute of tolerance for clocks', async () => {
    stopClock(secondsLater(5))
    const { client, requests } = aClient([{ data: [{ id: 'pay_1', status: 'AUTHORIZED' }] }])

    const found = await client.payments.reconcile({ orderId: 'order-17', since })

    expect(requests.map(({ line }) => decodeURIComponent(line))).toEqual([
      'GET /payments?order_id=order-17&from_date=2026-03-01T11:59:00.000Z',
    ])
    expect(found).toEqual({ status: 'found', payments: [{ id: 'pay_1', status: 'AUTHORIZED' }] })
  })

  it('returns all payments of the order, over all pages', async () => {
    stopClock(secondsLater(5))
    const { client } = aClient([{ data: [{ id: 'pay_1' }], nextCursor: 'two' }, { data: [{ id: 'pay_2' }] }])

    const found = await client.payments.reconcile({ orderId: 'order-17', since })

    expect(found).toEqual({ status: 'found', payments: [{ id: 'pay_1' }, { id: 'pay_2' }] })
  })

  it.each([0, 1, 59.999])('does not call a payment missing %d seconds after the attempt', async (seconds) => {
    stopClock(secondsLater(seconds))
    const { client } = aClient([nothing])

    const looked = await client.payments.reconcile({ orderId: 'order-17', since })

    expect(looked).toEqual({ status: 'not_found_yet', retryAt: secondsLater(60) })
  })

  it.each([60, 61, 86_400])('calls a payment missing %d seconds after the attempt', async (seconds) => {
    stopClock(secondsLater(seconds))
    const { client } = aClient([nothing])

    expect(await client.payments.reconcile({ orderId: 'order-17', since })).toEqual({ status: 'not_found' })
  })

  describe('that finds a payment of the minute before, which may be an earlier try', () => {
    const declined = { id: 'pay_1', status: 'DECLINED', date: '2026-03-01T11:59:55' }
    const authorized = { id: 'pay_2', status: 'AUTHORIZED', date: '2026-03-01T12:00:00' }
    const reconcile = (data: object[], seconds: number) => {
      stopClock(secondsLater(seconds))
      return aClient([{ data }]).client.payments.reconcile({ orderId: 'order-17', since })
    }

    it('goes on looking while the new one may not be listed yet', async () => {
      expect(await reconcile([declined], 59)).toEqual({ status: 'not_found_yet', retryAt: secondsLater(60) })
    })

    it.each<[string, object[], number]>([
      ['with the new one, as soon as it is listed', [declined, authorized], 1],
      ['when the new one would be listed', [declined], 60],
    ])('shows it %s', async (_when, data, seconds) => {
      expect(await reconcile(data, seconds)).toEqual({ status: 'found', payments: data })
    })

    it.each([undefined, 'someday', '2026-03-01T11:58:59', '2026-03-01T11:59:59'])(
      'takes one with the date %j for the new one',
      async (date) => {
        const payment = { id: 'pay_2', ...(date !== undefined && { date }) }

        expect(await reconcile([payment], 1)).toEqual({ status: 'found', payments: [payment] })
      },
    )
  })

  it('says when the answer will be final, and it is then', async () => {
    stopClock(secondsLater(5))
    const { client } = aClient([nothing, nothing])

    const early = await client.payments.reconcile({ orderId: 'order-17', since })
    stopClock(early.status === 'not_found_yet' ? early.retryAt : since)
    const late = await client.payments.reconcile({ orderId: 'order-17', since })

    expect([early.status, late.status]).toEqual(['not_found_yet', 'not_found'])
  })

  it('counts the minute from the last attempt, when that was later', async () => {
    stopClock(secondsLater(70))
    const { client } = aClient([nothing])

    const looked = await client.payments.reconcile({ orderId: 'order-17', since, until: secondsLater(40) })

    expect(looked).toEqual({ status: 'not_found_yet', retryAt: secondsLater(100) })
  })

  it('goes by the time at which it began to look, not by when the answer came', async () => {
    stopClock(secondsLater(59))
    const { client } = aClient([
      () => {
        stopClock(secondsLater(61))
        return Response.json(nothing)
      },
    ])

    const looked = await client.payments.reconcile({ orderId: 'order-17', since })

    expect(looked.status).toBe('not_found_yet')
  })

  it('fails as the list does', async () => {
    const { client } = aClient([Response.json({}, { status: 403 })])

    await expect(client.payments.reconcile({ orderId: 'order-17', since })).rejects.toMatchObject({
      operation: 'payments.list',
      status: 403,
      requiredScope: 'transactions:retrieve',
    })
  })

  it('passes its options on', async () => {
    const { client, requests } = aClient([nothing])

    await client.payments.reconcile({ orderId: 'order-17', since }, { headers: { 'x-trace': 't-1' } })

    expect(requests[0]?.headers['x-trace']).toBe('t-1')
  })

  it.each<[unknown, ...string[]]>([
    [{ orderId: 'order-17' }, 'since must be a valid Date'],
    [{ orderId: 'order-17', since: '2026-03-01' }, 'since must be a valid Date'],
    [{ orderId: 'order-17', since: new Date(Number.NaN) }, 'since must be a valid Date'],
    [{ orderId: 'order-17', since, until: 5 }, 'until must be a valid Date'],
    [{ orderId: 'order-17', since, until: secondsLater(-1) }, 'until must not be before since'],
    [{ since }, 'orderId must be a text that is not empty'],
    [{ orderId: '', since }, 'orderId must be a text that is not empty'],
    [{ orderId: 'order-17', since, untill: since }, 'untill is not a known name: did you mean "until"?'],
    [undefined, 'orderId must be a text that is not empty', 'since must be a valid Date'],
  ])('refuses %j', async (query, ...messages) => {
    expect(await issuesOf((client) => client.payments.reconcile(query as ReconcileQuery))).toEqual(messages)
  })

  it('names itself in what it refuses', async () => {
    const error = await refusal((client) => client.payments.reconcile({ orderId: '', since }))

    expect(error.operation).toBe('payments.reconcile')
    expect(error.message).toBe('payments.reconcile: orderId must be a text that is not empty')
  })
})
