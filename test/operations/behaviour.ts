import { describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import type { Fault } from '../../src/testing/index.js'
import { failureOf } from '../support/clients.js'
import { startTelemetry } from '../support/telemetry.js'
import { testArguments } from './mistakes.js'
import { aShop, dropped, type JournalDatabase, lost } from './shop.js'

/** Lets time pass for the service and for the journal. */
function wait(shop: Awaited<ReturnType<typeof aShop>>, ms: number): Promise<void> {
  shop.sandbox.clock.advance(ms)
  return shop.pass(ms)
}

/** Declares the tests that every journal must pass. */
export function testJournal(database: JournalDatabase): void {
  /** Whether to test pure functions with this journal. The gate tests them only with the journal in memory. */
  const testsPureFunctions = !database.spoil || process.env['ADAPTERS'] === 'all'

  describe('a call of a client method with a journal', () => {
    it('records a call before its first request and after its last request', async () => {
      const shop = await aShop(database)
      const states: unknown[] = []
      const client = shop.aClient({
        fetch: async (input, init) => {
          states.push(await shop.stateOf('create-1'))
          return shop.sandbox.fetch(input as string, init)
        },
      })

      const { id, dateUpdated } = await client.payments.create(shop.body(), { idempotencyKey: 'create-1' })

      expect(states).toEqual(['sent'])
      expect(await shop.get('create-1')).toEqual({
        key: 'create-1',
        operation: 'payments.create',
        body: shop.body(),
        state: 'succeeded',
        createdAt: expect.any(Date),
        firstSentAt: expect.any(Date),
        attempts: 1,
        resendFor: 60_000,
        paymentId: id,
        status: 'AUTHORIZED',
        dateUpdated,
      })
    })

    it('records a call with its generated idempotency key', async () => {
      const shop = await aShop(database)
      const { response } = await shop.client.payments.create(shop.body()).withResponse()

      expect(await shop.stateOf(String(response.idempotencyKey))).toBe('succeeded')
    })

    it('records the payment’s status and captured amount before and after the call', async () => {
      const shop = await aShop(database)
      const id = await shop.authorize()

      await shop.client.payments.capture(id, { amount: 2000 }, { idempotencyKey: 'capture-1' })
      const { status, dateUpdated } = await shop.client.payments.capture(id, undefined, { idempotencyKey: 'capture-2' })

      expect(await shop.get('capture-1')).toMatchObject({ amountCapturedBefore: 0, amountCapturedAfter: 2000 })
      const amounts = { amountCapturedBefore: 2000, amountCapturedAfter: 5000 }
      expect(await shop.get('capture-2')).toMatchObject({ ...amounts, status, dateUpdated })
      expect([status, dateUpdated]).toEqual(['SETTLED', expect.any(String)])
    })

    it('fetches the payment before a capture only if the journal has no record of it', async () => {
      const shop = await aShop(database)
      const stranger = shop.aClient({ journal: await shop.openJournal() })
      const { id } = await shop.outside.payments.create(shop.body('outside'))
      shop.requests.length = 0

      await stranger.payments.capture(id, { amount: 100 })
      await shop.client.payments.capture(id, { amount: 100 })

      const capture = `POST /payments/${id}/capture`
      expect(shop.requests).toEqual([`GET /payments/${id}`, capture, capture])
      expect(shop.sandbox.ledger).toHaveLength(3)
    })

    it('fetches and returns the payment if an earlier call with the same key succeeded', async () => {
      const shop = await aShop(database)
      const options = { idempotencyKey: 'create-1' }
      const { id } = await shop.client.payments.create(shop.body(), options)
      shop.requests.length = 0

      const { data, response } = await shop.client.payments.create(shop.body(), options).withResponse()

      expect(data.id).toBe(id)
      expect(response.recovered).toBe(true)
      expect(shop.requests).toEqual([`GET /payments/${id}`])
    })

    it('rejects a call whose key was used for another request', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      const refund = (amount: number) => shop.client.payments.refund(id, { amount }, { idempotencyKey: 'refund-1' })
      await refund(100)

      const error = await failureOf(refund(200))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent' })
      expect(error.message).toContain('options.idempotencyKey was used for another operation')
      expect(shop.effects('refund-1')).toHaveLength(1)
    })

    it('accepts a used key if the body has the same fields in another order', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      await shop.client.payments.refund(id, { amount: 100, reason: 'x' }, { idempotencyKey: 'refund-1' })
      await shop.client.payments.refund(id, { reason: 'x', amount: 100 }, { idempotencyKey: 'refund-1' })

      expect(shop.effects('refund-1')).toHaveLength(1)
    })

    it.each([
      ['capture', (shop: Shop, id: string) => shop.client.payments.capture(id, { amount: 999_999 }, key)],
      ['refund', (shop: Shop, id: string) => shop.client.payments.refund(id, { amount: 999_999 }, key)],
    ])('records a rejected %s, and rejects the same key without another request', async (_, call) => {
      const shop = await aShop(database)
      const id = await shop.pay()
      const first = await failureOf(call(shop, id))
      shop.requests.length = 0

      const second = await failureOf(call(shop, id))

      const facts = {
        outcome: 'rejected',
        retry: 'new-key',
        httpStatus: expect.any(Number),
        errorId: expect.any(String),
      }
      expect(first).toMatchObject(facts)
      expect(second).toMatchObject({ ...facts, name: first.name, errorId: (first as { errorId?: string }).errorId })
      expect(await shop.get('key-1')).toMatchObject({ state: 'rejected', attempts: 1, errorId: expect.any(String) })
      expect(shop.requests).toEqual([])
    })
  })

  describe('the journal state of an idempotency key', () => {
    it.each([429, 401, 403, 408, 503])('keeps the state "unknown" if a retry gets the response %s', async (status) => {
      const shop = await aShop(database)
      const create = () => shop.aClient().payments.create(shop.body(), { idempotencyKey: 'create-1' })
      shop.sandbox.faults.add({ ...lost, operation: 'payments.create' })
      const first = await failureOf(create())
      shop.sandbox.faults.add({ at: 'before', status, operation: 'payments.create' })

      const second = await failureOf(create())

      expect([first, second]).toMatchObject(Array(2).fill({ outcome: 'unknown', retry: 'same-key' }))
      expect(await shop.get('create-1')).toMatchObject({ state: 'unknown', attempts: 2 })
      expect(await create()).toMatchObject({ orderId: 'order' })
      expect(shop.sandbox.ledger).toHaveLength(1)
    })

    it('sets the state "rejected" if the service responds 429 and then rejects the retry', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      const refund = () => shop.client.payments.refund(id, { amount: 999_999 }, { idempotencyKey: 'refund-1' })
      shop.sandbox.faults.add({ at: 'before', status: 429 })
      expect(await failureOf(refund())).toMatchObject({ httpStatus: 429, outcome: 'rejected', retry: 'same-key' })
      expect(await shop.stateOf('refund-1')).toBe('sent')

      expect(await failureOf(refund())).toMatchObject({ outcome: 'rejected', retry: 'new-key' })
      expect(await shop.stateOf('refund-1')).toBe('rejected')
    })

    it.each([
      ['replay', 'succeeded'],
      ['conflict', 'not_executed'],
      ['conflict-400', 'not_executed'],
    ] as const)(
      'in idempotency mode %s, sets "%s" for a lost capture of a cancelled payment',
      async (idempotency, state) => {
        const shop = await aShop(database, { sandbox: { idempotency } })
        const body = { ...shop.body(), paymentMethodToken: shop.sandbox.tokens.slowSettlement }
        const { id } = await shop.client.payments.create(body)
        await shop.fails(lost, 'capture', id, { amount: 700 }, { idempotencyKey: 'capture-1' })
        await shop.client.payments.cancel(id)

        expect(await shop.client.operations.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })

        expect(await shop.stateOf('capture-1')).toBe(state)
      },
    )

    it('stores the captured amount after a cancellation', async () => {
      const shop = await aShop(database)
      const body = { ...shop.body(), paymentMethodToken: shop.sandbox.tokens.slowSettlement }
      const { id } = await shop.client.payments.create(body)
      await shop.client.payments.capture(id, { amount: 700 })

      await shop.client.payments.cancel(id, {}, { idempotencyKey: 'cancel-1' })

      expect(await shop.get('cancel-1')).toMatchObject({ status: 'CANCELLED', amountCapturedAfter: 0 })
    })

    it.each(['replay', 'conflict', 'conflict-400'] as const)(
      'records a capture as succeeded if the payment is FAILED afterwards, in mode %s',
      async (idempotency) => {
        const shop = await aShop(database, { sandbox: { idempotency } })
        const body = { ...shop.body(), paymentMethodToken: shop.sandbox.tokens.failsOnCapture }
        const { id } = await shop.client.payments.create(body)
        await shop.fails(lost, 'capture', id, { amount: 700 }, { idempotencyKey: 'capture-1' })

        expect(await shop.client.operations.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })

        const record = { state: 'succeeded', status: 'FAILED', amountCapturedAfter: 0 }
        expect(await shop.get('capture-1')).toMatchObject(record)
      },
    )

    it.each(['replay', 'conflict', 'conflict-400'] as const)(
      'records a retried refund as succeeded if its first try took effect, in mode %s',
      async (idempotency) => {
        const shop = await aShop(database, { sandbox: { idempotency } })
        const id = await shop.pay()
        shop.sandbox.faults.add({ ...lost, operation: 'payments.refund' })
        const refund = () => shop.aClient().payments.refund(id, { amount: 700 }, { idempotencyKey: 'refund-1' })
        await failureOf(refund())

        const payment = await refund()

        const transactionId = payment.transactions?.at(-1)?.processorTransactionId
        expect(await shop.get('refund-1')).toMatchObject({ state: 'succeeded', transactionId, status: 'PENDING' })
        expect(shop.effects('refund-1')).toHaveLength(1)
      },
    )

    it('reports the status of a refund whose record a restored backup lacks', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      const { transactions } = await shop.outside.payments.refund(id, { amount: 700 }, { idempotencyKey: 'refund-1' })
      const transactionId = transactions?.at(-1)?.processorTransactionId
      // The record of this refund makes the journal know both refunds.
      await shop.client.payments.refund(id, { amount: 700 }, { idempotencyKey: 'refund-2' })

      await shop.client.payments.refund(id, { amount: 700 }, { idempotencyKey: 'refund-1' })

      expect(await shop.get('refund-1')).toMatchObject({ state: 'succeeded', transactionId, status: 'PENDING' })
      expect(shop.sandbox.ledger.filter(({ operation }) => operation === 'payments.refund')).toHaveLength(2)
    })
  })

  describe('operations.plan', () => {
    it('stores the operation without sending a request', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      shop.requests.length = 0

      await shop.plan({ key: 'refund-1', operation: 'payments.refund', id, body: { amount: 1500 } })

      expect(shop.requests).toEqual([])
      expect(await shop.get('refund-1')).toEqual({
        key: 'refund-1',
        operation: 'payments.refund',
        id,
        body: { amount: 1500 },
        state: 'planned',
        createdAt: expect.any(Date),
        attempts: 0,
        resendFor: 60_000,
      })
    })

    it('leaves the record unchanged if the same operation is planned again', async () => {
      const shop = await aShop(database)
      const intent = { key: 'refund-1', operation: 'payments.refund', id: 'pay_1' } as const
      await shop.plan({ ...intent, body: { amount: 1500, reason: 'a' } })
      const stored = await shop.get('refund-1')

      await shop.plan({ ...intent, body: { reason: 'a', amount: 1500 } })

      expect(await shop.client.operations.list()).toEqual([stored])
    })
  })

  describe('operations.run', () => {
    it('executes a planned operation once, and returns the same result in later calls', async () => {
      const shop = await aShop(database)
      const id = await shop.planRefund({ amount: 1500 })

      const first = await shop.run('refund-1')
      shop.requests.length = 0
      const second = await shop.run('refund-1')

      expect(first.transaction).toMatchObject({ transactionType: 'REFUND', amount: 1500 })
      expect(first.record).toMatchObject({
        state: 'succeeded',
        transactionId: first.transaction?.processorTransactionId,
      })
      expect(second).toEqual(first)
      expect(shop.requests).toEqual([`GET /payments/${id}`])
      expect(shop.effects('refund-1')).toHaveLength(1)
    })

    it.each([
      ['payments.create', undefined],
      ['payments.capture', { amount: 100 }],
      ['payments.capture', undefined],
      ['payments.cancel', { reason: 'x' }],
      ['payments.cancel', undefined],
    ] as const)('executes %s with the body %j', async (operation, body) => {
      const shop = await aShop(database)
      const id = await shop.authorize()
      const intent = operation === 'payments.create' ? { operation, body: shop.body() } : { operation, id, body }
      await shop.plan({ key: 'key-1', ...intent } as never)

      const { record, payment } = await shop.run('key-1')

      expect(record).toMatchObject({ operation, state: 'succeeded', paymentId: payment.id, status: payment.status })
      expect(shop.effects('key-1')).toMatchObject([{ operation }])
    })

    it('returns the same result to two processes that run the same operation', async () => {
      const shop = await aShop(database)
      const other = shop.aClient({ journal: await shop.openJournal() })
      await shop.planRefund({ amount: 1500 })

      const results = await Promise.all([shop.run('refund-1'), other.operations.run('refund-1'), shop.run('refund-1')])

      expect(new Set(results.map(({ record }) => record.transactionId)).size).toBe(1)
      expect(shop.requests.filter((line) => line.startsWith('POST') && line.endsWith('/refund'))).toHaveLength(1)
    })

    it('executes the operations of one payment one at a time', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      let running = 0
      let most = 0
      const client = shop.aClient({
        fetch: async (input, init) => {
          running++
          most = Math.max(most, running)
          await new Promise((resolve) => setTimeout(resolve, 2))
          running--
          return shop.sandbox.fetch(input as string, init)
        },
      })
      const keys = ['refund-1', 'refund-2', 'refund-3']
      for (const key of keys) await shop.plan({ key, operation: 'payments.refund', id, body: { amount: 500 } })

      const results = await Promise.all(keys.map((key) => client.operations.run(key)))

      expect(most).toBe(1)
      expect(new Set(results.map(({ record }) => record.transactionId)).size).toBe(3)
    })

    it('fails after totalTimeout if another process is still executing the operation', async () => {
      const shop = await aShop(database)
      const id = await shop.planRefund()
      shop.sandbox.faults.add({ hang: true, operation: 'payments.refund' })
      const controller = new AbortController()
      const first = failureOf(shop.client.operations.run('refund-1', { signal: controller.signal }))
      await vi.waitFor(() => expect(shop.requests.at(-1)).toBe(`POST /payments/${id}/refund`))

      const second = await failureOf(shop.client.operations.run('refund-1', { totalTimeout: 30 }))

      expect(second).toMatchObject({ code: 'ERR_TIMEOUT', phase: 'queue', outcome: 'unknown', retry: 'same-key' })
      controller.abort()
      expect(await first).toMatchObject({ code: 'ERR_ABORTED', outcome: 'unknown' })
      expect(await shop.stateOf('refund-1')).toBe('unknown')
    })

    it('leaves a capture "unknown" if other captures explain the captured amount', async () => {
      const shop = await aShop(database)
      const id = await shop.authorize()
      await shop.fails(dropped, 'capture', id, { amount: 700 }, { idempotencyKey: 'capture-1' })
      await shop.client.payments.capture(id, { amount: 700 }, { idempotencyKey: 'capture-2' })
      // The service reports the key while the request is still in progress.
      const body = { error: { errorId: 'IdempotencyKeyAlreadyExists', description: 'used' } }
      shop.sandbox.faults.add({ at: 'before', status: 409, body, operation: 'payments.capture' })

      expect(await failureOf(shop.run('capture-1'))).toMatchObject({ outcome: 'unknown', retry: 'same-key' })
      expect(await shop.stateOf('capture-1')).toBe('unknown')

      await shop.outside.payments.capture(id, { amount: 700 }, { idempotencyKey: 'capture-1' })
      await shop.run('capture-1')
      expect(await shop.stateOf('capture-1')).toBe('succeeded')
    })

    it.each(['conflict', 'conflict-400'] as const)(
      'advises "new-key" in idempotency mode %s if a used key’s payment has failed',
      async (idempotency) => {
        const shop = await aShop(database, { sandbox: { idempotency } })
        const body = { ...shop.body(), paymentMethodToken: shop.sandbox.tokens.slowSettlement }
        const { id } = await shop.client.payments.create(body)
        await shop.outside.payments.capture(id, { amount: 700 }, { idempotencyKey: 'capture-1' })
        await shop.outside.payments.cancel(id)
        await shop.plan({ key: 'capture-1', operation: 'payments.capture', id, body: { amount: 700 } })

        const error = await failureOf(shop.run('capture-1'))

        expect(error).toMatchObject({ code: 'ERR_OPERATION', retry: 'new-key', record: { state: 'not_executed' } })
        expect(error.cause).toMatchObject({ errorId: expect.stringMatching(/KeyAlreadyExists$/) })
      },
    )

    it('leaves the operation "planned" if the API key is not available', async () => {
      const code = 'ERR_CONFIGURATION'
      const options = { apiKey: () => Promise.reject(new Error()) }
      const shop = await aShop(database)
      const body = shop.body()
      await shop.plan({ key: 'create-1', operation: 'payments.create', body })

      const error = await failureOf(shop.aClient(options).operations.run('create-1'))

      expect(error).toMatchObject({ code, outcome: 'not_sent', retry: 'same-key', idempotencyKey: 'create-1' })
      expect(await shop.get('create-1')).not.toHaveProperty('firstSentAt')
      expect(await shop.get('create-1')).toMatchObject({ state: 'planned', attempts: 0 })
      await shop.client.operations.recover()
      expect(shop.effects('create-1')).toHaveLength(1)
    })

    it('calls onSettled in the transaction that stores the result', async () => {
      const shop = await aShop(database)
      await shop.planRefund()
      const onSettled = vi.fn()

      const { record } = await shop.client.operations.run('refund-1', { onSettled })
      await shop.client.operations.run('refund-1', { onSettled })

      const { acknowledgedAt, ...before } = record
      expect(acknowledgedAt).toBeInstanceOf(Date)
      expect(onSettled.mock.calls.map(([given]) => given)).toEqual([before])
    })

    it.each([
      ['the query', (query: unknown) => query],
      ['an array with the query', (query: unknown) => [query]],
      ['a promise of an array with the query', async (query: unknown) => [query]],
    ])('acknowledges a result only after its query if onSettled returns %s', async (_, wrap) => {
      const shop = await aShop(database)
      await shop.planRefund()
      const rows: string[] = []
      // Like the query builders of Knex and Drizzle, this object runs its query when its method `then` is called.
      const query = {
        then(resolve: (rows: number) => void) {
          rows.push('refund-1')
          resolve(1)
        },
      }

      await shop.client.operations.run('refund-1', { onSettled: () => wrap(query) })

      const { acknowledgedAt } = (await shop.get('refund-1')) ?? {}
      expect({ rows, isAcknowledged: acknowledgedAt !== undefined }).toEqual(
        database.isSynchronous ? { rows: [], isAcknowledged: false } : { rows: ['refund-1'], isAcknowledged: true },
      )
    })

    it.each([
      ['the query', (query: unknown) => query],
      ['an array with the query', (query: unknown) => [1, query]],
    ])('does not acknowledge a result if onSettled returns %s without running it', async (_, wrap) => {
      const onResult = vi.fn()
      const shop = await aShop(database, { hooks: { onResult } })
      await shop.planRefund()
      // Like the query builders of Kysely and TypeORM.
      const query = { execute: async () => [] }

      await shop.client.operations.run('refund-1', { onSettled: () => wrap(query) })

      const { journalError } = onResult.mock.calls.at(-1)?.[0] ?? {}
      expect(journalError).toMatchObject({ code: 'ERR_CONFIGURATION' })
      expect(journalError.message).toContain('a query that has not run: call the query’s method execute()')
      expect(await shop.get('refund-1')).not.toHaveProperty('acknowledgedAt')
    })

    it('resolves even if onSettled throws, and settle then calls onSettled again', async () => {
      const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
      const onResult = vi.fn()
      const shop = await aShop(database, { logger, hooks: { onResult } })
      await shop.planRefund()
      const failure = new Error('the orders table is locked')
      const onSettled = vi.fn().mockImplementationOnce(() => {
        throw failure
      })

      const { record } = await shop.client.operations.run('refund-1', { onSettled })

      expect(record).toMatchObject({ state: 'sent', attempts: 1 })
      expect(await shop.get('refund-1')).toEqual(record)
      expect(logger.error.mock.calls.flat().join()).toContain('the function onSettled failed')
      expect(onResult.mock.calls.at(-1)?.[0]).toMatchObject({ outcome: 'succeeded', journalError: failure })
      await shop.client.operations.recover({ onSettled })
      expect(await shop.get('refund-1')).toMatchObject({ state: 'succeeded', acknowledgedAt: expect.any(Date) })
      expect(shop.effects('refund-1')).toHaveLength(1)
    })
  })

  describe('operations.recover', () => {
    it.each(['replay', 'conflict', 'conflict-400'] as const)(
      'finishes operations whose responses were lost, in idempotency mode %s',
      async (idempotency) => {
        const shop = await aShop(database, { sandbox: { idempotency } })
        const id = await shop.pay()
        const authorized = await shop.authorize()
        for (const fault of [lost, dropped]) {
          for (const [method, resource] of [
            ['capture', authorized],
            ['refund', id],
          ] as const) {
            shop.sandbox.faults.add({ ...fault, operation: `payments.${method}` })
            const options = { idempotencyKey: `${method}-${fault.at}` }
            await failureOf(shop.client.payments[method](resource, { amount: 500 }, options))
          }
        }
        await shop.fails(lost, 'create', shop.body(), { idempotencyKey: 'create-1' })

        const report = await shop.client.operations.recover()

        expect(report).toEqual({ finished: 5, open: 0, needsReview: 0 })
        const records = await shop.client.operations.list()
        expect(new Set(records.map(({ state }) => state))).toEqual(new Set(['succeeded']))
        for (const { key } of records) expect(shop.effects(key), key).toHaveLength(1)
        const refunds = records.filter(({ operation }) => operation === 'payments.refund')
        expect(new Set(refunds.map(({ transactionId }) => transactionId)).size).toBe(2)
      },
    )

    it('executes planned operations that were never run', async () => {
      const shop = await aShop(database)
      await shop.planRefund()
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })

      expect(await shop.client.operations.recover()).toEqual({ finished: 2, open: 0, needsReview: 0 })
      expect([shop.effects('refund-1'), shop.effects('create-1')]).toMatchObject([[{}], [{}]])
    })

    it('settles nothing while another process is settling', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      const keys = Array.from({ length: 6 }, (_, index) => `refund-${index}`)
      for (const key of keys) await shop.plan({ key, operation: 'payments.refund', id, body: { amount: 10 } })
      const other = shop.aClient({ journal: await shop.openJournal() })

      const reports = await Promise.all([shop.client.operations.recover(), other.operations.recover()])

      expect(reports.reduce((sum, { finished }) => sum + finished, 0)).toBe(6)
      for (const key of keys) expect(shop.effects(key)).toHaveLength(1)
    })

    it('passes every result, including those of client methods, to onSettled once', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      await failureOf(shop.client.payments.refund(id, { amount: 999_999 }, { idempotencyKey: 'refund-1' }))
      await shop.plan({ key: 'refund-2', operation: 'payments.refund', id })
      const settled: unknown[] = []
      const onSettled = ({ operation, state }: { operation: string; state: string }) =>
        void settled.push([operation, state])

      await shop.client.operations.recover({ onSettled })
      await shop.client.operations.recover({ onSettled })

      expect(settled.sort()).toEqual([
        ['payments.capture', 'succeeded'],
        ['payments.create', 'succeeded'],
        ['payments.refund', 'rejected'],
        ['payments.refund', 'succeeded'],
      ])
    })

    it('settles all other operations if onSettled throws for one operation', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      for (const key of ['refund-1', 'refund-2']) {
        await shop.plan({ key, operation: 'payments.refund', id, body: { amount: 10 } })
      }
      const onSettled = vi.fn(({ key }: { key: string }) => {
        if (key === 'refund-1') throw new Error()
      })

      const report = await shop.client.operations.recover({ onSettled, concurrency: 1 })

      // The results of the payment and of its capture are handed over, too.
      expect(report).toEqual({ finished: 3, open: 1, needsReview: 0 })
      expect([await shop.stateOf('refund-1'), await shop.stateOf('refund-2')]).toEqual(['sent', 'succeeded'])
      expect(await shop.client.operations.recover({ onSettled: () => {} })).toMatchObject({ finished: 1 })
    })

    it('settles at most `limit` operations, and continues with the rest in the next call', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      for (const key of ['refund-1', 'refund-2', 'refund-3']) {
        await shop.plan({ key, operation: 'payments.refund', id, body: { amount: 10 } })
      }

      expect(await shop.client.operations.recover({ limit: 2, concurrency: 1 })).toMatchObject({ finished: 2 })
      expect(await shop.client.operations.recover()).toMatchObject({ finished: 1 })
      expect(await shop.client.operations.recover({ signal: AbortSignal.abort() })).toMatchObject({ finished: 0 })
    })

    it('starts with the operations whose last attempt was the longest ago', async () => {
      const shop = await aShop(database)
      const ids = [await shop.pay(), await shop.pay()]
      for (const id of ids) await shop.plan({ key: `refund-${id}`, operation: 'payments.refund', id })
      shop.sandbox.faults.add({ operation: 'payments.refund', status: 503 })
      expect(await shop.client.operations.recover({ limit: 1 })).toMatchObject({ open: 1 })

      expect(await shop.client.operations.recover({ limit: 1 })).toMatchObject({ finished: 1 })

      // Both operations may have been planned in the same millisecond, so either of them may be first.
      const states = await Promise.all(ids.map((id) => shop.stateOf(`refund-${id}`)))
      expect(states.sort()).toEqual(['succeeded', 'unknown'])
    })

    it('passes later results to onSettled even if it always throws for an earlier one', async () => {
      const shop = await aShop(database)
      await shop.client.payments.create(shop.body('one'), { idempotencyKey: 'create-1' })
      await shop.client.payments.create(shop.body('two'), { idempotencyKey: 'create-2' })
      const received: string[] = []
      const onSettled = ({ key }: { key: string }) => {
        received.push(key)
        if (key === received[0]) throw new Error()
      }

      // Records that were claimed in the same millisecond may be tried in any order.
      for (let call = 0; call < 3; call++) await shop.client.operations.recover({ onSettled, limit: 1 })

      expect(new Set(received)).toEqual(new Set(['create-1', 'create-2']))
    })
  })

  describe('client.operations after the customer has left the checkout', () => {
    it.each([
      ['succeeded', lost, 1],
      ['not_executed', dropped, 0],
    ] as const)('sets the state %s after a create request with the fault %j', async (state, fault, effects) => {
      const shop = await aShop(database, { sandbox: { listDelay: '60s' } })
      await shop.authorize() // The response shows the client how far the clocks differ.
      shop.requests.length = 0
      await shop.fails(fault, 'create', shop.body(), { idempotencyKey: 'create-1' })

      await shop.recoverAfter('153s')

      expect(await shop.stateOf('create-1')).toBe(state)
      expect(shop.effects('create-1')).toHaveLength(effects)
      expect(shop.requests.filter((line) => line === 'POST /payments')).toHaveLength(1)
    })

    it('waits for a payment that appears 88 seconds after a request without a result', async () => {
      const shop = await aShop(database, { sandbox: { listDelay: '60s' } })
      await shop.authorize() // The response shows the client how far the clocks differ.
      await shop.fails(dropped, 'create', shop.body(), { idempotencyKey: 'create-1' })
      shop.sandbox.clock.advance('88s')
      const { id } = await shop.outside.payments.create(shop.body(), { idempotencyKey: 'create-1' })

      expect(await shop.recoverAfter('59s')).toEqual({ finished: 0, open: 1, needsReview: 0 })

      await shop.recoverAfter('2s')

      expect(await shop.get('create-1')).toMatchObject({ state: 'succeeded', paymentId: id })
    })

    it('finds a captured payment even if the journal did not record its creation', async () => {
      const shop = await aShop(database)
      await shop.fails(lost, 'create', shop.body(), { idempotencyKey: 'create-1' })
      const { resourceId: id } = shop.sandbox.ledger[0] as { resourceId: string }
      await shop.client.payments.capture(id, {}, { idempotencyKey: 'capture-1' })

      await shop.recoverAfter('63s')

      expect(await shop.get('create-1')).toMatchObject({ state: 'succeeded', paymentId: id })
    })

    it('does not create a planned payment after resendFor has passed', async () => {
      const shop = await aShop(database)
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })
      await shop.plan({ key: 'create-2', operation: 'payments.create', body: shop.body('later'), resendFor: 150_000 })

      await shop.recoverAfter('63s')

      expect([await shop.stateOf('create-1'), await shop.stateOf('create-2')]).toEqual(['not_executed', 'succeeded'])
      expect(await failureOf(shop.run('create-1'))).toMatchObject({
        code: 'ERR_OPERATION',
        outcome: 'not_sent',
        retry: 'new-key',
        record: { key: 'create-1', state: 'not_executed', reason: expect.any(String) },
      })
      expect(shop.effects('create-1')).toEqual([])
    })

    it('ends a payment that was never sent when the call is retried after resendFor', async () => {
      const shop = await aShop(database)
      const create = (client: PaymentsClient) =>
        failureOf(client.payments.create(shop.body(), { idempotencyKey: 'create-1' }))
      const withoutApiKey = shop.aClient({ apiKey: () => Promise.reject(new Error()) })
      expect(await create(withoutApiKey)).toMatchObject({ outcome: 'not_sent', retry: 'same-key' })
      await wait(shop, 70_000)

      expect(await create(shop.client)).toMatchObject({ outcome: 'not_sent', retry: 'new-key' })
      expect(await shop.stateOf('create-1')).toBe('not_executed')
      expect(shop.effects('create-1')).toEqual([])
    })

    it.each(['settle', 'run'] as const)(
      'finds a planned payment even if the record of its request was lost (method %s)',
      async (method) => {
        const shop = await aShop(database)
        await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })
        const { id } = await shop.outside.payments.create(shop.body(), { idempotencyKey: 'create-1' })
        await shop.pass(63_000)

        await (method === 'run' ? shop.run('create-1') : shop.client.operations.recover())

        expect(await shop.get('create-1')).toMatchObject({ state: 'succeeded', paymentId: id })
        expect(shop.effects('create-1')).toHaveLength(1)
      },
    )

    it.each(['before', 'after'])(
      'assigns a payment to the sent operation, not to an equal one planned %s it',
      async (order) => {
        const shop = await aShop(database)
        const second = { allowSecondPayment: true }
        const plan = () => shop.plan({ key: 'create-2', operation: 'payments.create', body: shop.body(), ...second })
        if (order === 'before') await plan()
        await shop.fails(lost, 'create', shop.body(), { idempotencyKey: 'create-1', ...second })
        if (order === 'after') await plan()

        for (let minutes = 0; minutes < 6; minutes += 2) {
          await wait(shop, 123_000)
          await shop.client.operations.recover()
        }

        expect([await shop.stateOf('create-1'), await shop.stateOf('create-2')]).toEqual(['succeeded', 'not_executed'])
      },
    )

    it('does not look up a planned payment whose order id is only in the client session', async () => {
      const shop = await aShop(database)
      const { orderId, ...body } = shop.body()
      await shop.plan({ key: 'create-1', operation: 'payments.create', body })

      await shop.recoverAfter('63s')

      expect(await shop.stateOf('create-1')).toBe('not_executed')
    })

    it('looks up the payment without a retry if resendFor is 0', async () => {
      const shop = await aShop(database, { options: { resendFor: 0 } })
      await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body('one') })
      await shop.plan({ key: 'create-2', operation: 'payments.create', body: shop.body('two') })
      expect(await shop.client.operations.recover()).toEqual({ finished: 0, open: 2, needsReview: 0 })
      shop.sandbox.faults.add({ ...dropped, operation: 'payments.create' })
      await failureOf(shop.run('create-1'))
      await shop.run('create-2')
      expect(await failureOf(shop.run('create-1'))).toMatchObject({ code: 'ERR_OPERATION', retry: 'same-key' })

      await shop.recoverAfter('153s')

      expect([await shop.stateOf('create-1'), await shop.stateOf('create-2')]).toEqual(['not_executed', 'succeeded'])
      expect(shop.effects('create-1')).toEqual([])
    })

    it.each([0, 1_000])('stops retrying inside a call when resendFor (%i ms) has passed', async (resendFor) => {
      const shop = await aShop(database, { options: { resendFor }, maxRetries: 1 })
      shop.sandbox.faults.add({ operation: 'payments.create', status: 503, headers: { 'retry-after': '1' } })

      expect(await failureOf(shop.client.payments.create(shop.body()))).toMatchObject({ outcome: 'unknown' })
      expect(shop.requests).toEqual(['POST /payments'])
    })

    it('ignores payments of other records, or with another amount or currency', async () => {
      const shop = await aShop(database)
      await shop.client.payments.create(shop.body('order', 5000))
      for (const other of [{ amount: 1 }, { currencyCode: 'USD' }]) {
        await shop.outside.payments.create({ ...shop.body(), ...other })
      }
      await shop.fails(dropped, 'create', shop.body('order', 5000), { idempotencyKey: 'create-1' })

      await shop.recoverAfter('3m')

      expect(await shop.stateOf('create-1')).toBe('not_executed')
    })

    it('requires a review if two payments match the operation', async () => {
      const shop = await aShop(database)
      await shop.fails(lost, 'create', shop.body(), { idempotencyKey: 'create-1' })
      await shop.outside.payments.create(shop.body())

      expect(await shop.recoverAfter('2m')).toEqual({ finished: 0, open: 0, needsReview: 1 })
      expect(await shop.get('create-1')).toMatchObject({
        state: 'needs_review',
        reason: 'several payments of this order match',
      })
      expect(await failureOf(shop.run('create-1'))).toMatchObject({ outcome: 'unknown', retry: 'check-first' })
    })

    it.each([
      ['two operations of the order were open', 'card', 2],
      ['both payments have failed', 'declined', 1],
    ] as const)('requires no review if two payments match and %s', async (_, token, count) => {
      const shop = await aShop(database)
      const body = { ...shop.body(), paymentMethodToken: shop.sandbox.tokens[token] }
      const keys = ['create-1', 'create-2'].slice(0, count)
      await shop.authorize() // The response shows the difference between the clocks.
      for (const idempotencyKey of keys) {
        await shop.fails(lost, 'create', body, { idempotencyKey, allowSecondPayment: true })
      }
      if (count === 1) await shop.outside.payments.create(body)

      await wait(shop, 180_000)

      const report = await shop.client.operations.recover({ concurrency: 1 })

      expect(report).toEqual({ finished: count, open: 0, needsReview: 0 })
      const records = await Promise.all(keys.map(shop.get))
      const created = shop.sandbox.ledger.slice(1, 1 + count).map(({ resourceId }) => resourceId)
      expect(records.map(({ paymentId }) => paymentId)).toEqual(created)
    })

    it('requires a review if only the client session contains the order id', async () => {
      const shop = await aShop(database)
      const facts = { orderId: 'order', currencyCode: 'EUR', amount: 500 }
      const { clientToken } = await shop.client.clientSessions.create(facts)
      const paymentMethodToken = shop.sandbox.tokenize({ clientToken })
      await shop.fails(lost, 'create', { paymentMethodToken }, { idempotencyKey: 'create-1' })

      await shop.recoverAfter('2m')

      expect(await shop.get('create-1')).toMatchObject({
        state: 'needs_review',
        reason: 'the order id is only in the client session, so the payment cannot be looked up',
      })
    })
  })

  it('assigns each of several equal refunds to its own transaction, in any order', async () => {
    const shop = await aShop(database, { sandbox: { idempotency: 'conflict' } })
    const id = await shop.pay()
    const refund = (idempotencyKey: string) => shop.client.payments.refund(id, { amount: 500 }, { idempotencyKey })
    for (const key of ['refund-1', 'refund-2', 'refund-3']) {
      shop.sandbox.faults.add({ ...lost, operation: 'payments.refund' })
      await failureOf(refund(key))
    }
    const ids = (await shop.outside.payments.get(id)).transactions?.filter(
      ({ transactionType }) => transactionType === 'REFUND',
    )

    for (const key of ['refund-2', 'refund-3', 'refund-1']) await refund(key)

    const own = await Promise.all(['refund-1', 'refund-2', 'refund-3'].map((key) => shop.get(key)))
    expect(own.map(({ transactionId }) => transactionId)).toEqual(
      ids?.map(({ processorTransactionId }) => processorTransactionId),
    )
  })

  it('operations.recover requires a review if the found payment has other values', async () => {
    const shop = await aShop(database)
    await shop.outside.payments.create(shop.body('order', 4000), { idempotencyKey: 'create-1' })
    const error = await failureOf(shop.client.payments.create(shop.body(), { idempotencyKey: 'create-1' }))
    expect(error).toMatchObject({ errorId: expect.stringMatching(/KeyReused$/), retry: 'same-key' })

    expect(await shop.recoverAfter('3m')).toMatchObject({ needsReview: 1 })
  })

  it('operations.run advises "same-key" if a created payment cannot be fetched', async () => {
    const shop = await aShop(database)
    await shop.plan({ key: 'create-1', operation: 'payments.create', body: shop.body() })
    await shop.run('create-1')
    shop.sandbox.faults.add({ operation: 'payments.get', status: 404 })

    expect(await failureOf(shop.run('create-1'))).toMatchObject({ outcome: 'accepted', retry: 'same-key' })
  })

  describe.runIf(testsPureFunctions)('operations.recover shortly before or after keyLifetime ends', () => {
    async function aFailedRefund(fault: typeof lost | typeof dropped) {
      const shop = await aShop(database)
      const id = await shop.pay()
      await shop.fails(fault, 'refund', id, { amount: 500 }, { idempotencyKey: 'refund-1' })
      return { shop, id }
    }

    it.each(
      (['refund', 'capture', 'cancel'] as const).flatMap((method) => [
        ['succeeded', method, lost] as const,
        ['needs_review', method, dropped] as const,
      ]),
    )('sets the state %s after a %s with the fault %j', async (state, method, fault) => {
      const shop = await aShop(database)
      const id = await (method === 'refund' ? shop.pay() : shop.authorize())
      await shop.fails(fault, method, id, {}, { idempotencyKey: 'change-1' })
      shop.sandbox.clock.advance('25h')
      shop.requests.length = 0

      await shop.client.operations.recover()

      expect(await shop.stateOf('change-1')).toBe(state)
      expect(shop.requests.filter((line) => line.startsWith('POST'))).toEqual([])
    })

    it.each([
      ['succeeded', lost],
      ['needs_review', dropped],
    ] as const)('sets the state %s for a capture between two others with the fault %j', async (state, fault) => {
      const shop = await aShop(database)
      const id = await shop.authorize()
      await shop.client.payments.capture(id, { amount: 100 })
      await shop.fails(fault, 'capture', id, { amount: 500 }, { idempotencyKey: 'capture-1' })
      await shop.client.payments.capture(id, { amount: 70 }, { idempotencyKey: 'capture-2' })

      await shop.recoverAfter('25h')

      expect(await shop.get('capture-1')).toMatchObject({ state, amountCapturedBefore: 100 })
    })

    it('requires a review if 40 open captures cannot add up to the captured amount', async () => {
      const shop = await aShop(database)
      const id = await shop.authorize()
      for (let number = 1; number <= 40; number++) {
        await shop.fails(dropped, 'capture', id, { amount: 10 }, { idempotencyKey: `capture-${number}` })
      }
      await shop.outside.payments.capture(id, { amount: 205 })

      expect(await shop.recoverAfter('25h')).toEqual({ finished: 0, open: 0, needsReview: 40 })
    })

    it('retries a refund one hour before keyLifetime ends', async () => {
      const { shop } = await aFailedRefund(dropped)

      await shop.recoverAfter('23h')

      expect(await shop.stateOf('refund-1')).toBe('succeeded')
    })

    it('requires a review if somebody later refunded the same amount in the dashboard', async () => {
      const { shop, id } = await aFailedRefund(lost)
      await shop.outside.payments.refund(id, { amount: 500 })

      await shop.recoverAfter('25h')

      expect(await shop.get('refund-1')).toMatchObject({
        state: 'needs_review',
        reason: 'more than one new refund has the requested amount',
      })
    })

    it('requires a review if somebody earlier refunded the same amount in the dashboard', async () => {
      const shop = await aShop(database)
      const id = await shop.pay()
      await shop.outside.payments.refund(id, { amount: 500 })
      await wait(shop, 120_000)
      await shop.authorize() // The response shows the difference between the clocks.
      await shop.fails(dropped, 'refund', id, { amount: 500 }, { idempotencyKey: 'refund-1' })

      await shop.recoverAfter('25h')

      expect(await shop.get('refund-1')).toMatchObject({
        state: 'needs_review',
        reason: 'the refund with the requested amount is older',
      })
    })

    it('assigns the only visible refund to the older of two equal refund operations', async () => {
      const { shop, id } = await aFailedRefund(dropped)
      await shop.fails(lost, 'refund', id, { amount: 500 }, { idempotencyKey: 'refund-2' })

      await shop.recoverAfter('25h')

      expect(await shop.stateOf('refund-1')).toBe('succeeded')
      expect(await shop.stateOf('refund-2')).toBe('needs_review')
    })

    it.each(['capture', 'cancel'] as const)(
      'sets the state not_executed for a %s of a payment that has failed',
      async (method) => {
        const shop = await aShop(database)
        const body = { ...shop.body(), paymentMethodToken: shop.sandbox.tokens.failsOnCapture }
        const { id } = await shop.client.payments.create(body)
        await shop.fails(dropped, method, id, {}, { idempotencyKey: 'change-1' })
        await shop.client.payments.capture(id)

        await shop.recoverAfter('25h')

        expect(await shop.get('change-1')).toMatchObject({
          state: 'not_executed',
          reason: expect.stringContaining('has failed'),
        })
      },
    )

    it('requires a review if several combinations of captures explain the amount', async () => {
      const shop = await aShop(database)
      const id = await shop.authorize()
      const captures = [
        ['capture-1', 100, dropped],
        ['capture-2', 200, lost],
        ['capture-3', 100, dropped],
      ] as const
      for (const [idempotencyKey, amount, fault] of captures) {
        await shop.fails(fault, 'capture', id, { amount }, { idempotencyKey })
      }

      expect(await shop.recoverAfter('25h')).toEqual({ finished: 0, open: 0, needsReview: 3 })
    })
  })

  /** Starts a shop, and captures a payment with the given fault. `capture` retries the call. */
  async function aFailedCapture(fault: typeof lost | typeof dropped) {
    const shop = await aShop(database)
    const id = await shop.authorize()
    const capture = (client: PaymentsClient = shop.client) =>
      client.payments.capture(id, { amount: 500 }, { idempotencyKey: 'capture-1' })
    shop.sandbox.faults.add({ ...fault, operation: 'payments.capture' })
    await failureOf(capture())
    /** Makes the service reject the next request. */
    const reject = (errorId: string, operation: Fault['operation'] = 'payments.capture', status = 409) =>
      shop.sandbox.faults.add({ at: 'before', status, body: { error: { errorId, description: 'no' } }, operation })
    return { ...shop, id, capture, reject, state: () => shop.stateOf('capture-1') }
  }

  describe('a rejected retry after a first request with an unknown result', () => {
    it.each([
      ['succeeded', lost],
      ['rejected', dropped],
    ] as const)('sets the state %s if the first request had the fault %j', async (state, fault) => {
      const shop = await aFailedCapture(fault)
      await wait(shop, 92_000)
      shop.reject('InvalidPaymentStatus')

      const result = await Promise.resolve(shop.capture()).then(
        ({ id }) => id,
        (error) => error.retry,
      )

      expect(result).toBe(state === 'succeeded' ? shop.id : 'new-key')
      expect(await shop.state()).toBe(state)
    })

    it('leaves the operation open as long as the first request may still take effect', async () => {
      const shop = await aFailedCapture(dropped)
      shop.reject('InvalidPaymentStatus')

      expect(await failureOf(shop.capture())).toMatchObject({ outcome: 'unknown', retry: 'same-key' })
      // A proxy delivers the first request only now.
      await shop.capture(shop.outside)
      await shop.client.operations.recover()

      expect(await shop.state()).toBe('succeeded')
      expect(shop.effects('capture-1')).toHaveLength(1)
    })

    it.each([503, 404])(
      'leaves the operation open if fetching the payment fails with the status %i',
      async (status) => {
        const shop = await aFailedCapture(lost)
        shop.reject('InvalidPaymentStatus')
        shop.reject('InvalidPaymentStatus', 'payments.get', status)

        expect(await failureOf(shop.capture())).toMatchObject({ outcome: 'unknown', errorId: 'InvalidPaymentStatus' })
        expect(await shop.state()).toBe('unknown')
        expect(await shop.client.operations.recover()).toMatchObject({ finished: 1 })
      },
    )
  })

  it('keeps a capture open if an earlier request with its key is still running', async () => {
    const shop = await aFailedCapture(dropped)
    shop.reject('RequestInProgress')

    expect(await failureOf(shop.capture())).toMatchObject({ outcome: 'unknown', retry: 'same-key' })
    expect(await shop.state()).toBe('unknown')
    expect(await shop.client.operations.recover()).toMatchObject({ finished: 1 })
    expect(await shop.state()).toBe('succeeded')
  })

  it('keeps a payments.create open if its retry and the list get unusable responses', async () => {
    const shop = await aShop(database)
    const create = () => shop.client.payments.create(shop.body(), { idempotencyKey: 'create-1' })
    shop.sandbox.faults.add({ ...lost, operation: 'payments.create' })
    await failureOf(create())
    const body = { error: { errorId: 'NotFound', description: 'no' } }
    shop.sandbox.faults.add({ at: 'before', status: 404, body, operation: 'payments.create' })
    shop.sandbox.faults.add({ at: 'before', status: 404, body, operation: 'payments.list' })

    expect(await failureOf(create())).toMatchObject({ outcome: 'unknown', errorId: 'NotFound' })
    expect(await shop.stateOf('create-1')).toBe('unknown')
  })

  describe('a journal with storeBodies: false', () => {
    it('stores no request bodies, and looks up open operations without retrying them', async () => {
      const shop = await aShop(database, { options: { storeBodies: false } })
      const id = await shop.pay()
      for (const [key, fault] of [
        ['refund-1', lost],
        ['refund-2', dropped],
      ] as const) {
        await shop.fails(fault, 'refund', id, { amount: key.length }, { idempotencyKey: key })
        shop.sandbox.faults.clear()
        shop.requests.length = 0
      }

      await shop.client.operations.recover()

      expect(shop.requests.filter((line) => line.startsWith('POST'))).toEqual([])
      const records = await shop.client.operations.list()
      expect(records.map(({ body }) => body)).toEqual(records.map(() => undefined))
    })

    it.each(['capture', 'cancel', 'refund'] as const)(
      'ends an operation that was never sent after keyLifetime: %s',
      async (method) => {
        const shop = await aShop(database, { options: { storeBodies: false } })
        const id = await (method === 'refund' ? shop.pay() : shop.authorize())
        const { payments } = shop.aClient({ apiKey: () => Promise.reject(new Error()) })
        const options = { idempotencyKey: 'change-1' }
        const calls = {
          capture: () => payments.capture(id, { amount: 5 }, options),
          cancel: () => payments.cancel(id, {}, options),
          refund: () => payments.refund(id, { amount: 5 }, options),
        }
        expect(await failureOf(calls[method]())).toMatchObject({ outcome: 'not_sent', retry: 'same-key' })
        await shop.recoverAfter('11h')
        expect(await shop.stateOf('change-1')).toBe('planned')

        await shop.recoverAfter('14h')

        expect(await shop.get('change-1')).toMatchObject({ state: 'not_executed', attempts: 0 })
      },
    )
  })

  describe('the metric payments.client.operations.open', () => {
    it('counts the open journal records when the metric is exported', async () => {
      const telemetry = startTelemetry()
      const shop = await aShop(database)
      const counts = async () => {
        const points = await telemetry.points()
        const open = points.filter(({ name }) => name === 'payments.client.operations.open')
        return Object.fromEntries(open.map(({ attributes, value }) => [attributes['payments.state'], value]))
      }
      const none = await counts()
      await shop.client.payments.create(shop.body('order-1'))
      const atFirst = await counts()
      for (const fault of [lost, { at: 'before', status: 429 }] as const) {
        await shop.fails(fault, 'create', shop.body(`order-${fault.at}`))
      }
      for (const key of ['pay-1', 'pay-2']) await shop.plan({ key, operation: 'payments.create', body: shop.body(key) })
      const afterFailures = await counts()
      await shop.recoverAfter('153s')

      expect(none).toEqual({})
      expect(atFirst).toEqual({ planned: 0, sent: 0, unknown: 0 })
      expect(afterFailures).toEqual({ planned: 2, sent: 1, unknown: 1 })
      expect(await counts()).toEqual(atFirst)
    })
  })

  it('prune() removes bodies after 7 days, and finished records after rememberFor', async () => {
    const shop = await aShop(database, { options: { keyLifetime: 1 } })
    const day = 86_400_000
    const { id } = await shop.client.payments.create(shop.body(), { idempotencyKey: 'create-1' })
    await shop.fails(dropped, 'capture', id, { amount: 5 }, { idempotencyKey: 'capture-1' })
    await shop.pass(1_000)
    await shop.client.operations.recover()
    expect(await shop.stateOf('capture-1')).toBe('needs_review')
    await shop.plan({ key: 'refund-1', operation: 'payments.refund', id: 'pay_2', body: { amount: 5 } })
    const keysWithBody = async () => {
      const records = (await shop.client.operations.list()).filter((record) => 'body' in record)
      return records.map(({ key }) => key).sort()
    }

    await shop.pass(7 * day - 60_000)
    expect(await shop.journal.prune()).toBe(0)
    expect(await keysWithBody()).toEqual(['capture-1', 'create-1', 'refund-1'])

    await shop.pass(60_000)
    expect(await shop.journal.prune()).toBe(2)
    expect(await keysWithBody()).toEqual(['refund-1'])
    // The journal keeps the fingerprint, so it still rejects another body.
    await expect(shop.client.payments.create(shop.body(), { idempotencyKey: 'create-1' })).resolves.toMatchObject({
      id,
    })
    const other = shop.client.payments.create(shop.body('order', 5), { idempotencyKey: 'create-1' })
    await expect(other).rejects.toThrow('was used for another operation')

    await shop.pass(83 * day)
    expect(await shop.journal.prune()).toBe(1)
    const kept = await shop.client.operations.list()
    expect(kept.map(({ key }) => key).sort()).toEqual(['capture-1', 'refund-1'])
  })

  it('prune() removes the claims of processes on old records', async () => {
    const shop = await aShop(database)
    const id = await shop.pay()
    expect(await shop.countClaims()).toBe(database.countClaims && 2)
    await shop.pass(91 * 86_400_000)
    await shop.client.payments.refund(id, { amount: 5 }, { idempotencyKey: 'refund-1' })

    expect(await shop.journal.prune()).toBe(2)
    expect(await shop.countClaims()).toBe(database.countClaims && 1)
    await shop.pass(91 * 86_400_000)
    expect(await shop.journal.prune()).toBe(1)
    expect(await shop.countClaims()).toBe(database.countClaims && 0)
  })

  describe('operations.get and operations.list', () => {
    it('returns the oldest records first', async () => {
      const shop = await aShop(database)
      for (const number of [3, 1, 2]) {
        await shop.plan({ key: `refund-${number}`, operation: 'payments.refund', id: 'pay_1' })
        await shop.pass(1_000)
      }

      const records = await shop.client.operations.list()

      expect(records.map(({ key }) => key)).toEqual(['refund-3', 'refund-1', 'refund-2'])
    })

    it('filters records by key, state, payment and time', async () => {
      const shop = await aShop(database)
      const id = await shop.planRefund()
      await shop.plan({ key: 'refund-2', operation: 'payments.refund', id: 'pay_2' })
      const { operations } = shop.client
      // Records that were stored in the same millisecond may be returned in any order.
      const keys = async (filter: object) =>
        (await operations.list(filter)).map(({ operation, id }) => [operation, id]).sort()

      expect(await operations.get('refund-9')).toBeUndefined()
      const planned = [id, 'pay_2'].map((id) => ['payments.refund', id])
      expect(await keys({ state: 'planned' })).toEqual(planned.sort())
      expect(await keys({ paymentId: id })).toEqual([
        ['payments.capture', id],
        ['payments.create', undefined],
        ['payments.refund', id],
      ])
      expect(await keys({ paymentId: 'pay_2', state: 'planned' })).toEqual([['payments.refund', 'pay_2']])
      expect(await keys({ before: new Date(0) })).toEqual([])
      expect(await keys({ before: new Date(Date.now() + 60_000) })).toHaveLength(4)
    })
  })

  if (testsPureFunctions) testArguments(database)
}

type Shop = Awaited<ReturnType<typeof aShop>>
const key = { idempotencyKey: 'key-1' }
