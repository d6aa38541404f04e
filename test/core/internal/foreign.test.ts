import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toDate } from '../../../src/index.js'
import { verify } from '../../../src/webhooks/index.js'
import { aClient, failureOf } from '../../support/clients.js'
import { startSandbox } from '../../support/start-sandbox.js'
import { aStatusEvent, currentSecret, signed } from '../../webhooks/fixtures.js'

const time = '2026-03-02T09:00:00.000Z'
const foreignDate = runInNewContext(`new Date('${time}')`) as Date

const external = {
  paymentId: 'till-1',
  currencyCode: 'EUR',
  amount: 700,
  processor: { name: 'TILL' },
  order: { id: 'order-1' },
  paymentMethod: { paymentMethodType: 'PAYMENT_CARD' },
} as const

describe('Dates from another realm', () => {
  it('creates Dates that are not instances of this realm’s Date', () => {
    expect(foreignDate).not.toBeInstanceOf(Date)
  })

  it('accepts a Date from another realm as a query parameter', async () => {
    const { client, requests } = aClient([{ data: [] }, {}])

    await client.payments.list({ fromDate: foreignDate })
    await client.request({ method: 'GET', path: '/reports', query: { since: foreignDate } })

    expect(requests.map(({ line }) => decodeURIComponent(line))).toEqual([
      `GET /payments?from_date=${time}`,
      `GET /reports?since=${time}`,
    ])
  })

  it('accepts a Date from another realm in payments.reconcile', async () => {
    const { client } = startSandbox()

    expect(await client.payments.reconcile({ orderId: 'order-1', since: foreignDate })).toMatchObject({})
  })

  it('accepts a Date from another realm as verify’s option now', () => {
    const body = JSON.stringify({ ...aStatusEvent(), date: time })

    expect(verify(body, signed(body), currentSecret, { tolerance: 1, now: foreignDate })).toMatchObject({ date: time })
  })

  it.each([
    ['of another realm', foreignDate],
    ['of this realm', new Date(time)],
  ])('sends a Date from another realm as ISO 8601 in a body: a Date %s', async (_, createdAt) => {
    const { client } = startSandbox()

    expect(await client.observability.payments.create({ ...external, createdAt })).toMatchObject({ createdAt: time })
  })

  it('sends ISO 8601 even if a library has replaced Date.prototype.toJSON', async () => {
    const { client } = startSandbox()
    vi.spyOn(Date.prototype, 'toJSON').mockReturnValue('2 March')
    onTestFinished(() => void vi.restoreAllMocks())

    const created = client.observability.payments.create({ ...external, createdAt: new Date(time) })

    expect(await created).toMatchObject({ createdAt: time })
  })

  it.each([
    ['a field that is not a datetime', { orderId: foreignDate }, 'orderId is a Date: pass an ISO 8601 string, such as'],
    ['metadata', { metadata: { at: foreignDate } }, 'metadata.at must be a string or an integer'],
  ])('rejects a Date from another realm in %s', async (_, fields, message) => {
    const { client } = aClient([])
    const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok', ...fields } as never))

    expect(error.message).toContain(message)
  })

  it('rejects an invalid Date from another realm in a body', async () => {
    const { client } = aClient([])
    const createdAt = new Date(Number.NaN)
    const error = await failureOf(client.observability.payments.create({ ...external, createdAt }))

    expect(error.message).toContain('createdAt must be a valid Date')
  })
})

describe('AbortSignals from another realm', () => {
  /** Imitates the classes of jsdom, which are not those of Node. */
  class ForeignSignal extends EventTarget {
    aborted = false
    reason: unknown
    abort() {
      Object.assign(this, { aborted: true, reason: 'left' })
      this.dispatchEvent(new Event('abort'))
    }
  }

  it('aborts a call and a list with an AbortSignal from another realm', async () => {
    const silence = () => new Promise<Response>(() => {})
    const { client } = aClient([silence, silence])
    const signal = new ForeignSignal()
    const options = { signal: signal as unknown as AbortSignal }

    const failures = [
      failureOf(client.payments.get('pay_1', options)),
      failureOf(client.payments.list({}, options).toArray({ limit: 10 })),
    ]
    signal.abort()

    expect((await Promise.all(failures)).map(({ code }) => code)).toEqual(['ERR_ABORTED', 'ERR_ABORTED'])
  })
})

describe('a method that is called without its object', () => {
  const { client } = aClient([])
  const { create } = client.payments
  const { request } = client

  it.each<[string, () => unknown]>([
    ['payments.create', () => create({ paymentMethodToken: 'tok' })],
    ['payments.create of another object', () => ({ create }).create({ paymentMethodToken: 'tok' })],
    ['client.request', () => request({ method: 'GET', path: '/reports' })],
  ])('explains how to call a method that was detached from its object: %s', (_, call) => {
    expect(call).toThrow('write client.payments.create(…) instead of const { create } = client.payments')
  })
})

describe('toDate', () => {
  it.each(['2026-03-02 10:00:00+01', '2026-03-02 09:00:00+00', '2026-03-02T09:00:00-00'])(
    'parses the UTC offset of %s, as PostgreSQL formats it',
    (datetime) => {
      expect(toDate(datetime).toISOString()).toBe(time)
    },
  )
})
