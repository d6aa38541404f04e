import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runtimeOption, systemRuntime } from '../../src/core/internal/runtime.js'
import type { OperationRecord } from '../../src/index.js'
import { failureOf } from '../support/clients.js'
import { aShop, dropped, type JournalDatabase, lost } from './shop.js'

const posts = (requests: readonly string[], path: string) => requests.filter((line) => line === `POST ${path}`).length

/** Declares tests for the rules that limit what a journal sends. Every journal must pass them. */
export function testRules(database: JournalDatabase): void {
  describe('a journal with clients of several services', () => {
    const other = { baseUrl: 'https://staging.example/v2/' }

    async function aForeignRefund() {
      const shop = await aShop(database)
      const id = await shop.planRefund({ amount: 500 })
      const stored = await shop.get('refund-1')
      shop.requests.length = 0
      return { shop, id, stored, stranger: shop.aClient(other) }
    }

    it.each<[string, (shop: Awaited<ReturnType<typeof aForeignRefund>>) => PromiseLike<unknown>]>([
      ['operations.run', ({ stranger }) => stranger.operations.run('refund-1')],
      [
        'a direct call',
        ({ stranger, id }) => stranger.payments.refund(id, { amount: 500 }, { idempotencyKey: 'refund-1' }),
      ],
    ])('rejects %s if the operation belongs to another base URL', async (_, call) => {
      const foreign = await aForeignRefund()

      const error = await failureOf(call(foreign))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', idempotencyKey: 'refund-1' })
      expect(error.message).toContain('1 operation (with the key refund-1) belongs to another service')
      expect(foreign.shop.requests).toEqual([])
      expect(await foreign.shop.get('refund-1')).toEqual(foreign.stored)
    })

    it('recovers its own operations, then reports those of another base URL', async () => {
      const { shop, stored, stranger } = await aForeignRefund()
      await database.transact((transaction) =>
        stranger.operations.plan(transaction, { key: 'create-1', operation: 'payments.create', body: shop.body() }),
      )

      const error = await failureOf(stranger.operations.recover())

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION' })
      expect(error.message).toContain('1 operation (with the key refund-1) belongs to another service')
      expect(posts(shop.requests, '/v2/payments')).toBe(1)
      expect(await shop.get('refund-1')).toEqual(stored)
    })

    it('reports another base URL’s finished operation instead of passing it to onSettled', async () => {
      const { shop, stranger } = await aForeignRefund()
      await shop.client.operations.recover({ onSettled: () => {} })
      await shop.plan({ key: 'create-2', operation: 'payments.create', body: shop.body() })
      await shop.run('create-2')
      const onSettled = vi.fn()

      const error = await failureOf(stranger.operations.recover({ onSettled }))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', retry: 'no' })
      expect(error.message).toContain('1 operation (with the key create-2) belongs to another service')
      expect(onSettled).not.toHaveBeenCalled()
      expect(await stranger.operations.recover()).toEqual({ finished: 0, open: 0, needsReview: 0 })
    })

    it('accepts the same base URL with a trailing slash', async () => {
      const { shop } = await aForeignRefund()
      const { baseUrl } = shop.sandbox.clientOptions()

      await shop.aClient({ baseUrl: `${baseUrl}/` }).operations.run('refund-1')

      expect(shop.effects('refund-1')).toHaveLength(1)
    })

    it('sends an operation with the API version that it was recorded with', async () => {
      const shop = await aShop(database)
      const versions: unknown[] = []
      const fetch = async (input: string, init: RequestInit) => {
        versions.push(new Headers(init.headers).get('x-api-version'))
        return shop.sandbox.fetch(input, init)
      }
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })

      await shop.aClient({ apiVersion: '2.1', fetch } as never).operations.run('create-1')

      expect(versions).toEqual(['2021-09-27'])
    })

    it.skipIf(!database.spoil)('keeps an operation open if the client rejects its stored arguments', async () => {
      const shop = await aShop(database)
      const id = await shop.planRefund({ amount: 500 })
      await shop.spoil('refund-1', 'body', '{"amount":-1}')

      const error = await failureOf(shop.run('refund-1'))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent', retry: 'same-key' })
      expect(await shop.client.operations.recover()).toEqual({ finished: 0, open: 1, needsReview: 0 })
      expect(await shop.stateOf('refund-1')).toBe('planned')
      expect(posts(shop.requests, `/payments/${id}/refund`)).toBe(0)
    })
  })

  describe('a payment of an order that has another open payment', () => {
    it.each([
      ['planned', undefined],
      ['unknown', lost],
      ['sent', { at: 'before', status: 429 }],
    ] as const)('rejects a second payment of an order if the first one is %s', async (state, fault) => {
      const shop = await aShop(database)
      const body = shop.body()
      if (fault) await shop.fails(fault, 'create', body, { idempotencyKey: 'job-1' })
      else await shop.plan({ key: 'job-1', operation: 'payments.create', body })
      expect(await shop.stateOf('job-1')).toBe(state)
      shop.requests.length = 0

      const calls = [
        () => shop.client.payments.create({ ...body, amount: 1 }, { idempotencyKey: 'job-2' }),
        () => shop.plan({ key: 'job-2', operation: 'payments.create', body }),
      ]

      for (const call of calls) {
        const error = await failureOf(call())
        const facts = { outcome: 'not_sent', retry: 'check-first', openKey: 'job-1' }
        expect(error).toMatchObject({ code: 'ERR_OPERATION', ...facts, record: { key: 'job-1' } })
        expect(error.message).toContain('the order has another open payment, with the key job-1')
      }
      expect(shop.requests).toEqual([])
      expect(await shop.client.operations.list()).toHaveLength(1)
    })

    it('rejects a second payment of an order if the first one needs a review', async () => {
      const shop = await aShop(database)
      await shop.fails(lost, 'create', shop.body(), { idempotencyKey: 'job-1' })
      await shop.outside.payments.create(shop.body())
      await shop.recoverAfter('3m')
      expect(await shop.stateOf('job-1')).toBe('needs_review')

      const error = await failureOf(shop.client.payments.create(shop.body(), { idempotencyKey: 'job-2' }))

      expect(error).toMatchObject({ openKey: 'job-1' })
    })

    it('accepts a second payment of an order after the first one has failed', async () => {
      const shop = await aShop(database)
      await failureOf(shop.client.payments.create({ ...shop.body(), paymentMethodToken: 'unknown' }))

      await shop.client.payments.create(shop.body(), { idempotencyKey: 'job-2' })

      expect(await shop.stateOf('job-2')).toBe('succeeded')
    })

    it('accepts a second payment of an order with allowSecondPayment', async () => {
      const shop = await aShop(database)
      await shop.plan({ key: 'half-1', operation: 'payments.create', body: shop.body() })
      await shop.plan({ key: 'half-2', operation: 'payments.create', body: shop.body(), allowSecondPayment: true })
      await shop.client.payments.create(shop.body(), { idempotencyKey: 'half-3', allowSecondPayment: true })

      await shop.run('half-1')
      await shop.run('half-2')

      expect(shop.sandbox.ledger).toHaveLength(3)
    })
  })

  describe('operations.recover', () => {
    it('looks up a payment without resending it if the customer may have left', async () => {
      const shop = await aShop(database)
      await shop.authorize() // The response shows the client how far the clocks differ.
      await shop.fails(dropped, 'create', shop.body(), { idempotencyKey: 'create-1' })
      shop.requests.length = 0

      expect(await shop.recoverAfter('30s')).toEqual({ finished: 0, open: 1, needsReview: 0 })
      expect(posts(shop.requests, '/payments')).toBe(0)
      expect(await shop.run('create-1')).toMatchObject({ payment: { status: 'AUTHORIZED' } })
    })

    it.each(['SUBSCRIPTION', 'UNSCHEDULED'] as const)(
      'resends a payment of the type %s, which needs no customer',
      async (paymentType) => {
        const shop = await aShop(database)
        const body = { ...shop.body(), paymentMethod: { paymentType } }
        await shop.fails(dropped, 'create', body, { idempotencyKey: 'renewal-1' })

        expect(await shop.recoverAfter('3h')).toEqual({ finished: 1, open: 0, needsReview: 0 })
        expect(await shop.get('renewal-1')).toMatchObject({ state: 'succeeded', resendFor: 86_400_000 })
        expect(shop.effects('renewal-1')).toHaveLength(1)
      },
    )

    it('waits for the time in Retry-After before it sends another request', async () => {
      const shop = await aShop(database)
      await shop.planRefund()
      const limit = { status: 429, headers: { 'retry-after': '1800' } }
      shop.sandbox.faults.add({ at: 'before', ...limit, operation: 'payments.refund' })
      expect(await shop.client.operations.recover()).toMatchObject({ open: 1 })
      shop.requests.length = 0

      await shop.pass(1_795_000)
      expect(await shop.client.operations.recover()).toEqual({ finished: 0, open: 1, needsReview: 0 })
      expect(shop.requests).toEqual([])
      await shop.pass(6_000)
      expect(await shop.client.operations.recover()).toMatchObject({ finished: 1 })
    })

    it('waits at most an hour after a longer Retry-After', async () => {
      const shop = await aShop(database)
      await shop.planRefund()
      const limit = { status: 429, headers: { 'retry-after': '999999999' } }
      shop.sandbox.faults.add({ at: 'before', ...limit, operation: 'payments.refund' })
      expect(await shop.client.operations.recover()).toMatchObject({ open: 1 })

      await shop.pass(3_600_000)

      expect(await shop.client.operations.recover()).toMatchObject({ finished: 1 })
    })

    it('looks up a payment after resendFor, regardless of Retry-After', async () => {
      const shop = await aShop(database, { options: { resendFor: 1_000 } })
      await shop.fails(dropped, 'create', shop.body(), { idempotencyKey: 'create-1' })
      await shop.pass(30_000)
      const limit = { status: 429, headers: { 'retry-after': '86400' } }
      shop.sandbox.faults.add({ at: 'before', ...limit, operation: 'payments.list' })
      expect(await shop.client.operations.recover()).toMatchObject({ open: 1 })

      await shop.pass(601_000)
      expect(await shop.recoverAfter('11m')).toMatchObject({ finished: 1 })
    })

    it.each([401, 403, 429, 503])('waits longer after each consecutive %i response', async (status) => {
      const shop = await aShop(database)
      const id = await shop.planRefund()
      shop.sandbox.faults.add({ at: 'before', status, operation: 'payments.refund', times: 100 })
      shop.requests.length = 0

      for (let second = 0; second < 180; second += 5) {
        await shop.client.operations.recover()
        await shop.pass(5_000)
      }

      expect(posts(shop.requests, `/payments/${id}/refund`)).toBeLessThan(10)
      shop.sandbox.faults.clear()
      await shop.run('refund-1')
      expect(shop.effects('refund-1')).toHaveLength(1)
    })

    it('retries immediately after Retry-After: 0', async () => {
      const shop = await aShop(database)
      await shop.planRefund()
      const refusal = { status: 429, headers: { 'retry-after': '0' }, operation: 'payments.refund', times: 3 } as const
      shop.sandbox.faults.add({ at: 'before', ...refusal })

      for (let call = 0; call < 3; call++) expect(await shop.client.operations.recover()).toMatchObject({ open: 1 })

      expect(await shop.client.operations.recover()).toMatchObject({ finished: 1 })
    })

    it.skipIf(!database.spoil).each([
      ['details', '{'],
      ['body', 'x'],
      ['operation', 'payments.unknown'],
      ['state', 'unclear'],
    ])('skips and reports a record with a damaged %s', async (column, value) => {
      const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
      const shop = await aShop(database, { logger })
      const id = await shop.planRefund({ amount: 500 })
      await shop.plan({ key: 'refund-2', operation: 'payments.capture', id: 'pay_2', body: { amount: 5 } })
      await shop.spoil('refund-2', column, value)
      const other = await shop.pay('another')
      await shop.plan({ key: 'refund-3', operation: 'payments.refund', id: other })

      expect(await shop.client.operations.recover()).toEqual({ finished: 2, open: 1, needsReview: 0 })

      expect(logger.error.mock.calls.flat().join()).toContain('record of the key refund-2 is damaged')
      expect(shop.effects('refund-1')).toMatchObject([{ resourceId: id }])
      const keys = (await shop.client.operations.list()).map(({ key }) => key)
      expect(keys).toContain('refund-3')
      expect(keys).not.toContain('refund-2')
      expect(await failureOf(shop.run('refund-2'))).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
    })

    it.skipIf(!database.spoil)('warns the caller if onSettled ran no SQL statement', async () => {
      const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
      const shop = await aShop(database, { logger })
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })

      await shop.client.operations.recover({ onSettled: () => {} })

      expect(logger.warn.mock.calls.flat().join()).toContain('the function onSettled ran no statement (key create-1)')
      expect(await shop.get('create-1')).toMatchObject({ acknowledgedAt: expect.any(Date) })
    })

    it.skipIf(!database.spoil)('does not warn the caller if onSettled wrote a row', async () => {
      const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
      const shop = await aShop(database, { logger })
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })

      await shop.client.operations.recover({
        onSettled: (_, transaction) => database.write?.(shop.name, transaction),
      })

      expect(logger.warn.mock.calls.flat().join()).not.toContain('onSettled')
    })

    it('hides the details of a database error when an event is printed', async () => {
      const events: object[] = []
      const shop = await aShop(database, { hooks: { onResult: (event) => void events.push(event) } })
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })
      const onSettled = () => {
        throw Object.assign(new Error('failed'), { detail: 'a row of the merchant' })
      }

      await shop.client.operations.run('create-1', { onSettled })

      expect(events.at(-1)).toMatchObject({ journalError: { detail: 'a row of the merchant' } })
      expect(inspect(events, { depth: 9 })).not.toContain('a row of the merchant')
      expect(JSON.stringify(events)).not.toContain('a row of the merchant')
    })

    it('counts the results that it passes to onSettled as finished', async () => {
      const shop = await aShop(database)
      await shop.pay()

      const report = await shop.client.operations.recover({ onSettled: () => {} })

      expect(report).toEqual({ finished: 2, open: 0, needsReview: 0 })
      expect(await shop.client.operations.settle()).toEqual({ settled: 0, stillOpen: 0, needsReview: 0 })
    })
  })

  describe('operations.resolve', () => {
    async function aReview() {
      const shop = await aShop(database)
      const id = await shop.pay()
      await shop.fails(dropped, 'refund', id, { amount: 500 }, { idempotencyKey: 'refund-1' })
      await shop.recoverAfter('25h')
      await shop.client.operations.recover({ onSettled: () => {} })
      expect(await shop.get('refund-1')).toMatchObject({ state: 'needs_review', acknowledgedAt: expect.any(Date) })
      return shop
    }

    it('stores a person’s answer, and recover passes it to onSettled', async () => {
      const shop = await aReview()
      const received: OperationRecord[] = []

      await shop.client.operations.resolve('refund-1', { outcome: 'succeeded', transactionId: 're_1' })

      expect(await shop.get('refund-1')).not.toHaveProperty('acknowledgedAt')
      await shop.client.operations.recover({ onSettled: (record) => void received.push(record) })
      expect(received).toMatchObject([{ key: 'refund-1', state: 'succeeded', transactionId: 're_1' }])
      expect(received[0]).not.toHaveProperty('reason')
    })

    it('accepts the same answer again, but rejects a different answer', async () => {
      const shop = await aReview()
      const resolve = (outcome: 'succeeded' | 'not_executed') => shop.client.operations.resolve('refund-1', { outcome })
      await resolve('not_executed')
      const stored = await shop.get('refund-1')

      expect(await resolve('not_executed')).toEqual(stored)

      expect(await failureOf(resolve('succeeded'))).toMatchObject({ code: 'ERR_OPERATION', retry: 'no' })
      expect(await shop.get('refund-1')).toEqual(stored)
    })

    it('accepts a later answer that adds an ID', async () => {
      const shop = await aReview()
      await shop.client.operations.resolve('refund-1', { outcome: 'succeeded' })

      await shop.client.operations.resolve('refund-1', { outcome: 'succeeded', transactionId: 're_1' })

      expect(await shop.get('refund-1')).toMatchObject({ state: 'succeeded', transactionId: 're_1' })
      const another = shop.client.operations.resolve('refund-1', { outcome: 'succeeded', transactionId: 're_2' })
      expect(await failureOf(another)).toMatchObject({ code: 'ERR_OPERATION' })
    })

    it('rejects an open operation, an unknown key and an unknown outcome', async () => {
      const shop = await aShop(database)
      await shop.planRefund()
      const stored = await shop.get('refund-1')
      const resolve = (key: string, outcome: unknown) =>
        failureOf(shop.client.operations.resolve(key, { outcome } as never))

      expect(await resolve('refund-1', 'succeeded')).toMatchObject({ code: 'ERR_OPERATION' })
      expect(await resolve('refund-9', 'succeeded')).toMatchObject({ code: 'ERR_REQUEST_VALIDATION' })
      expect(await resolve('refund-1', 'paid')).toMatchObject({ code: 'ERR_REQUEST_VALIDATION' })
      expect(await shop.get('refund-1')).toEqual(stored)
    })
  })

  describe('a capture or refund without an amount', () => {
    it('marks a refund without an amount as succeeded if one refund is visible', async () => {
      const shop = await aShop(database, { sandbox: { idempotency: 'conflict' } })
      const id = await shop.pay()
      await shop.client.payments.refund(id, { amount: 1000 })
      await shop.fails(lost, 'refund', id, {}, { idempotencyKey: 'refund-1' })
      // Now more is left to refund than before, so the amount of the effect differs from today's rest.
      shop.sandbox.processor.finishRefund(id, 'FAILED')

      expect(await shop.client.operations.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
      expect(await shop.get('refund-1')).toMatchObject({ state: 'succeeded', transactionId: expect.any(String) })
    })

    it('identifies a capture without an amount by its time after keyLifetime', async () => {
      const shop = await aShop(database)
      const id = await shop.authorize()
      await shop.client.payments.capture(id, { amount: 1000 })
      await shop.fails(lost, 'capture', id, {}, { idempotencyKey: 'capture-1' })

      expect(await shop.recoverAfter('25h')).toEqual({ finished: 1, open: 0, needsReview: 0 })
      expect(await shop.stateOf('capture-1')).toBe('succeeded')
    })

    it.each(['capture', 'refund'] as const)('sets the state not_executed if nothing was left to %s', async (method) => {
      const shop = await aShop(database)
      const id = await shop.pay()
      if (method === 'refund') await shop.client.payments.refund(id)
      await shop.fails(dropped, method, id, undefined, { idempotencyKey: 'second-1' })

      expect(await shop.recoverAfter('25h')).toEqual({ finished: 1, open: 0, needsReview: 0 })
      expect(await shop.get('second-1')).toMatchObject({
        state: 'not_executed',
        reason: 'nothing was left to capture or refund',
      })
    })
  })

  it('never assigns a payment to an attempt that the service rejected', async () => {
    const shop = await aShop(database)
    await shop.authorize() // The response shows the client how far the clocks differ.
    const second = { allowSecondPayment: true }
    await shop.fails({ at: 'before', status: 429 }, 'create', shop.body(), { idempotencyKey: 'create-1' })
    await shop.fails(lost, 'create', shop.body(), { idempotencyKey: 'create-2', ...second })

    for (let minutes = 0; minutes < 6; minutes += 3) await shop.recoverAfter('3m')

    expect([await shop.stateOf('create-1'), await shop.stateOf('create-2')]).toEqual(['not_executed', 'succeeded'])
  })

  describe('a call that waits for another operation of the payment', () => {
    /** A runtime in which a call's time limit passes as soon as the call waits for the claim, on machines of any speed. */
    function runtimeThatExpires() {
      let expire = () => {}
      const setTimeout = (callback: () => void, ms: number) => {
        if (ms < 1_000) queueMicrotask(expire)
        else expire = callback
        return systemRuntime.setTimeout(callback, ms)
      }
      return { [runtimeOption]: { ...systemRuntime, setTimeout } } as object
    }

    async function aBusyPayment() {
      const shop = await aShop(database)
      const client = shop.aClient(runtimeThatExpires())
      const id = await shop.pay()
      shop.sandbox.faults.add({ hang: true, operation: 'payments.refund' })
      const controller = new AbortController()
      const options = { idempotencyKey: 'refund-1', signal: controller.signal }
      const running = failureOf(shop.client.payments.refund(id, { amount: 5 }, options))
      onTestFinished(async () => {
        controller.abort()
        await running
      })
      await vi.waitFor(() => expect(shop.requests.at(-1)).toBe(`POST /payments/${id}/refund`))
      return { shop, client, id }
    }

    it('reports "not_sent" at the time limit, and the key of the operation it waited for', async () => {
      const { shop, client, id } = await aBusyPayment()

      const options = { idempotencyKey: 'refund-2', totalTimeout: 30_000 }
      const error = await failureOf(client.payments.refund(id, { amount: 7 }, options))

      expect(error).toMatchObject({ code: 'ERR_TIMEOUT', outcome: 'not_sent', retry: 'same-key' })
      expect(error.message).toContain('waited for the operation with the key refund-1')
      expect(await shop.get('refund-2')).toBeUndefined()
    })

    it('reports "unknown" at the time limit if its own key is already recorded', async () => {
      const { client, id } = await aBusyPayment()

      const options = { idempotencyKey: 'refund-1', totalTimeout: 30_000 }
      const error = await failureOf(client.payments.refund(id, { amount: 5 }, options))

      expect(error).toMatchObject({ code: 'ERR_TIMEOUT', outcome: 'unknown', retry: 'same-key' })
    })
  })

  it.skipIf(!database.isSynchronous)('a call renews its claim while its request is running', async () => {
    const renewals: (() => void)[] = []
    const setTimer = (callback: () => void, ms: number) =>
      ms === 5_000 ? renewals.push(callback) : systemRuntime.setTimeout(callback, ms)
    const shop = await aShop(database)
    const id = await shop.pay()
    const runtime = { ...systemRuntime, setTimeout: setTimer }
    const client = shop.aClient({ [runtimeOption]: runtime } as object)
    shop.sandbox.faults.add({ hang: true, operation: 'payments.refund' })
    const controller = new AbortController()
    const running = failureOf(client.payments.refund(id, {}, { signal: controller.signal }))
    await vi.waitFor(() => expect(shop.requests.at(-1)).toBe(`POST /payments/${id}/refund`))

    await shop.pass(15_000)
    renewals[0]?.()
    await shop.pass(15_000)

    expect(await shop.client.operations.recover()).toEqual({ finished: 0, open: 0, needsReview: 0 })
    controller.abort()
    await running
  })

  it('sends and stores extraBody in calls and planned operations', async () => {
    const shop = await aShop(database)
    const { id } = await shop.outside.payments.create(shop.body())
    await shop.outside.payments.capture(id)
    const extraBody = { newField: 'x' }
    const sent: unknown[] = []
    // The sandbox does not know the field.
    const fetch = async (input: string, init: { body: string | null }) => {
      const { newField, ...body } = JSON.parse(init.body ?? '{}')
      if (init.body) sent.push(newField)
      return shop.sandbox.fetch(input, { ...init, ...(init.body && { body: JSON.stringify(body) }) })
    }
    const client = shop.aClient({ fetch })
    await client.payments.refund(id, { amount: 5 }, { extraBody, idempotencyKey: 'refund-1' })
    await shop.plan({ key: 'refund-2', operation: 'payments.refund', id, body: { amount: 7 }, extraBody })

    await client.operations.run('refund-2')

    expect(sent).toEqual(['x', 'x'])
    expect(await shop.get('refund-1')).toMatchObject({ body: { amount: 5, ...extraBody }, state: 'succeeded' })
    expect(await shop.get('refund-2')).toMatchObject({ body: { amount: 7, ...extraBody }, state: 'succeeded' })
  })

  describe('text from the service or a request', () => {
    const nul = 'a\0b'

    it('stores text without U+0000, and truncates long text', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      const fetch = async (input: string, init: RequestInit) => {
        const response = await shop.sandbox.fetch(input, init)
        const payment = await response.json()
        const refund = payment.transactions?.at(-1)
        if (refund?.transactionType === 'REFUND') refund.processorTransactionId = `${nul}${'x'.repeat(5000)}`
        return Response.json(payment, { headers: response.headers, status: response.status })
      }
      const client = shop.aClient({ fetch: fetch as never })

      await client.payments.refund(id, { amount: 5 }, { idempotencyKey: 'refund-1' })

      const { record, transaction } = await client.operations.run('refund-1')
      expect(record.transactionId).toMatch(/^a\uFFFDbx{597}$/)
      expect(transaction).toMatchObject({ amount: 5 })
    })

    it.each(['order\0', 'x'.repeat(601)])('rejects an order ID that cannot be stored', async (orderId) => {
      const shop = await aShop(database)

      const error = await failureOf(shop.client.payments.create({ ...shop.body(), orderId }))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', issues: [{ path: ['orderId'] }] })
      expect(shop.requests).toEqual([])
    })
  })
}
