import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { type Journal, PaymentsClient } from '../../src/index.js'
import { type Decision, type Order, OrderError, type Orders } from '../../src/orders/index.js'
import * as postgres from '../../src/stores/postgres/index.js'
import type { SqliteDatabase } from '../../src/stores/sqlite/index.js'
import * as sqlite from '../../src/stores/sqlite/index.js'
import type { Fault } from '../../src/testing/index.js'
import { passSql } from '../operations/shop.js'
import { aShop, type OrdersTestDatabase } from './shop.js'

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Tests of the orders that run on every database. */
export function testOrders(test: OrdersTestDatabase): void {
  describe('pay', () => {
    it('authorizes the payment of an order', async () => {
      const { orders, request, effects, changes } = await aShop(test)

      const order = await orders.pay('17', request())

      expect(order).toEqual({
        id: '17',
        state: 'authorized',
        amount: 5000,
        currencyCode: 'EUR',
        captured: 0,
        refunded: 0,
        mayShip: false,
        needsReview: false,
        disputed: false,
        payment: { id: expect.any(String), status: 'AUTHORIZED', dateUpdated: expect.any(String) },
        payments: [expect.objectContaining({ status: 'AUTHORIZED', amount: 5000, captured: 0 })],
        refunds: [],
        disputes: [],
        decisions: [{ key: 'pay-17-1', kind: 'pay', amount: 5000, state: 'succeeded', paymentId: order.payment?.id }],
      })
      expect(await orders.get('17')).toEqual(order)
      expect(effects('payments.create')).toBe(1)
      expect(changes).toEqual([
        { state: 'pending', cause: 'planned', mayShip: false },
        { state: 'authorized', cause: 'pay', mayShip: false },
      ])
    })

    it('charges an order only once if two devices pay at the same time', async () => {
      const { orders, open, request, effects } = await aShop(test)

      const paid = await Promise.all([orders, open(), open()].map((process) => process.pay('17', request())))

      expect(paid.map(({ state }) => state)).toEqual(['authorized', 'authorized', 'authorized'])
      expect(effects('payments.create')).toBe(1)
    })

    it('returns a pending order if the response is lost', async () => {
      const { pay, lose, effects } = await aShop(test)
      lose('create')

      expect(await pay()).toMatchObject({ state: 'pending', decisions: [{ state: 'unknown' }] })

      expect(await pay()).toMatchObject({ state: 'authorized', decisions: [{ state: 'succeeded' }] })
      expect(effects('payments.create')).toBe(1)
    })

    it('charges the first card if the customer tries another during an open attempt', async () => {
      const { pay, lose, sandbox } = await aShop(test)
      lose('create')
      await pay()

      expect(await pay(sandbox.tokens.declined)).toMatchObject({ state: 'authorized' })
    })

    it('starts a new attempt after a declined payment', async () => {
      const { pay, sandbox, effects } = await aShop(test)

      expect(await pay(sandbox.tokens.declined)).toMatchObject({
        state: 'failed',
        payment: { status: 'DECLINED', statusReason: { type: 'ISSUER_DECLINED' } },
      })

      expect(await pay()).toMatchObject({ state: 'authorized', decisions: [{}, { key: 'pay-17-2' }] })
      expect(effects('payments.create')).toBe(2)
    })

    it('throws when the service rejects the payment, and starts a new attempt later', async () => {
      const { pay, fail, orders } = await aShop(test)
      fail('create', { status: 422 })

      expect(await failureOf(pay())).toMatchObject({ code: 'ERR_API', retry: 'new-key' })

      expect(await orders.get('17')).toMatchObject({ state: 'failed', decisions: [{ state: 'rejected' }] })
      expect(await pay()).toMatchObject({ state: 'authorized' })
    })

    it('leaves the payment open if the service rejects the API key', async () => {
      const { pay, fail } = await aShop(test)
      fail('create', { status: 401, body: { error: { errorId: 'InvalidToken', description: 'No' } } })

      const order = await pay()

      expect(order).toMatchObject({ state: 'pending', decisions: [{ errorId: 'InvalidToken' }] })
      expect(await pay()).toMatchObject({ state: 'authorized' })
    })

    it('logs a rejected API key and an error thrown by onChange', async () => {
      const { open, request, fail, sandbox } = await aShop(test, { failures: ['resume'] })
      const errors: string[] = []
      const ignore = () => {}
      const logger = { debug: ignore, info: ignore, warn: ignore, error: (line: string) => void errors.push(line) }
      const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0, logger }))
      const orders = open({ client })
      fail('create', { status: 403 })

      await orders.pay('17', request())
      const { payment } = await orders.pay('18', request(sandbox.tokens.requires3ds))
      await orders.resume('18', { resumeToken: sandbox.completeAction(String(payment?.id)) })

      expect(errors).toEqual([
        expect.stringContaining('orders.pay has no result, because the service rejected the API key (403)'),
        expect.stringContaining('onChange or the database failed for the order 18'),
      ])
    })

    it('rejects a different amount while the order has an authorized payment', async () => {
      const { pay, orders, request } = await aShop(test)
      await pay()

      expect(await failureOf(pay(undefined, 4000))).toMatchObject({ code: 'ERR_ORDER', reason: 'changed' })
      const inDollars = { ...request(), currencyCode: 'USD' }
      expect(await failureOf(orders.pay('17', inDollars))).toMatchObject({ reason: 'changed' })
    })

    it('rejects payment of a cancelled order unless reopen is set', async () => {
      const { pay, orders, request } = await aShop(test)
      await pay()
      expect(await orders.cancel('17')).toMatchObject({ state: 'cancelled' })

      const error = await failureOf(pay())

      expect(error).toBeInstanceOf(OrderError)
      expect(error).toMatchObject({ reason: 'cancelled', outcome: 'not_sent' })
      expect(await orders.pay('17', request(), { reopen: true })).toMatchObject({ state: 'authorized' })
    })

    it('stores nothing if the arguments are invalid', async () => {
      const { orders, request } = await aShop(test)
      const invalid = async (id: unknown, changes: object, options?: object) =>
        Object((await failureOf(orders.pay(id as string, { ...request(), ...changes }, options))) as object).issues

      expect(await invalid('', {})).toMatchObject([{ path: ['orderId'] }])
      expect(await invalid('a'.repeat(129), {})).toMatchObject([{ path: ['orderId'] }])
      expect(await invalid('a\n', {})).toMatchObject([{ path: ['orderId'] }])
      expect(await invalid('17', { amount: 0.5 })).toMatchObject([{ path: ['amount'] }])
      expect(await invalid('17', { currencyCode: undefined })).toMatchObject([{ path: ['currencyCode'] }])
      expect(await invalid('17', { id: 'x' })).toMatchObject([{ path: ['id'] }])
      expect(await invalid('17', { orderId: '18' })).toMatchObject([{ path: ['orderId'] }])
      expect(await invalid('17', { amont: 1 })).toMatchObject([{ path: ['amont'], suggestion: 'amount' }])
      expect(await invalid('17', {}, { reOpen: true })).toMatchObject([{ suggestion: 'reopen' }])
      expect(await orders.get('17')).toBeUndefined()
    })

    it('sends nothing if the signal is already aborted', async () => {
      const { orders, request } = await aShop(test)

      const error = await failureOf(orders.pay('17', request(), { signal: AbortSignal.abort() }))

      expect(error).toMatchObject({ code: 'ERR_ABORTED', outcome: 'not_sent' })
      expect(await orders.get('17')).toBeUndefined()
    })
  })

  describe('resume', () => {
    it('continues a payment after 3-D Secure', async () => {
      const { pay, orders, sandbox } = await aShop(test)
      const { state, payment } = await pay(sandbox.tokens.requires3ds)
      expect(state).toBe('action_required')
      expect(payment?.requiredAction).toBeDefined()
      const resumeToken = sandbox.completeAction(String(payment?.id))

      expect(await orders.resume('17', { resumeToken })).toMatchObject({ state: 'authorized' })

      expect(await orders.resume('17', { resumeToken })).toMatchObject({ state: 'authorized' })
    })

    it('fetches the payment if the response to resume is lost', async () => {
      const { pay, orders, sandbox, lose } = await aShop(test)
      const { payment } = await pay(sandbox.tokens.requires3ds)
      const resumeToken = sandbox.completeAction(String(payment?.id))
      lose('resume')

      expect(await orders.resume('17', { resumeToken })).toMatchObject({ state: 'authorized' })
    })

    it('returns the unchanged order if the service cannot be reached', async () => {
      const { pay, open, sandbox } = await aShop(test)
      await pay(sandbox.tokens.requires3ds)
      const client = new PaymentsClient({
        apiKey: 'key',
        baseUrl: 'http://127.0.0.1:1',
        maxRetries: 0,
        logLevel: 'off',
      })

      const order = await open({ client }).resume('17', { resumeToken: 'token' })

      expect(order).toMatchObject({ state: 'action_required' })
    })

    it('throws only if the service rejects the content of the request', async () => {
      const { pay, orders, sandbox, fail } = await aShop(test)
      const { payment } = await pay(sandbox.tokens.requires3ds)
      const resumeToken = sandbox.completeAction(String(payment?.id))
      fail('resume', { status: 429 })

      expect(await orders.resume('17', { resumeToken })).toMatchObject({ state: 'action_required' })
      expect(await failureOf(orders.resume('17', { resumeToken: 'x' }))).toMatchObject({ retry: 'new-key' })
      expect(await orders.resume('17', { resumeToken })).toMatchObject({ state: 'authorized' })
    })

    it('rejects an order that has no payment', async () => {
      const { orders } = await aShop(test)

      expect(await failureOf(orders.resume('17', { resumeToken: 'x' }))).toMatchObject({ reason: 'unknown_order' })
    })
  })

  describe('capture', () => {
    it('captures the full amount, after which the order may ship', async () => {
      const { sell } = await aShop(test)

      expect(await sell()).toMatchObject({ state: 'paid', captured: 5000, mayShip: true })
    })

    it('captures each parcel only once', async () => {
      const { pay, orders, effects } = await aShop(test)
      await pay()

      await orders.capture('17', { id: 'parcel-1', amount: 2000 })
      const repeated = await orders.capture('17', { id: 'parcel-1', amount: 2000 })

      expect(repeated).toMatchObject({ state: 'partially_paid', captured: 2000, mayShip: false })
      expect(await orders.capture('17', { id: 'parcel-2', amount: 3000 })).toMatchObject({
        state: 'paid',
        captured: 5000,
        mayShip: true,
        decisions: [{}, { key: 'capture-17-parcel%2D1-1' }, { key: 'capture-17-parcel%2D2-1' }],
      })
      expect(effects('payments.capture')).toBe(2)
    })

    it('rejects a capture above the authorized amount, and a new amount for a used id', async () => {
      const { pay, orders } = await aShop(test)
      await pay()
      await orders.capture('17', { id: 'a', amount: 3000 })
      const reasonOf = async (request: object) => Object(await failureOf(orders.capture('17', request))).reason

      expect(await reasonOf({ id: 'b', amount: 2001 })).toBe('exceeds')
      expect(await reasonOf({ id: 'a', amount: 2000 })).toBe('changed')
    })

    it('captures a new payment after the first captured payment has failed', async () => {
      const { sell, sandbox, effects, orders } = await aShop(test)
      const { payment } = await sell(sandbox.tokens.slowSettlement)
      sandbox.processor.fail(String(payment?.id))
      await orders.sync()

      expect(await sell()).toMatchObject({ state: 'paid', captured: 5000 })

      expect(effects('payments.capture')).toBe(2)
    })

    it('forbids shipping while the payment is settling', async () => {
      const { sell, sandbox } = await aShop(test)

      expect(await sell(sandbox.tokens.slowSettlement)).toMatchObject({ state: 'paid', captured: 5000, mayShip: false })
    })

    it('a final capture waits for the result of an earlier capture', async () => {
      const { pay, orders, lose } = await aShop(test)
      await pay()
      lose('capture')
      await orders.capture('17', { id: 'a', amount: 3000 })
      const captureRest = () => orders.capture('17', { id: 'b', amount: 2000, final: true })

      const refused = { reason: 'capture_open', outcome: 'not_sent', retry: 'same-key' }
      expect(await failureOf(captureRest())).toMatchObject(refused)

      await orders.recover()
      expect(await captureRest()).toMatchObject({ state: 'paid', captured: 5000 })
    })
  })

  describe('cancel', () => {
    it('cancels each payment of an order only once', async () => {
      const { pay, orders, request, effects } = await aShop(test)
      await pay()
      await orders.cancel('17')
      expect(await orders.cancel('17')).toMatchObject({ state: 'cancelled' })
      await orders.pay('17', request(), { reopen: true })

      expect(await orders.cancel('17')).toMatchObject({ state: 'cancelled' })

      expect(effects('payments.cancel')).toBe(2)
    })

    it('keeps a payment after reopen if a cancellation with an id is retried', async () => {
      const { pay, orders, request, effects } = await aShop(test)
      await pay()
      await orders.cancel('17', { id: 'request-1', reason: 'Out of stock' })
      await orders.pay('17', request(), { reopen: true })

      expect(await orders.cancel('17', { id: 'request-1', reason: 'Out of stock' })).toMatchObject({
        state: 'authorized',
        decisions: [{}, {}, { key: 'cancel-17-request%2D1-1', id: 'request-1', state: 'succeeded' }],
      })

      expect(effects('payments.cancel')).toBe(1)
    })
  })

  describe('refund', () => {
    it('stores each status of a refund', async () => {
      const { sell, orders, sandbox, subscribe } = await aShop(test)
      await sell()
      subscribe()

      const pending = await orders.refund('17', { id: 'return-1', amount: 1000 })

      expect(pending).toMatchObject({ state: 'partially_refunded', refunded: 1000, mayShip: false })
      expect(pending.decisions.at(-1)).toMatchObject({ kind: 'refund', id: 'return-1', status: 'PENDING' })
      sandbox.processor.finishRefund(String(pending.payment?.id), 'FAILED')
      await sandbox.webhooks.flush()
      const failed = await orders.get('17')
      expect(failed).toMatchObject({ state: 'paid', refunded: 0, refunds: [{ status: 'FAILED' }], mayShip: true })
      expect(failed?.decisions.at(-1)).toMatchObject({ state: 'succeeded', status: 'FAILED' })
    })

    it('starts a new refund attempt with the same id after a failed refund', async () => {
      const { sell, orders, sandbox, effects } = await aShop(test)
      const { payment } = await sell()
      await orders.refund('17', { id: 'r', amount: 1000 })
      sandbox.processor.finishRefund(String(payment?.id), 'FAILED')
      await orders.sync()

      await orders.refund('17', { id: 'r', amount: 1000 })

      expect(effects('payments.refund')).toBe(2)
    })

    it('starts a new refund attempt after a failed refund whose ID arrived late', async () => {
      const { sell, orders, sandbox, effects, fail } = await aShop(test)
      const { payment } = await sell()
      const withoutIds = (all: unknown) =>
        (all as object[]).map((row) => ({ ...row, processorTransactionId: undefined }))
      fail('refund', {
        at: 'after',
        body: ({ transactions, ...found }) => ({ ...found, transactions: withoutIds(transactions) }),
      })
      await orders.refund('17', { id: 'r', amount: 1000 })
      sandbox.processor.finishRefund(String(payment?.id), 'FAILED')
      await orders.sync()
      expect(await orders.get('17')).toMatchObject({ decisions: [{}, {}, { state: 'succeeded', status: 'FAILED' }] })

      await orders.refund('17', { id: 'r', amount: 1000 })

      expect(effects('payments.refund')).toBe(2)
    })

    it('refunds the full amount only once if no id is given', async () => {
      const { sell, orders, effects, sandbox } = await aShop(test)
      await sell(sandbox.tokens.instantRefund)

      await orders.refund('17')

      expect(await orders.refund('17')).toMatchObject({ state: 'refunded', refunded: 5000 })
      expect(effects('payments.refund')).toBe(1)
      expect(await failureOf(orders.refund('17', { id: 'more' }))).toMatchObject({ reason: 'no_payment' })
    })

    it('waits while an earlier refund of the same amount has no response', async () => {
      const { sell, orders, lose, effects } = await aShop(test)
      await sell()
      lose('refund')
      await orders.refund('17', { id: 'a', amount: 500 })

      const { decisions } = await orders.refund('17', { id: 'b', amount: 500 })

      expect(decisions.slice(-2)).toMatchObject([{ state: 'unknown' }, { id: 'b', state: 'planned' }])
      expect(effects('payments.refund')).toBe(1)
      expect(await orders.recover()).toEqual({ finished: 2, open: 0, needsReview: 0 })
      expect(await orders.get('17')).toMatchObject({ refunded: 1000, needsReview: false })
    })

    it('rejects a refund above the captured amount', async () => {
      const { sell, orders } = await aShop(test)
      await sell()
      await orders.refund('17', { id: 'a', amount: 3000 })

      expect(await failureOf(orders.refund('17', { id: 'b', amount: 2001 }))).toMatchObject({ reason: 'exceeds' })
    })

    it('refunds the rest after sync has found a refund whose response was lost', async () => {
      const { sell, orders, lose, effects } = await aShop(test)
      await sell()
      lose('refund')
      await orders.refund('17', { id: 'a', amount: 2000 })
      await orders.sync()

      const order = await orders.refund('17', { id: 'b', amount: 3000 })

      expect(order).toMatchObject({
        state: 'refunded',
        decisions: [{}, {}, { state: 'unknown' }, { state: 'succeeded' }],
      })
      expect(effects('payments.refund')).toBe(2)
    })

    it('refunds a capture whose response was lost', async () => {
      const { pay, orders, lose } = await aShop(test)
      await pay()
      lose('capture')
      await orders.capture('17')

      expect(await orders.refund('17', { id: 'a', amount: 2000 })).toMatchObject({ captured: 5000, refunded: 2000 })
    })

    it('refunds an amount again if the first refund failed without a webhook', async () => {
      const { sell, orders, sandbox } = await aShop(test)
      const { payment } = await sell()
      await orders.refund('17', { id: 'a', amount: 3000 })
      sandbox.processor.finishRefund(String(payment?.id), 'FAILED')

      expect(await orders.refund('17', { id: 'b', amount: 4000 })).toMatchObject({ refunded: 4000 })
    })
  })

  describe('the option transaction', () => {
    it('stores the decision in the transaction, and recover executes it later', async () => {
      const { sell, orders, effects } = await aShop(test)
      await sell()

      await test.transact((transaction) => orders.refund('17', { id: 'r', amount: 500 }, { transaction }))

      expect(effects('payments.refund')).toBe(0)
      expect(await orders.get('17')).toMatchObject({ mayShip: false, decisions: [{}, {}, { state: 'planned' }] })
      expect(await orders.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
      expect(await orders.get('17')).toMatchObject({ refunded: 500 })
    })

    it('stores nothing if the caller rolls back the transaction', async () => {
      const { sell, orders, effects } = await aShop(test)
      await sell()

      await test.rollBack((transaction) => orders.refund('17', {}, { transaction }))

      await orders.recover()
      expect(effects('payments.refund')).toBe(0)
      expect((await orders.get('17'))?.decisions).toHaveLength(2)
    })

    it('stores nothing in the caller’s transaction if onChange throws', async () => {
      const { sell, orders, open, effects } = await aShop(test)
      await sell()
      const failing = open({
        onChange: () => {
          throw new Error('canary')
        },
      })

      const refunding = test.transact((transaction) => failing.refund('17', {}, { transaction }))

      await expect(refunding).rejects.toThrow('canary')
      await orders.recover()
      expect(effects('payments.refund')).toBe(0)
      expect((await orders.get('17'))?.decisions).toHaveLength(2)
    })
  })

  describe('webhooks', () => {
    it('stores a payment that the shop did not start', async () => {
      const { client, orders, request, subscribe, sandbox, changes } = await aShop(test)
      subscribe()

      await client.payments.create({ ...request(), orderId: 'by-phone' })
      await sandbox.webhooks.flush()

      expect(await orders.get('by-phone')).toMatchObject({ state: 'authorized', amount: 5000, decisions: [] })
      expect(changes).toEqual([{ state: 'authorized', cause: 'webhook', mayShip: false }])
    })

    it('finds payments in the first sync although this machine’s clock is wrong', async () => {
      const { client, orders, request } = await aShop(test, { sandbox: { now: new Date('2020-01-01') } })
      await client.payments.create({ ...request(), orderId: 'by-phone' })

      expect(await orders.sync()).toEqual({ checked: 1, changed: 1 })
    })

    it('ignores orders with another key prefix', async () => {
      const { orders, sandbox, subscribe, client, request } = await aShop(test, { keyPrefix: 'eu/' })
      subscribe()
      await client.payments.create({ ...request(), orderId: '18' })
      await orders.pay('17', request())
      await sandbox.webhooks.flush()

      expect((await orders.list()).data.map(({ id }) => id)).toEqual(['17'])
      expect((await orders.get('17'))?.decisions[0]?.key).toBe('eu/pay-17-1')
    })

    it('requires a review if an order has two payments that have not failed', async () => {
      const { pay, client, request, subscribe, sandbox, orders } = await aShop(test)
      await pay()
      subscribe()

      await client.payments.create({ ...request(), orderId: '17' })
      await sandbox.webhooks.flush()

      expect(await orders.get('17')).toMatchObject({ needsReview: true, mayShip: false, payments: [{}, {}] })
    })

    it('stores a dispute even if it has no order ID', async () => {
      const { sell, sandbox, subscribe, orders } = await aShop(test)
      const { payment } = await sell()
      subscribe()

      const id = sandbox.disputes.open(String(payment?.id), { orderId: undefined as never })
      await sandbox.webhooks.flush()

      expect(await orders.get('17')).toMatchObject({
        disputed: true,
        mayShip: false,
        disputes: [{ id, status: 'OPEN' }],
      })
    })

    it('keeps refunds and disputes of two orders apart if processors use the same IDs', async () => {
      const { orders, deliver } = await aShop(test)
      const payment = (orderId: string, more: object = {}) =>
        deliver({
          eventType: 'PAYMENT.STATUS',
          payment: {
            ...{ id: `pay_${orderId}`, orderId, status: 'SETTLED', amount: 5000, currencyCode: 'EUR' },
            ...{ dateUpdated: '2026-01-01T00:00:05', processor: { amountCaptured: 5000 } },
            ...more,
          },
        })
      const refund = {
        transactionType: 'REFUND',
        processorTransactionId: '1',
        processorStatus: 'PENDING',
        amount: 1000,
      }
      const dispute = (orderId: string, more: object) =>
        deliver({ eventType: 'DISPUTE.STATUS', type: 'DISPUTE', paymentId: `pay_${orderId}`, ...more })
      for (const orderId of ['17', '18']) await payment(orderId, { transactions: [refund] })
      await dispute('17', { processor: 'A', processorDisputeId: '1', status: 'OPEN' })
      await dispute('18', { processor: 'B', processorDisputeId: '1', status: 'WON' })

      await payment('17', { dateUpdated: '2026-01-01T00:00:06' })
      await payment('18', { dateUpdated: '2026-01-01T00:00:06' })

      const found = await Promise.all(['17', '18'].map((id) => orders.get(id)))
      expect(found).toMatchObject([
        { refunded: 1000, mayShip: false, disputed: true, disputes: [{ id: '1', status: 'OPEN' }] },
        { refunded: 1000, mayShip: false, disputed: false, disputes: [{ id: '1', status: 'WON' }] },
      ])
    })

    it('receives a webhook again if onChange throws', async () => {
      const { pay, orders, sandbox, subscribe, seen } = await aShop(test, { failures: ['webhook'] })
      const { payment } = await pay(sandbox.tokens.pending)
      subscribe()

      sandbox.processor.authorize(String(payment?.id))
      await sandbox.webhooks.flush()
      expect(await orders.get('17')).toMatchObject({ state: 'pending' })
      await sandbox.clock.advance('5m')
      await sandbox.webhooks.flush()

      expect(await orders.get('17')).toMatchObject({ state: 'authorized' })
      expect(await seen()).toEqual(['pending', 'pending', 'authorized'])
    })

    it('calls the event’s function in the same transaction', async () => {
      const { open, pay, sandbox, tablePrefix, seen } = await aShop(test)
      const { payment } = await pay(sandbox.tokens.pending)
      const on = {
        'PAYMENT.STATUS': (_: unknown, { transaction }: { transaction: unknown }) =>
          test.write(transaction, `INSERT INTO ${tablePrefix}seen VALUES ('own')`),
      }
      sandbox.webhooks.subscribe(open().webhooks({ secret: sandbox.webhooks.secret, on: on as never }))

      sandbox.processor.authorize(String(payment?.id))
      await sandbox.webhooks.flush()

      expect(await seen()).toEqual(['pending', 'pending', 'authorized', 'own'])
    })
  })

  describe('onChange', () => {
    it('sends no request if onChange throws for a new decision', async () => {
      const { pay, effects, orders } = await aShop(test, { failures: ['planned'] })

      expect(await failureOf(pay())).toMatchObject({ message: 'onChange failed at planned' })

      expect(effects('payments.create')).toBe(0)
      expect(await orders.get('17')).toBeUndefined()
    })

    it('calls onChange again in recover if it threw for a result', async () => {
      const { pay, orders, changes, seen } = await aShop(test, { failures: ['pay'] })

      expect(await pay()).toMatchObject({ state: 'pending' })

      expect(await orders.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
      expect(changes.at(-1)).toMatchObject({ state: 'authorized', cause: 'recover' })
      expect(await seen()).toEqual(['pending', 'authorized'])
    })

    it('calls onChange again in recover if it threw for the result of resume', async () => {
      const { pay, orders, sandbox, changes } = await aShop(test, { failures: ['resume'] })
      const { payment } = await pay(sandbox.tokens.requires3ds)
      const resumeToken = sandbox.completeAction(String(payment?.id))

      expect(await orders.resume('17', { resumeToken })).toMatchObject({ state: 'action_required' })

      expect(await orders.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
      expect(changes.at(-1)).toMatchObject({ state: 'authorized', cause: 'resume' })
    })

    it('calls onChange again in the next sync if it threw for a change', async () => {
      const { pay, orders, sandbox, changes } = await aShop(test, { failures: ['sync'] })
      const { payment } = await pay(sandbox.tokens.pending)
      sandbox.processor.authorize(String(payment?.id))

      await orders.sync()
      await orders.sync()

      expect(changes.at(-1)).toMatchObject({ state: 'authorized', cause: 'sync' })
    })

    it('captures an order once if onChange decides it in its transaction', async () => {
      const { open, request, effects } = await aShop(test)
      const onChange = ({ id, state }: Order, { transaction }: { transaction: unknown }) => {
        if (state !== 'authorized') return
        const decided = orders.capture(id, {}, { transaction })
        if (!test.isSynchronous) return decided
      }
      const orders = open({ onChange })
      expect(await orders.pay('17', request())).toMatchObject({
        state: 'authorized',
        decisions: [{}, { state: 'planned' }],
      })

      expect(await orders.recover()).toMatchObject({ finished: 1, open: 0 })

      expect(await orders.get('17')).toMatchObject({ state: 'paid' })
      expect(effects('payments.capture')).toBe(1)
    })

    it('calls onChange in recover for changes stored by a process without onChange', async () => {
      const { orders, open, request, changes } = await aShop(test)

      await open({ onChange: undefined as never }).pay('17', request())
      expect(changes).toEqual([])

      expect(await orders.recover()).toMatchObject({ finished: 1 })
      expect(changes).toEqual([{ state: 'authorized', cause: 'planned', mayShip: false }])
      expect(await orders.recover()).toEqual({ finished: 0, open: 0, needsReview: 0 })
    })
  })

  describe('orders of a client with another base URL', () => {
    const other = 'https://staging.example'

    it('rejects an open operation of another base URL', async () => {
      const { open, client, pay, lose, request } = await aShop(test)
      lose('create')
      await pay()
      const stranger = open({ client: client.withOptions({ baseUrl: other }) })

      const error = await failureOf(stranger.pay('17', request()))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
    })

    it('rejects sync with another base URL', async () => {
      const { open, client, orders, sandbox } = await aShop(test)
      await orders.sync()
      const requests = sandbox.requests.length
      const stranger = open({ client: client.withOptions({ baseUrl: other }) })

      expect(await failureOf(stranger.sync())).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })

      expect(sandbox.requests).toHaveLength(requests)
      expect(await orders.sync()).toEqual({ checked: 0, changed: 0 })
    })

    it('sync accepts another base URL with from, because the service may have moved', async () => {
      const { open, client, orders, sandbox } = await aShop(test)
      await orders.sync()
      const moved = open({ client: client.withOptions({ baseUrl: other }) })

      await moved.sync({ from: sandbox.clock.now() })

      expect(await moved.sync()).toEqual({ checked: 0, changed: 0 })
    })

    it('calls onChange for pending changes before recover rejects', async () => {
      const { open, client, pay, lose, changes } = await aShop(test)
      await open({ onChange: undefined as never })
        .pay('18', { paymentMethodToken: 'x', amount: 1, currencyCode: 'EUR' })
        .catch(() => {})
      lose('create')
      await pay()
      changes.length = 0
      const stranger = open({ client: client.withOptions({ baseUrl: other }) })

      expect(await failureOf(stranger.recover())).toMatchObject({ code: 'ERR_CONFIGURATION' })

      expect(changes).toHaveLength(1)
    })
  })

  describe('orders without their tables', () => {
    it.each<[string, (orders: Orders) => Promise<unknown>]>([
      ['pay', (orders) => orders.pay('17', { paymentMethodToken: 'x', amount: 1, currencyCode: 'EUR' })],
      ['resume', (orders) => orders.resume('17', { resumeToken: 'x' })],
      ['refund', (orders) => orders.refund('17')],
      ['get', (orders) => orders.get('17')],
      ['list', (orders) => orders.list()],
      ['sync', (orders) => orders.sync()],
      ['review', (orders) => orders.review()],
    ])('orders.%s rejects and names migrate, and hides the error of the database', async (_, call) => {
      const { open, sandbox } = await aShop(test)

      const error = await failureOf(call(open({ tablePrefix: 'missing_' })))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', operation: 'orders' })
      expect(Object(error).message).toContain('its tables do not exist: run orders.migrate()')
      expect(Object(error).cause).toBeInstanceOf(Error)
      expect(inspect(error)).not.toContain('missing_')
      expect(sandbox.requests).toHaveLength(0)
    })

    it('rejects a refund whose transaction is undefined, instead of sending it', async () => {
      const { orders, sell, effects } = await aShop(test)
      await sell()

      const error = await failureOf(orders.refund('17', {}, { transaction: undefined }))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent' })
      expect(effects('payments.refund')).toBe(0)
    })

    it('rejects a refund in the caller’s transaction if its tables do not exist', async () => {
      const { open } = await aShop(test)
      const orders = open({ tablePrefix: 'missing_' })
      let error: unknown

      await test.rollBack(async (transaction) => {
        error = await failureOf(orders.refund('17', {}, { transaction }))
      })

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
    })
  })

  describe('recover', () => {
    it('lets pay finish the payment of a process that died', async () => {
      const { orders, open, request, fail, sandbox, effects, tablePrefix } = await aShop(test)
      const stopped = new AbortController()
      fail('create', { hang: true })
      const dying = open().pay('17', request(), { signal: stopped.signal })
      await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
      expect(await orders.get('17')).toMatchObject({ state: 'pending', decisions: [{ state: 'planned' }] })
      // The claim of the dead process expires.
      for (const sql of passSql(tablePrefix, 21_000)) await test.query(sql)

      expect(await orders.pay('17', request())).toMatchObject({ state: 'authorized' })

      stopped.abort()
      expect(await dying).toMatchObject({ state: 'authorized' })
      expect(effects('payments.create')).toBe(1)
    })

    it('does not charge a customer who has left', async () => {
      const { orders, open, request, fail, sandbox, effects, tablePrefix } = await aShop(test)
      const stopped = new AbortController()
      fail('create', { hang: true })
      const dying = open().pay('17', request(), { signal: stopped.signal })
      await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
      // The first call learns that the process died, and the second one that the payment does not appear.
      for (let calls = 0; calls < 2; calls++) {
        for (const sql of passSql(tablePrefix, 200_000)) await test.query(sql)
        await sandbox.clock.advance('200s')
        await orders.recover()
      }

      expect(await orders.get('17')).toMatchObject({ state: 'failed', decisions: [{ state: 'not_executed' }] })
      stopped.abort()
      await dying
      expect(effects('payments.create')).toBe(0)
    })

    it('finds the payment that a crashed process created', async () => {
      const { orders, open, request, lose, sandbox, effects } = await aShop(test)
      lose('create')
      await open().pay('17', request())

      await sandbox.clock.advance('3m')
      await orders.recover()

      expect(await orders.get('17')).toMatchObject({ state: 'authorized' })
      expect(effects('payments.create')).toBe(1)
    })

    it('stores payments from a journal that the orders did not use', async () => {
      const { orders, client, request, tablePrefix } = await aShop(test)
      const journal: Journal = test.isSynchronous
        ? sqlite.createJournal(test.database as SqliteDatabase, { tablePrefix })
        : postgres.createJournal(test.database as postgres.PgPool, { tablePrefix })
      const body = { ...request(), orderId: 'old' }
      const { id } = await client.withOptions({ journal }).payments.create(body, { idempotencyKey: 'old-1' })

      expect(await orders.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })

      expect(await orders.get('old')).toMatchObject({ state: 'authorized', payment: { id }, decisions: [] })
    })

    it('finds a capture whose response was lost', async () => {
      const { orders, pay, lose, effects } = await aShop(test)
      await pay()
      lose('capture')
      expect(await orders.capture('17')).toMatchObject({ mayShip: false, decisions: [{}, { state: 'unknown' }] })

      await orders.recover()

      expect(await orders.get('17')).toMatchObject({ state: 'paid', mayShip: true })
      expect(effects('payments.capture')).toBe(1)
    })
  })

  describe('sync', () => {
    it('stores payment states whose webhooks were lost', async () => {
      const { orders, pay, sandbox, changes } = await aShop(test)
      const { payment } = await pay(sandbox.tokens.pending)

      sandbox.processor.authorize(String(payment?.id))
      sandbox.processor.settle(String(payment?.id))

      expect(await orders.sync()).toEqual({ checked: 1, changed: 1 })
      expect(await orders.get('17')).toMatchObject({ state: 'paid', mayShip: true })
      expect(changes.at(-1)?.cause).toBe('sync')
      expect(await orders.sync()).toEqual({ checked: 1, changed: 0 })
    })

    it('fetches the payments of the last day even if the backup is newer', async () => {
      const { orders, sell, sandbox } = await aShop(test)
      await sell()
      await sandbox.clock.advance('2h')

      expect(await orders.sync({ from: sandbox.clock.now() })).toEqual({ checked: 1, changed: 0 })
    })

    it('skips a payment that cannot be fetched, but stops during an outage', async () => {
      const { orders, request, sandbox } = await aShop(test)
      for (const id of ['a', 'b', 'c']) {
        await orders.pay(id, request())
        await orders.capture(id)
        const { payment } = await orders.refund(id, { id: 'r', amount: 500 })
        sandbox.processor.finishRefund(String(payment?.id), 'SETTLED')
      }

      const settled = async () =>
        (await orders.list()).data.filter(({ refunds }) => refunds[0]?.status === 'SETTLED').length

      sandbox.faults.add({ operation: 'payments.get', status: 500, times: 2 })
      await orders.sync()
      expect(await settled()).toBe(1)
      sandbox.faults.add({ operation: 'payments.get', status: 500, times: 3 })
      expect(await failureOf(orders.sync())).toMatchObject({ httpStatus: 500 })
      await orders.sync()

      expect(await settled()).toBe(3)
    })

    it.each<[response: string, fault: Fault]>([
      ['a 500', { status: 500 }],
      ['a proxy’s 404', { status: 404, body: '<html>' }],
      ['a payment without its fields', { at: 'after', body: () => ({}) }],
    ])('sync({ from }) reads all other payments, then throws after %s', async (_, fault) => {
      const { client, orders, request, sandbox, fail } = await aShop(test)
      for (const orderId of ['a', 'b', 'c']) await client.payments.create({ ...request(), orderId })
      await sandbox.clock.advance('48h')
      fail('get', fault)
      const from = new Date(0)

      expect(await failureOf(orders.sync({ from }))).toMatchObject({ operation: 'payments.get' })

      expect((await orders.list()).data).toHaveLength(2)
      expect(await orders.sync({ from })).toEqual({ checked: 3, changed: 1 })
    })

    it('skips payments that can never be read, and continues after them', async () => {
      const { orders, request, sandbox, fail, tablePrefix } = await aShop(test)
      for (const id of ['a', 'b', 'c', 'd']) await orders.pay(id, request())
      fail('get', { status: 403, times: 2 })
      fail('get', { at: 'after', body: () => ({}) })

      expect(await orders.sync()).toEqual({ checked: 1, changed: 0 })

      const [row] = await test.query(`SELECT value FROM ${tablePrefix}watermarks WHERE name = 'list'`)
      expect(Number(row?.['value'])).toBeGreaterThan(sandbox.clock.now().getTime() - 60_000)
    })

    it('sync reads all payments again if none of them could be read', async () => {
      const { orders, client, request, sandbox, fail } = await aShop(test)
      await orders.sync()
      await client.payments.create({ ...request(), orderId: '17' })
      await sandbox.clock.advance('2h')
      fail('get', { status: 403 })

      expect(await orders.sync()).toEqual({ checked: 0, changed: 0 })

      expect(await orders.sync()).toEqual({ checked: 1, changed: 1 })
    })

    it('skips no payment if from is later than the end of the previous sync', async () => {
      const { orders, client, request, sandbox } = await aShop(test)
      await orders.sync()
      await client.payments.create({ ...request(), orderId: '17' })
      await sandbox.clock.advance('2h')

      expect(await orders.sync({ from: sandbox.clock.now() })).toEqual({ checked: 0, changed: 0 })
      expect(await orders.sync()).toEqual({ checked: 1, changed: 1 })
    })

    it('finds refunds that followed the previous sync, however long ago that was', async () => {
      const { orders, sell, client, sandbox } = await aShop(test)
      const { payment } = await sell()
      await sandbox.clock.advance('2h')
      await orders.sync()
      await client.payments.refund(String(payment?.id))
      await sandbox.clock.advance('3d')

      expect(await orders.sync()).toEqual({ checked: 1, changed: 1 })

      expect(await orders.get('17')).toMatchObject({ state: 'refunded', mayShip: false })
    })

    it('never allows shipping an order that was refunded before sync found it', async () => {
      const { orders, client, request, sandbox, changes } = await aShop(test)
      const { id } = await client.payments.create({ ...request(), orderId: '17' })
      await client.payments.capture(id)
      await client.payments.refund(id)
      sandbox.processor.finishRefund(id, 'SETTLED')

      sandbox.faults.add({ operation: 'payments.get', status: 503 })
      await orders.sync()
      await orders.sync()

      expect(changes.map(({ mayShip }) => mayShip)).toEqual([false])
      expect(await orders.get('17')).toMatchObject({ state: 'refunded', mayShip: false })
    })

    it('starts at the time of the restored backup', async () => {
      const { orders, client, request, sandbox, tablePrefix } = await aShop(test)
      await client.payments.create({ ...request(), orderId: '17' })
      const from = new Date(sandbox.clock.now().getTime() - 1000)
      await test.query(`INSERT INTO ${tablePrefix}watermarks VALUES ('list', '${from.getTime() + 3_600_000}')`)

      expect(await orders.sync()).toEqual({ checked: 0, changed: 0 })

      expect(await orders.sync({ from })).toEqual({ checked: 1, changed: 1 })
      expect(await orders.get('17')).toMatchObject({
        state: 'authorized',
        payment: { dateUpdated: expect.any(String) },
      })
    })
  })

  describe('review', () => {
    it('does not pay again if a person’s answer contains no payment', async () => {
      const { orders, pay, lose, effects, tablePrefix } = await aShop(test)
      lose('create')
      await pay()
      for (const table of ['operations', 'decisions']) {
        await test.query(`UPDATE ${tablePrefix}${table} SET state = 'needs_review'`)
      }

      expect(await orders.resolve('pay-17-1', { outcome: 'succeeded' })).toMatchObject({ state: 'pending' })

      expect(await pay()).toMatchObject({ state: 'pending' })
      expect(effects('payments.create')).toBe(1)
    })

    it('rejects an answer with a payment of another order', async () => {
      const { orders, pay, request } = await aShop(test)
      await pay()
      const { payment } = await orders.pay('18', request())

      const answer = { outcome: 'succeeded', paymentId: String(payment?.id) } as const
      expect(await failureOf(orders.resolve('pay-17-1', answer))).toMatchObject({ issues: [{ path: ['paymentId'] }] })
    })

    it('rejects an answer with a refund that this decision cannot have made', async () => {
      const { orders, sell, client } = await aShop(test)
      const { payment } = await sell()
      const outside = await client.payments.refund(String(payment?.id), { amount: 500 })
      await orders.refund('17', { id: 'a', amount: 700 })
      await orders.refund('17', { id: 'b', amount: 500 })
      const own = outside.transactions?.at(-1)?.processorTransactionId
      const ofA = (await orders.get('17'))?.refunds.find(({ amount }) => amount === 700)?.transactionId
      const resolve = (transactionId: unknown) =>
        orders.resolve('refund-17-b-1', { outcome: 'succeeded', transactionId: String(transactionId) })

      for (const wrong of [ofA, 'txn_unknown']) {
        expect(await failureOf(resolve(wrong))).toMatchObject({ issues: [{ path: ['transactionId'] }] })
      }
      expect(await resolve(own)).toMatchObject({ needsReview: false, refunded: 1200 })
    })

    it('lists decisions that need a review, and stores a person’s answer', async () => {
      const { orders, sell, lose, sandbox, changes, tablePrefix } = await aShop(test)
      await sell()
      lose('refund', 'before')
      await orders.refund('17', { id: 'r', amount: 700 })
      await sandbox.clock.advance('25h')
      for (const sql of passSql(tablePrefix, 25 * 3_600_000)) await test.query(sql)
      expect(await orders.recover()).toMatchObject({ needsReview: 1 })
      const [decision] = await orders.review()

      expect(decision).toMatchObject({ orderId: '17', key: 'refund-17-r-1', kind: 'refund', state: 'needs_review' })
      expect(await orders.get('17')).toMatchObject({ needsReview: true, mayShip: false })
      const order = await orders.resolve('refund-17-r-1', { outcome: 'not_executed' })
      expect(order).toMatchObject({ needsReview: false, decisions: [{}, {}, { state: 'not_executed' }] })
      expect(changes.at(-1)?.cause).toBe('resolve')
      expect(await orders.review()).toEqual([])
    })
  })

  describe('a restored backup', () => {
    /** Restores a backup that lacks a capture of 1500 and refunds of 500. The service has forgotten their keys. */
    async function aRestoredShop(refunds = ['return-1']) {
      const shop = await aShop(test, { sandbox: { keyLifetime: 1000 } })
      const { pay, orders, backUp, sandbox } = shop
      await pay()
      await orders.capture('17', { id: 'parcel-1', amount: 1000 })
      const restore = await backUp()
      await orders.capture('17', { id: 'parcel-2', amount: 1500 })
      for (const id of refunds) await orders.refund('17', { id, amount: 500 })
      const lost = (await orders.get('17'))?.refunds.map(({ transactionId }) => String(transactionId)) ?? []
      await restore()
      await sandbox.clock.advance('2h')
      return { ...shop, lost }
    }

    it('requires a review instead of capturing twice after a restore', async () => {
      const { orders, effects } = await aRestoredShop()
      const capture = () => orders.capture('17', { id: 'parcel-2', amount: 1500 })

      expect(await capture()).toMatchObject({
        captured: 2500,
        needsReview: true,
        decisions: [{}, {}, { state: 'needs_review', reason: expect.stringContaining('a capture of 1500') }],
      })

      await orders.resolve('capture-17-parcel%2D2-1', { outcome: 'succeeded' })
      expect(await capture()).toMatchObject({ captured: 2500, needsReview: false })
      expect(effects('payments.capture')).toBe(2)
    })

    it.each([
      ['paid', 'capture'],
      ['refunded', 'refund'],
      ['cancelled', 'cancel'],
    ] as const)('an order from a restored backup is %s after a repeated %s', async (state, kind) => {
      const { pay, sell, orders, backUp, effects, sandbox } = await aShop(test, { sandbox: { keyLifetime: 1000 } })
      await (kind === 'refund' ? sell(sandbox.tokens.instantRefund) : pay())
      const restore = await backUp()
      await orders[kind]('17')
      await restore()
      await sandbox.clock.advance('2h')
      await orders.sync()

      expect(await orders[kind]('17')).toMatchObject({ state, needsReview: false })

      expect(effects(`payments.${kind}`)).toBe(1)
    })

    it('requires a review instead of refunding twice, and shows a later failure', async () => {
      const { orders, effects, sandbox, lost } = await aRestoredShop()
      const refund = () => orders.refund('17', { id: 'return-1', amount: 500 })

      const { needsReview, decisions, payment } = await refund()

      expect(needsReview).toBe(true)
      expect(decisions.at(-1)?.reason).toContain(`the refund ${lost[0]}`)
      const [transactionId = ''] = lost
      const resolved = await orders.resolve('refund-17-return%2D1-1', { outcome: 'succeeded', transactionId })
      expect(resolved).toMatchObject({ refunded: 500, needsReview: false, decisions: [{}, {}, { status: 'PENDING' }] })
      expect(effects('payments.refund')).toBe(1)
      sandbox.processor.finishRefund(String(payment?.id), 'FAILED')
      await orders.sync()
      expect((await orders.get('17'))?.decisions.at(-1)?.status).toBe('FAILED')
      await refund()
      expect(effects('payments.refund')).toBe(2)
    })

    it('requires a review at once of a restored capture whose key was used', async () => {
      const { orders, pay, backUp, effects } = await aShop(test, { sandbox: { idempotency: 'conflict' } })
      await pay()
      await test.transact((transaction) => orders.capture('17', {}, { transaction }))
      const restore = await backUp()
      await orders.recover()
      await restore()
      await orders.sync()

      expect(await orders.recover()).toEqual({ finished: 0, open: 0, needsReview: 1 })

      expect((await orders.review())[0]?.reason).toContain('the key was used before this operation was sent')
      expect(effects('payments.capture')).toBe(1)
    })

    it('requires a review of a refund that recover would send after a restore', async () => {
      const { orders, effects } = await aRestoredShop()
      await test.transact((transaction) => orders.refund('17', { id: 'return-1', amount: 500 }, { transaction }))

      expect(await orders.recover()).toEqual({ finished: 0, open: 0, needsReview: 1 })

      expect(effects('payments.refund')).toBe(1)
    })

    it('refunds again once a person reports that the visible refund is a different one', async () => {
      const { orders, effects } = await aRestoredShop()
      const refund = () => orders.refund('17', { id: 'return-9', amount: 500 })
      await refund()
      await orders.resolve('refund-17-return%2D9-1', { outcome: 'not_executed' })

      expect(await refund()).toMatchObject({ refunded: 1000, needsReview: false })

      expect((await refund()).decisions).toHaveLength(4)
      expect(effects('payments.refund')).toBe(2)
    })

    it('captures again once a person reports that the visible capture is different', async () => {
      const { orders, effects } = await aRestoredShop()
      const capture = () => orders.capture('17', { id: 'parcel-9', amount: 1500 })
      await capture()
      await orders.resolve('capture-17-parcel%2D9-1', { outcome: 'not_executed' })

      expect(await capture()).toMatchObject({ captured: 4000, needsReview: false })

      expect(effects('payments.capture')).toBe(3)
    })

    it('requires a review of every refund that may be the one in the payment', async () => {
      const { orders, effects, lost } = await aRestoredShop(['return-1', 'return-2'])
      const refund = (id: string) => orders.refund('17', { id, amount: 500 })
      const answer = { outcome: 'succeeded', transactionId: String(lost[0]) } as const
      await refund('return-1')
      await orders.resolve('refund-17-return%2D1-1', answer)

      const { decisions } = await refund('return-2')

      expect(decisions.at(-1)).toMatchObject({ id: 'return-2', state: 'needs_review' })
      expect(effects('payments.refund')).toBe(2)
    })

    it('requires a review instead of repeating a full refund before a later capture', async () => {
      const { pay, orders, backUp, effects, sandbox } = await aShop(test, { sandbox: { keyLifetime: 1000 } })
      await pay()
      await orders.capture('17', { id: 'parcel-1', amount: 1000 })
      const restore = await backUp()
      await orders.refund('17')
      await restore()
      await sandbox.clock.advance('2h')
      await orders.capture('17', { id: 'parcel-2', amount: 1500 })

      expect(await orders.refund('17')).toMatchObject({ captured: 2500, refunded: 1000, needsReview: true })

      expect(effects('payments.refund')).toBe(1)
    })

    it('sends captures and refunds that cannot match the visible ones', async () => {
      const { orders, effects } = await aRestoredShop()
      await orders.sync()

      await orders.refund('17', { id: 'return-2', amount: 400 })
      expect(await orders.capture('17', { id: 'rest' })).toMatchObject({ captured: 5000, needsReview: false })

      expect([effects('payments.capture'), effects('payments.refund')]).toEqual([3, 2])
    })

    it('requires a review of a refund whose process died after a restore', async () => {
      const { orders, open, fail, sandbox, effects, tablePrefix } = await aRestoredShop()
      const stopped = new AbortController()
      const before = sandbox.requests.length
      fail('get', { hang: true })
      const dying = open().refund('17', { id: 'return-1', amount: 500 }, { signal: stopped.signal })
      await vi.waitFor(() => expect(sandbox.requests).toHaveLength(before + 1))
      for (const sql of passSql(tablePrefix, 21_000)) await test.query(sql)

      expect(await orders.recover()).toEqual({ finished: 0, open: 0, needsReview: 1 })

      stopped.abort()
      expect(await dying).toMatchObject({ needsReview: true })
      expect(effects('payments.refund')).toBe(1)
    })

    it('requires a review of a refund that another journal would send after a restore', async () => {
      const { orders, client, effects, tablePrefix } = await aRestoredShop()
      await test.transact((transaction) => orders.refund('17', { id: 'return-1', amount: 500 }, { transaction }))
      const { database, isSynchronous } = test
      const journal: Journal = isSynchronous
        ? sqlite.createJournal(database as SqliteDatabase, { tablePrefix })
        : postgres.createJournal(database as postgres.PgPool, { tablePrefix })

      const report = await client.withOptions({ journal }).operations.recover()

      expect(report).toEqual({ finished: 0, open: 0, needsReview: 1 })
      expect(effects('payments.refund')).toBe(1)
    })

    it.each([403, 404])('sends no refund after a restore if fetching the payment fails with %i', async (status) => {
      const { orders, fail, effects } = await aRestoredShop()
      const refund = () => orders.refund('17', { id: 'return-1', amount: 500 })
      fail('get', { status })

      expect((await refund()).decisions.at(-1)).toMatchObject({ state: 'planned' })

      expect((await refund()).decisions.at(-1)).toMatchObject({ state: 'needs_review' })
      expect(effects('payments.refund')).toBe(1)
    })

    it.each([
      ['transactions', () => undefined],
      ['amounts', (all: unknown) => (all as object[]).map((transaction) => ({ ...transaction, amount: undefined }))],
    ])('requires a review of a refund after a restore if the %s are missing', async (_, change) => {
      const { orders, fail, effects } = await aRestoredShop()
      fail('get', {
        at: 'after',
        body: ({ transactions, ...payment }) => ({ ...payment, transactions: change(transactions) }),
      })

      const { decisions } = await orders.refund('17', { id: 'return-1', amount: 500 })

      expect(decisions.at(-1)).toMatchObject({ state: 'needs_review' })
      expect(effects('payments.refund')).toBe(1)
    })

    it('requires a review of a capture after a restore if the amounts are missing', async () => {
      const { orders, fail, effects } = await aRestoredShop()
      fail('get', { at: 'after', body: ({ processor, ...payment }) => payment })

      const { decisions } = await orders.capture('17', { id: 'parcel-2', amount: 1500 })

      expect(decisions.at(-1)).toMatchObject({ state: 'needs_review', reason: 'the captured amount is unknown' })
      expect(effects('payments.capture')).toBe(2)
    })
  })

  describe('effects from outside the shop', () => {
    const newest = ({ decisions }: Order) => decisions.at(-1)

    it('refunds the rest after a partial refund outside the shop', async () => {
      const { sell, orders, client, effects } = await aShop(test)
      const { payment } = await sell()
      await client.payments.refund(String(payment?.id), { amount: 500 })

      expect(await orders.refund('17')).toMatchObject({ state: 'refunded', refunded: 5000, needsReview: false })

      expect(effects('payments.refund')).toBe(2)
    })

    it('requires no review if the full amount was captured outside the shop', async () => {
      const { pay, orders, client } = await aShop(test)
      const { payment } = await pay()
      await client.payments.capture(String(payment?.id))

      expect(await failureOf(orders.capture('17'))).toMatchObject({ errorId: 'FinalCaptureAlreadyMade' })
      expect(await orders.get('17')).toMatchObject({ needsReview: false })
    })

    it('throws the service’s error if less is left after dashboard refunds', async () => {
      const { sell, orders, client } = await aShop(test)
      const { payment } = await sell()
      await client.payments.refund(String(payment?.id), { amount: 3000 })

      expect(await failureOf(orders.refund('17', { id: 'a', amount: 3000 }))).toMatchObject({ code: 'ERR_API' })

      expect(await orders.get('17')).toMatchObject({ needsReview: false, decisions: [{}, {}, { state: 'rejected' }] })
    })

    it('requires only one review of a refund if the transactions have no ID', async () => {
      const { sell, orders, client, fail, effects } = await aShop(test)
      const { payment } = await sell()
      await client.payments.refund(String(payment?.id), { amount: 500 })
      const withoutIds = (all: unknown) =>
        (all as object[]).map((row) => ({ ...row, processorTransactionId: undefined }))
      fail('get', {
        at: 'after',
        times: 2,
        body: ({ transactions, ...found }) => ({ ...found, transactions: withoutIds(transactions) }),
      })
      const refund = () => orders.refund('17', { id: 'a', amount: 500 })
      const { key, reason } = newest(await refund()) as Decision
      expect(reason).toContain('the refund of 500')
      await orders.resolve(key, { outcome: 'not_executed' })

      expect(newest(await refund())).toMatchObject({ state: 'succeeded' })

      expect(effects('payments.refund')).toBe(2)
    })

    it('requires a review of a refund after a failed one if transactions have no ID', async () => {
      const { sell, orders, client, fail, sandbox, effects } = await aShop(test)
      const { payment } = await sell()
      const paymentId = String(payment?.id)
      const withoutIds = (all: unknown) =>
        (all as object[]).map((row) => ({ ...row, processorTransactionId: undefined }))
      const body = ({ transactions, ...found }: Record<string, unknown>) => {
        return { ...found, transactions: withoutIds(transactions) }
      }
      fail('get', { at: 'after', times: 100, body })
      fail('refund', { at: 'after', times: 100, body })
      await orders.refund('17', { id: 'a', amount: 500 })
      sandbox.processor.finishRefund(paymentId, 'FAILED')
      await client.payments.refund(paymentId, { amount: 500 })

      const order = await orders.refund('17', { id: 'b', amount: 500 })

      expect(newest(order)).toMatchObject({ id: 'b', state: 'needs_review' })
      expect(effects('payments.refund')).toBe(2)
    })

    it('delays a second refund until a person has resolved the first one', async () => {
      const { sell, orders, client, effects } = await aShop(test)
      const { payment } = await sell()
      const { transactions } = await client.payments.refund(String(payment?.id), { amount: 500 })
      const transactionId = String(transactions?.at(-1)?.processorTransactionId)
      const { key } = newest(await orders.refund('17', { id: 'a', amount: 500 })) as Decision
      expect(newest(await orders.refund('17', { id: 'b', amount: 500 }))).toMatchObject({ state: 'planned' })
      await orders.resolve(key, { outcome: 'succeeded', transactionId })

      await orders.recover()

      expect(newest((await orders.get('17')) as Order)).toMatchObject({ id: 'b', state: 'succeeded' })
      expect(effects('payments.refund')).toBe(2)
    })

    it('sends a resolved capture even if another capture followed', async () => {
      const { pay, orders, client, effects } = await aShop(test)
      const { payment } = await pay()
      await client.payments.capture(String(payment?.id), { amount: 600, final: false })
      const capture = (id: string, amount: number) => orders.capture('17', { id, amount, final: false })
      const { key } = newest(await capture('a', 500)) as Decision
      expect(newest(await capture('b', 2000))).toMatchObject({ state: 'succeeded' })
      await orders.resolve(key, { outcome: 'not_executed' })
      await orders.recover()

      expect(newest(await capture('a', 500))).toMatchObject({ state: 'succeeded' })

      expect(effects('payments.capture')).toBe(3)
    })

    it('does not attribute an earlier failed refund to a later refund', async () => {
      const { sell, orders, client, sandbox, fail } = await aShop(test)
      const { payment } = await sell()
      await client.payments.refund(String(payment?.id), { amount: 500 })
      sandbox.processor.finishRefund(String(payment?.id), 'FAILED')
      const withoutNewest = (all: unknown) => (all as object[]).slice(0, -1)
      fail('refund', {
        at: 'after',
        body: ({ transactions, ...found }) => ({ ...found, transactions: withoutNewest(transactions) }),
      })

      expect(newest(await orders.refund('17', { id: 'a', amount: 500 }))?.status).toBeUndefined()
    })
  })

  describe('job queues', () => {
    it('pays once despite new processes, swallowed errors and new payment tokens', async () => {
      const { open, request, lose, sandbox, effects, orders } = await aShop(test)
      lose('create')
      for (const token of [sandbox.tokens.card, sandbox.tokenize(), sandbox.tokenize()]) {
        await open()
          .pay('17', request(token))
          .catch(() => {})
      }

      expect(await orders.get('17')).toMatchObject({ state: 'authorized' })
      expect(effects('payments.create')).toBe(1)
    })

    it('pays once if a restored backup lacks the payment', async () => {
      const { open, request, orders, client, effects, sandbox } = await aShop(test)
      await client.payments.create({ ...request(), orderId: '17' }, { idempotencyKey: 'pay-17-1' })

      await orders.sync({ from: new Date(sandbox.clock.now().getTime() - 60_000) })

      expect(await open().pay('17', request())).toMatchObject({ state: 'authorized' })
      expect(effects('payments.create')).toBe(1)
    })
  })

  describe('list', () => {
    it('returns pages of orders, least recently changed first', async () => {
      const { orders, request } = await aShop(test)
      for (const id of ['a', 'b', 'c']) await orders.pay(id, request())

      const first = await orders.list({ limit: 2 })
      const second = await orders.list({ limit: 2, cursor: String(first.nextCursor) })

      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['a', 'b', 'c'])
      expect(second.nextCursor).toBeUndefined()
      expect((await orders.list({ state: 'paid' })).data).toEqual([])
      expect((await orders.list({ updatedSince: new Date(Date.now() + 60_000) })).data).toEqual([])
      expect(await failureOf(orders.list({ limit: 0 }))).toMatchObject({ code: 'ERR_REQUEST_VALIDATION' })
    })
  })

  it('migrate adds columns that older tables lack, and keeps their rows', async () => {
    const { orders, pay, tablePrefix } = await aShop(test)
    const order = await pay()
    await test.query(`DROP INDEX ${tablePrefix}orders_unseen_cause`)
    await test.query(`ALTER TABLE ${tablePrefix}orders DROP COLUMN unseen_cause`)
    await test.query(`DROP INDEX ${tablePrefix}payments_updated_at`)
    await test.query(`ALTER TABLE ${tablePrefix}payments DROP COLUMN updated_at`)

    await orders.migrate()

    expect(await orders.get('17')).toEqual(order)
    expect(await orders.capture('17')).toMatchObject({ state: 'paid' })
    expect(await orders.recover()).toEqual({ finished: 0, open: 0, needsReview: 0 })
    expect(await orders.sync()).toMatchObject({ checked: 1 })
  })

  it('prune keeps the records that explain earlier refunds', async () => {
    const { orders, sell, effects, tablePrefix } = await aShop(test)
    await sell()
    await orders.refund('17', { id: 'a', amount: 500 })
    for (const sql of passSql(tablePrefix, 100 * 24 * 3_600_000)) await test.query(sql)
    await orders.prune()

    expect(await orders.refund('17', { id: 'b', amount: 500 })).toMatchObject({ refunded: 1000, needsReview: false })

    expect(effects('payments.refund')).toBe(2)
  })

  it('prune and a second migration keep all orders', async () => {
    const { orders, sell } = await aShop(test)
    const order = await sell()

    await orders.prune()
    await orders.migrate()

    expect(await orders.get('17')).toEqual(order)
  })
}

/** Tests of the orders that run with every driver and library. */
export function testOrdersBriefly(test: OrdersTestDatabase): void {
  it('stores calls, decisions in a transaction, and webhooks', async () => {
    const { orders, sell, sandbox, subscribe, seen } = await aShop(test)
    subscribe()
    const { payment } = await sell()

    await test.transact((transaction) => orders.refund('17', { id: 'r', amount: 500 }, { transaction }))
    await orders.recover()
    sandbox.processor.finishRefund(String(payment?.id), 'SETTLED')
    await sandbox.webhooks.flush()

    const { data } = await orders.list()
    expect(data).toEqual([await orders.get('17')])
    expect(data).toMatchObject([{ state: 'partially_refunded', refunds: [{ amount: 500, status: 'SETTLED' }] }])
    expect((await seen()).at(-1)).toBe('partially_refunded')
  })
}
