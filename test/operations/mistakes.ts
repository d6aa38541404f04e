import { describe, expect, it } from 'vitest'
import type { Journal, OperationIntent } from '../../src/index.js'
import { failureOf } from '../support/clients.js'
import { aShop, type JournalDatabase } from './shop.js'

const refund = { key: 'refund-1', operation: 'payments.refund', id: 'pay_1', body: { amount: 1500 } } as const

/** Declares tests for every journal: invalid arguments must cause an error that contains the fix. */
export function testArguments(database: JournalDatabase): void {
  describe('client.operations', () => {
    it.each<[string, object, string]>([
      ['no values', {}, 'key must be 1 to 255 visible ASCII characters; operation must be'],
      ['no key', { operation: 'payments.refund', id: 'p' }, 'key must be'],
      ['another operation', { ...refund, operation: 'payments.get' }, "operation must be 'payments.create', "],
      ['no id', { ...refund, id: undefined }, 'id must be the id of the payment'],
      ['an invalid id', { ...refund, id: '..' }, 'id must'],
      ['a misspelt field', { ...refund, body: { amont: 1 } }, 'amont is not a field'],
      ['a fraction of a minor unit', { ...refund, body: { amount: 0.5 } }, 'amount must be'],
      ['resendFor for a refund', { ...refund, resendFor: 1 }, 'resendFor is only for payments.create'],
      ['an id for a payment', { ...refund, operation: 'payments.create' }, 'id is not a field of payments.create'],
      ['no token', { key: 'k', operation: 'payments.create', body: { amount: 5 } }, 'paymentMethodToken'],
      ['a misspelt name', { key: 'k', operaton: 'x' }, 'operaton is not a field: did you mean "operation"?'],
    ])('plan() rejects wrong arguments: %s', async (_, intent, message) => {
      const shop = await aShop(database)

      const error = await failureOf(shop.plan(intent as OperationIntent))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent', retry: 'no' })
      expect(error.message).toContain(message)
      expect([shop.requests, await shop.client.operations.list()]).toEqual([[], []])
    })

    it.each<[string, object]>([
      ['body', { body: { amount: 1501 } }],
      ['payment', { id: 'pay_2' }],
      ['operation', { operation: 'payments.capture' }],
    ])('plan() rejects a key that was already planned with another %s', async (_, changes) => {
      const shop = await aShop(database)
      await shop.plan(refund)
      const stored = await shop.get('refund-1')

      const error = await failureOf(shop.plan({ ...refund, ...changes } as OperationIntent))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent', retry: 'no' })
      expect(error.message).toContain('key was used for another operation, which may have taken effect: pass the same')
      expect(shop.requests).toEqual([])
      expect(await shop.client.operations.list()).toEqual([stored])
    })

    it('plan() rejects a refund with a body if the journal has storeBodies: false', async () => {
      const shop = await aShop(database, { options: { storeBodies: false } })

      const error = await failureOf(shop.plan(refund))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
      expect(error.message).toContain('storeBodies: false cannot plan, because the request needs the body: remove')
      expect([shop.requests, await shop.client.operations.list()]).toEqual([[], []])
    })

    it.each([
      ['an unknown key', 'refund-9', {}, 'key is not in the journal: call operations.plan first, or check the payment'],
      ['an invalid key', '', {}, 'key must be'],
      ['options that are no object', 'refund-1', null, 'options must be'],
      ['an unknown option', 'refund-1', { totalTimout: 5 }, 'options.totalTimout is not an option'],
      ['an invalid onSettled', 'refund-1', { onSettled: 5 }, 'options.onSettled must be a function'],
    ])('run() rejects wrong arguments: %s', async (_, key, options, message) => {
      const shop = await aShop(database)
      await shop.plan(refund)
      const stored = await shop.get('refund-1')

      const error = await failureOf(shop.client.operations.run(key, options as never))

      expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent' })
      expect(error.message).toContain(message)
      expect(shop.requests).toEqual([])
      expect(await shop.client.operations.list()).toEqual([stored])
    })

    it.each([
      [{ limit: 0 }, 'limit must be an integer of at least 1'],
      [{ concurrency: 1.5 }, 'concurrency must be'],
      [{ onSettled: 5 }, 'operations.recover: options.onSettled must be a function'],
      [{ onSetled: () => {} }, 'onSetled is not an option: did you mean "onSettled"?'],
    ])('recover() rejects the options %j', async (options, message) => {
      const shop = await aShop(database)
      await shop.plan(refund)

      const error = await failureOf(shop.client.operations.recover(options as never))

      expect(error.message).toContain(message)
      expect(shop.requests).toEqual([])
      expect(await shop.stateOf('refund-1')).toBe('planned')
    })

    it.each([
      [{ state: 'open' }, 'state must be'],
      [{ before: 5 }, 'before must be a valid Date'],
      [{ payment: 'x' }, 'payment is not a field: did you mean "paymentId"?'],
    ])('list() rejects the filter %j', async (filter, message) => {
      const { client } = await aShop(database)

      expect((await failureOf(client.operations.list(filter as never))).message).toContain(message)
    })
  })
}

