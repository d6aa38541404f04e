import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createWebhookStore } from '../../src/stores/postgres/index.js'
import { testWebhookStore } from '../../src/testing/index.js'
import type { HandlerOptions, WebhookContext } from '../../src/webhooks/index.js'
import { aHandler, aStatusEvent, later } from '../webhooks/fixtures.js'
import { libraries } from './libraries.js'

type OnStatus = (event: { payment: { id: string } }, context: WebhookContext) => unknown

const aPayment = () => crypto.randomUUID()

describe.each(Object.entries(libraries))('the PostgreSQL webhook store on %s', async (name, open) => {
  const library = await open()
  const { connection, run } = library
  const effects = `effects_${name.replace(/\W/g, '_').toLowerCase()}`
  const insert = (payment: string) => `INSERT INTO ${effects} (payment) VALUES ('${payment}')`
  /** Adds an effect of the event's payment in the transaction of the webhook function. */
  const save: OnStatus = ({ payment }, { transaction }) => run(insert(payment.id), transaction)
  /** Creates a handler. By default, `deliver` sends events of one payment, and returns the status of the response. */
  const aShop = (onStatus: OnStatus, options: Partial<HandlerOptions> = {}) => {
    const payment = aPayment()
    const on = { 'PAYMENT.STATUS': onStatus }
    const { deliver, onError } = aHandler({ deduplicate: createWebhookStore(connection), on, ...options })
    return {
      onError,
      deliver: (changes: object = {}) => deliver(aStatusEvent({ id: payment, ...changes })),
      countEffects: async (id = payment) =>
        Number((await run(`SELECT count(*)::text AS n FROM ${effects} WHERE payment = '${id}'`))[0]?.['n']),
    }
  }

  beforeAll(async () => {
    await createWebhookStore(connection).migrate()
    await run(`CREATE TABLE ${effects} (payment text)`)
  })

  afterAll(() => library.close())

  for (const { name, run } of testWebhookStore(() => createWebhookStore(connection))) it(name, run)

  it('commits the webhook function’s writes and the delivery in one transaction', async () => {
    const { deliver, countEffects, onError } = aShop(save)

    const statuses = await Promise.all(Array.from({ length: 5 }, () => deliver()))
    const again = await deliver()

    expect(onError.mock.calls).toEqual([])
    expect(statuses.filter((status) => status === 200 || status === 409)).toHaveLength(5)
    expect([again, await countEffects()]).toEqual([200, 1])
  })

  it.each<[string, fail: (transaction: unknown) => unknown]>([
    ['throws', () => Promise.reject(new Error('canary'))],
    ['ignores a failed statement', (transaction) => run('SELECT 1/0', transaction).catch(() => {})],
  ])('rolls back if the webhook function %s, and handles the redelivery', async (_, fail) => {
    let calls = 0
    const { deliver, countEffects, onError } = aShop(async (event, context) => {
      await save(event, context)
      if (calls++ === 0) await fail(context.transaction)
    })

    expect([await deliver(), await countEffects()]).toEqual([500, 0])
    expect([await deliver(), await countEffects()]).toEqual([200, 1])
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('handles a redelivery after the webhook function ran COMMIT and then threw an error', async () => {
    const onStatus = vi.fn<OnStatus>(async (event, context) => {
      if (onStatus.mock.calls.length > 1) return save(event, context)
      await run('SELECT 1; COMMIT', context.transaction).catch(() => run('COMMIT', context.transaction))
      throw new Error('canary')
    })
    const { deliver, countEffects } = aShop(onStatus)

    expect([await deliver(), await deliver(), await countEffects()]).toEqual([500, 200, 1])
  })

  it('responds 500 if the webhook function ends the transaction', async () => {
    const { deliver, onError } = aShop((_, { transaction }) =>
      run('SELECT 1; COMMIT', transaction).catch(() => run('ROLLBACK', transaction)),
    )

    expect([await deliver(), await deliver()]).toEqual([500, 500])
    expect(onError).toHaveBeenCalledTimes(2)
  })

  it('never commits its transaction in a nested transaction', async () => {
    const { deliver, countEffects } = aShop(async (event, context) => {
      const work = (transaction: unknown) => run(insert(event.payment.id), transaction)
      await library.nested(context.transaction, work).catch(() => {})
      throw new Error('canary')
    })

    expect([await deliver(), await countEffects()]).toEqual([500, 0])
  })

  it('handles 40 deliveries at once on a pool of 3 connections', async () => {
    const small = await open(3)
    const deduplicate = createWebhookStore(small.connection, { concurrency: 1 })
    const payments = Array.from({ length: 40 }, aPayment)
    const { deliver, countEffects, onError } = aShop(
      async ({ payment }, { transaction }) => {
        await small.run(insert(payment.id), transaction)
        await small.run(insert(payment.id))
      },
      { deduplicate, serializeWait: 60_000 },
    )

    const statuses = await Promise.all(payments.map((id) => deliver({ id })))
    await small.close()

    expect(onError.mock.calls).toEqual([])
    expect(statuses).toEqual(payments.map(() => 200))
    expect(await Promise.all(payments.map(countEffects))).toEqual(payments.map(() => 2))
  })

  it('handles an event of another payment while 12 events of one payment are queued', async () => {
    const other = aPayment()
    const work = later()
    const onStatus = vi.fn<OnStatus>(({ payment }) => (payment.id === other ? undefined : work.promise))
    const { deliver } = aShop(onStatus, { serializeWait: 60_000 })

    const waiting = Array.from({ length: 12 }, (_, amount) => deliver({ amount }))
    await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
    const status = await deliver({ id: other })
    work.resolve()

    expect([status, ...(await Promise.all(waiting))]).toEqual(Array(13).fill(200))
  })

  it.each([true, false])(
    'marks an event as stale if it is one microsecond older than a handled event, with serialize: %s',
    async (serialize) => {
      const onStatus = vi.fn<OnStatus>()
      const { deliver } = aShop(onStatus, { serialize })

      for (const end of ['124', '123', '125']) await deliver({ dateUpdated: `2026-01-31T12:00:00.123${end}` })

      expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, true, false])
    },
  )
})