/** A database, and values that look like its connections and transactions. */
export interface Connections {
  readonly database: JournalDatabase
  /** The connection of the journal, if `planSync` accepts it. */
  readonly connection?: unknown
  createJournal(connection: unknown): Journal
  /** Creates a journal whose tables do not exist. */
  openWithoutTables(): Journal
  readonly wrongConnections: readonly (readonly [name: string, connection: unknown])[]
  readonly wrongConnection: string
  readonly wrongTransactions: readonly (readonly [name: string, use: UseTransaction, message: string])[]
}

/** Runs `work` with a wrong transaction. `name` is the name of the shop's journal. */
type UseTransaction = (work: (transaction: unknown) => Promise<void>, name: string) => Promise<void>

/**
 * Declares tests for a journal in a database. The journal must reject connections and transactions of another database.
 */
export function testConnections(connections: Connections): void {
  const { database, wrongConnections, wrongTransactions } = connections

  describe('client.operations with an invalid connection, or without its tables', () => {
    it.each(wrongConnections)('createJournal() rejects the connection: %s', (_, connection) => {
      expect(() => connections.createJournal(connection)).toThrow(connections.wrongConnection)
    })

    it('every method rejects if the tables do not exist', async () => {
      const shop = await aShop(database)
      const client = shop.aClient({ journal: connections.openWithoutTables() })
      const { operations, payments } = client
      const calls: (() => PromiseLike<unknown>)[] = [
        () => payments.refund('pay_1'),
        () => database.transact((transaction) => operations.plan(transaction, refund)),
        () => operations.run('refund-1'),
        () => operations.recover(),
        () => operations.get('refund-1'),
        () => operations.list(),
      ]

      for (const call of calls) {
        const error = await failureOf(call())
        expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
        expect(error.message).toContain('its tables do not exist: run journal.migrate()')
      }
      expect(shop.requests).toEqual([])
    })

    it.each(wrongTransactions)('plan() rejects an invalid transaction: %s', async (_, use, message) => {
      const shop = await aShop(database)

      const error = await failureOf(use((transaction) => shop.client.operations.plan(transaction, refund), shop.name))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
      expect(error.message).toContain(message)
      expect([shop.requests, await shop.client.operations.list()]).toEqual([[], []])
    })

    if (!database.isSynchronous) return
    it('recover() and run() reject an asynchronous onSettled', async () => {
      const shop = await aShop(database)
      await shop.plan(refund)
      const options = { onSettled: async () => {} }

      for (const call of [
        () => shop.client.operations.recover(options),
        () => shop.client.operations.run('refund-1', options),
      ]) {
        const error = await failureOf(call())
        expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent' })
        expect(error.message).toContain('onSettled must be a synchronous function with SQLite')
      }
      expect(shop.requests).toEqual([])
      expect(await shop.stateOf('refund-1')).toBe('planned')
    })

    it.each<[string, object, string]>([
      ['a misspelt field', { body: { amont: 1 } }, 'amont is not a field'],
      ['a known key with another body', { body: { amount: 1501 } }, 'key was used for another operation'],
      ['another database', { connection: {} }, 'must be the database that was passed to createJournal'],
      ['tables that do not exist', { journal: 'missing' }, 'its tables do not exist: run journal.migrate()'],
    ])('planSync() rejects invalid arguments: %s', async (_, mistake, message) => {
      const shop = await aShop(database)
      await shop.plan(refund)
      const stored = await shop.get('refund-1')
      const { connection = connections.connection, journal, ...changes } = mistake as Record<string, unknown>
      const client = journal ? shop.aClient({ journal: connections.openWithoutTables() }) : shop.client

      await database.transact(async () => {
        expect(() => client.operations.planSync(connection, { ...refund, ...changes })).toThrow(message)
      })

      expect(await shop.client.operations.list()).toEqual([stored])
    })
  })
}
