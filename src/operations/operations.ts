import * as z from 'zod'
import * as contract from '../core/contract/payments.js'
import type { ApiVersion, TypeIn } from '../core/contract/version.js'
import { type CallFacts, ConfigurationError, RequestValidationError } from '../core/errors.js'
import { sha256, sha256Sync } from '../core/internal/bytes.js'
import { Deadline } from '../core/internal/deadline.js'
import type { Issue } from '../core/internal/issues.js'
import { isObject } from '../core/internal/objects.js'
import {
  anyValue,
  checkOptions,
  date,
  func,
  integer,
  optionsOf,
  problemWith,
  requireOptions,
  signal,
  text,
} from '../core/internal/validation.js'
import type { RequestOptions } from '../core/options.js'
import type { PaymentCore, Transaction } from '../core/schemas/payment.js'
import { checkCallOptions, idempotencyKey } from '../core/transport/call-options.js'
import { identityOf } from '../core/transport/idempotency.js'
import type { PreparedRequest } from '../core/transport/request.js'
import type { Recorder, Transport } from '../core/transport/transport.js'
import { type Claimed, claim } from './claim.js'
import { journaled } from './effects.js'
import { otherRequest, storing, storingSync } from './errors.js'
import { Execution, type ExecutionOptions } from './execution.js'
import { checkIntent, type OperationIntent, planFacts } from './intent.js'
import type { JournalOptions, JournalStore, NewOperation, StoreHook } from './journal.js'
import type { Environment } from './lookup.js'
import {
  finalStates,
  type JournaledOperation,
  type OperationRecord,
  type OperationState,
  openStates,
  toRecord,
} from './record.js'
import { Settlement, type SettleReport } from './settlement.js'

/**
 * A function of yours that stores the result of an operation. It runs in the transaction in which the journal stores
 * the result. Pass the same function in all processes.
 *
 * When the function returns, the result counts as stored. Check the number of rows that your statement changed, and
 * throw an error if your tables do not contain the key, so that the function is called again later. The check also
 * detects a query that you did not await.
 *
 * @param record The operation in its final state.
 * @param transaction A `pg` client, a `postgres` transaction, or the SQLite database.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type of the transaction depends on the journal.
export type OnSettled = (record: OperationRecord, transaction: any) => unknown

/** Options for `operations.run`. */
export interface RunOptions extends RequestOptions {
  /** Receives the operation's result. If the function throws, `settle` calls it again later. @default none */
  onSettled?: OnSettled
}

/** Options for `operations.settle`. */
export interface SettleOptions {
  /** Maximum number of operations that one call finishes. @default 1000 */
  limit?: number
  /** Maximum number of operations that are executed at the same time. @default 4 */
  concurrency?: number
  /**
   * Receives the result of every finished operation, including operations that `run` or a direct client call finished
   * without calling `onSettled`.
   * @default none
   */
  onSettled?: OnSettled
  /** When the signal aborts, `settle` starts no more operations and aborts the running requests. @default none */
  signal?: AbortSignal
}

/** Filters for `operations.list`. */
export interface OperationFilter {
  state?: OperationState
  /** Returns only operations that created, changed or will change this payment. */
  paymentId?: string
  /** Returns only operations that were stored before this time. */
  before?: Date
}

/** The result of `operations.run`. */
export interface OperationResult<V extends ApiVersion = '2021-09-27'> {
  readonly record: OperationRecord
  readonly payment: TypeIn<V, 'Payment'>
  /** The payment's transaction for a refund. Absent for other operations. */
  readonly transaction?: Transaction
}

/** The functions of a journal that the client calls. */
export interface JournalEngine extends Recorder {
  operations<V extends ApiVersion>(transport: Transport<V>): Operations<V>
}

/** Creates the journal functions that the client calls, from the journal's database. */
export function createEngine(store: JournalStore, options: JournalOptions): JournalEngine {
  const { keyLifetime = 86_400_000, resendFor = 60_000, storeBodies = true } = options
  const settings: Settings = { store, keyLifetime, resendFor, storeBodies, clockOffset: undefined }
  return {
    record: (call, send, transport) => recordCall(settings, call, send, transport),
    operations: (transport) => new Operations(settings, transport),
  }
}

interface Settings extends Environment {
  readonly resendFor: number
  readonly storeBodies: boolean
}

/** Records a call that has an idempotency key and was not planned, for example a call of `client.payments.refund`. */
async function recordCall(
  settings: Settings,
  ...[call, send, transport]: Parameters<Recorder['record']>
): ReturnType<Recorder['record']> {
  const { store } = settings
  const { idempotencyKey: _, ...request } = call.request.options
  const fingerprint = await sha256(identityOf(call))
  const row = newOperation(settings, call.request, String(call.idempotencyKey), fingerprint)
  const { runtime } = transport.settings
  const owner = runtime.uuid()
  const claimed = await claim({
    store,
    owner,
    begin: () => store.begin(row, owner),
    deadline: call.deadline,
    runtime,
    row,
    facts: () => call.facts(),
  })
  const options: ExecutionOptions = { by: 'call', owner, deadline: call.deadline, request }
  return new Execution(settings, transport, claimed as Claimed, options).advanceWithin(call, send)
}

function newOperation(
  { storeBodies, resendFor, clockOffset }: Settings,
  request: PreparedRequest,
  key: string,
  fingerprint: string,
  ownResendFor = resendFor,
): NewOperation {
  const { operation, params, body, bodyValue } = request
  const { id } = params
  const { amount, currencyCode, orderId } = Object(bodyValue) as PaymentCore
  const isBodyOmitted = !storeBodies && body !== undefined
  return {
    key,
    operation: operation.name as JournaledOperation,
    resource: id === undefined ? `key:${key}` : `payment:${id}`,
    id,
    orderId: id === undefined ? orderId : undefined,
    body: isBodyOmitted ? undefined : body,
    fingerprint,
    resendFor: ownResendFor,
    details: { amount, currency: currencyCode, clockOffset, ...(isBodyOmitted && { isBodyOmitted }) },
  }
}

const emptyFacts = { method: '', path: '', outcome: 'not_sent', retry: 'no', attempts: [] } as const

/** Throws if the journal already contains the key with other values. */
function checkStored(stored: string, { fingerprint }: NewOperation): void {
  if (stored !== fingerprint) throw otherRequest(['key'], planFacts)
}

/**
 * Plans operations such as refunds, executes each operation exactly once, and finishes operations that a crash or an
 * outage interrupted.
 */
export class Operations<V extends ApiVersion = '2021-09-27'> {
  readonly #settings: Settings
  readonly #transport: Transport<V>

  /** @internal */
  constructor(settings: Settings, transport: Transport<V>) {
    this.#settings = settings
    this.#transport = transport
  }

  /**
   * Stores an operation in the transaction that also writes your order. Sends no request. If the journal already
   * contains the key with the same values, nothing changes.
   *
   * @param transaction The connection of your transaction: a `pg` client, the `sql` of a `postgres` transaction, or the
   * SQLite database. Omit it for the memory journal.
   * @param intent The key, the method, and its arguments.
   * @throws {RequestValidationError} An argument is invalid, or the key exists with other values.
   * @throws {ConfigurationError} The transaction is not on the journal's database, or the journal's tables do not
   * exist.
   * @example
   * await client.operations.plan(transaction, { key: 'refund-381', operation: 'payments.refund', id, body: { amount: 1500 } })
   */
  async plan(transaction: unknown, intent: OperationIntent<V>): Promise<void>
  /** Stores an operation in the memory journal. */
  async plan(intent: OperationIntent<V>): Promise<void>
  async plan(...args: unknown[]): Promise<void> {
    const { transaction, request, key, resendFor } = this.#prepareIntent(args)
    const row = newOperation(this.#settings, request, key, await sha256(identityOf({ request })), resendFor)
    const facts = { ...planFacts, idempotencyKey: key }
    checkStored(await storing(this.#settings.store.plan(transaction, row), facts), row)
  }

  /**
   * Does the same as `plan`, but synchronously. All requests of a server share one SQLite connection, so a transaction
   * must not wait for a promise. Call this method instead of `plan` in a SQLite transaction.
   *
   * @param database The SQLite database that was passed to `createJournal`. Omit it for the memory journal.
   * @param intent The key, the method, and its arguments.
   * @throws {RequestValidationError} An argument is invalid, or the key exists with other values.
   * @throws {ConfigurationError} The journal is neither in SQLite nor in memory, `database` is not the journal's
   * database, or the journal's tables do not exist.
   * @example
   * database.exec('BEGIN IMMEDIATE')
   * client.operations.planSync(database, { key: 'refund-381', operation: 'payments.refund', id, body: { amount: 1500 } })
   * database.exec('COMMIT')
   */
  planSync(database: unknown, intent: OperationIntent<V>): void
  /** Stores an operation in the memory journal. */
  planSync(intent: OperationIntent<V>): void
  planSync(...args: unknown[]): void {
    const { planSync } = this.#settings.store
    const { transaction, request, key, resendFor } = this.#prepareIntent(args)
    const fingerprint = sha256Sync(identityOf({ request }))
    if (fingerprint === undefined || planSync === undefined) {
      const message = 'planSync requires a journal in SQLite or in memory: await operations.plan instead'
      throw new ConfigurationError(message, planFacts)
    }
    const row = newOperation(this.#settings, request, key, fingerprint, resendFor)
    const stored = storingSync(() => planSync(transaction, row), { ...planFacts, idempotencyKey: key })
    checkStored(stored, row)
  }

  /** Checks the arguments of `plan`, and creates the operation's request. */
  #prepareIntent(args: readonly unknown[]) {
    const [transaction, intent] = args.length > 1 ? args : [undefined, args[0]]
    if (!this.#settings.storeBodies) {
      const message =
        'A journal with storeBodies: false cannot plan, because the request needs the body: remove this option'
      throw new ConfigurationError(message, planFacts)
    }
    const { key, operation, id, body, extraBody, resendFor } = checkIntent(intent)
    const input = { ...(id !== undefined && { params: { id } }), body }
    const request = this.#transport.prepare(journaled[operation], input, { extraBody })
    return { transaction, request, key, resendFor }
  }

  /**
   * Executes a planned operation, or returns its recorded result. You can call it any number of times, in any process.
   * If another process is executing the operation, the call waits for the result.
   *
   * @param key The key that was passed to `plan`, or the `idempotencyKey` of a call.
   * @param options Timeouts, retries, headers and abort signal for this call, and `onSettled`.
   * @throws {RequestValidationError} There is no operation with this key.
   * @throws {ApiError} The service rejected the operation.
   * @throws {OperationError} The operation was not executed, needs a review, or its result is not yet known.
   * @example
   * const { payment, transaction } = await client.operations.run('refund-381')
   */
  async run(key: string, options: RunOptions = {}): Promise<OperationResult<V>> {
    const { store } = this.#settings
    const { onSettled, ...callOptions } = Object(options) as RunOptions
    const request = isObject(options) ? callOptions : options
    const { issues } = checkOptions({ key }, optionsOf<{ key: string }>({ key: idempotencyKey }))
    issues.push(...this.#hookIssues(onSettled))
    checkCallOptions(contract.get, request, issues)
    const facts: CallFacts = { ...emptyFacts, operation: 'operations.run', idempotencyKey: key }
    if (issues.length > 0) throw new RequestValidationError(issues, facts)

    const { runtime, totalTimeout } = this.#transport.settings
    const owner = runtime.uuid()
    const deadline = new Deadline(request.totalTimeout ?? totalTimeout, request.signal, runtime)
    const begin = () => store.resume(key, owner)
    const claimed = await claim({ store, owner, begin, deadline, runtime, facts: () => facts })
    if (claimed === undefined) {
      const message =
        'is not in the journal: call operations.plan first, or check the payment if prune removed the record'
      throw new RequestValidationError([{ path: ['key'], code: 'invalid_value', message }], facts)
    }
    const execution = this.#execution(claimed, { by: 'run', owner, deadline, request, onSettled })
    await execution.advance()
    const payment = (await execution.result()).data as TypeIn<V, 'Payment'> & PaymentCore
    const record = toRecord(execution.row)
    const transaction = payment.transactions?.find(
      ({ processorTransactionId: id }) => id !== undefined && id === record.transactionId,
    )
    return { record, payment, ...(transaction && { transaction }) }
  }

  /**
   * Finishes the operations that a crash or an outage interrupted. Any number of processes may call it at the same
   * time.
   *
   * @param options `limit`, `concurrency`, `onSettled` and `signal`.
   * @example
   * const { needsReview } = await client.operations.settle({
   *   onSettled: (record, transaction) => orders.update(transaction, record),
   * })
   */
  async settle(options: SettleOptions = {}): Promise<SettleReport> {
    const { store } = this.#settings
    // `#hookIssues` checks `onSettled`.
    const shape = { limit: integer(1), concurrency: integer(1, 1000), onSettled: anyValue, signal }
    const { values, issues } = checkOptions(options, optionsOf<SettleOptions>(shape))
    issues.push(...this.#hookIssues(options?.onSettled))
    if (issues.length > 0) throw new RequestValidationError(issues, { operation: 'operations.settle' })
    const { limit = 1000, concurrency = 4, onSettled, signal: stop } = values

    const { totalTimeout, runtime } = this.#transport.settings
    const finish = async (claimed: Claimed, owner: string) => {
      const deadline = new Deadline(totalTimeout, stop, runtime)
      const request = stop ? { signal: stop } : {}
      const execution = this.#execution(claimed, { by: 'settle', owner, deadline, request, onSettled })
      await execution.advance()
      return execution.row
    }
    const acknowledges = onSettled !== undefined
    return new Settlement({ store, runtime, finish, limit, concurrency, acknowledges, signal: stop }).run()
  }

  #execution(
    claimed: Claimed,
    { onSettled, ...options }: Omit<ExecutionOptions, 'onSettled'> & { onSettled: OnSettled | undefined },
  ) {
    const hook: StoreHook | undefined = onSettled && ((row, transaction) => onSettled(toRecord(row), transaction))
    return new Execution(this.#settings, this.#transport, claimed, { ...options, onSettled: hook })
  }

  /**
   * Returns an operation, or undefined if the journal contains no operation with this key.
   *
   * @param key The idempotency key.
   */
  async get(key: string): Promise<OperationRecord | undefined> {
    const row = await storing(this.#settings.store.get(String(key)), { operation: 'operations.get' })
    return row && toRecord(row)
  }

  /**
   * Returns operations, oldest first.
   *
   * @param filter `state`, `paymentId` and `before`. @default every operation
   */
  async list(filter: OperationFilter = {}): Promise<OperationRecord[]> {
    const fail = (issues: Issue[]) => new RequestValidationError(issues, { operation: 'operations.list' })
    const shape = { state: z.enum([...openStates, ...finalStates]), paymentId: text, before: date }
    const { state, paymentId, before } = requireOptions(filter, optionsOf<OperationFilter>(shape), {
      noun: 'field',
      fail,
    })
    const rows = this.#settings.store.list({ state, paymentId, before: before?.getTime() })
    return (await storing(rows, { operation: 'operations.list' })).map(toRecord)
  }

  /**
   * Rejects an `async` function for SQLite, because statements after its first `await` would run outside the
   * transaction.
   */
  #hookIssues(onSettled: unknown): Issue[] {
    const problem = onSettled === undefined ? undefined : problemWith(func(), onSettled)
    if (problem) return [{ ...problem, path: ['options', 'onSettled'] }]
    const isAsync = Object.prototype.toString.call(onSettled) === '[object AsyncFunction]'
    if (!isAsync || !this.#settings.store.isSynchronous) return []
    const message = 'must be a synchronous function with SQLite, because other statements share the connection'
    return [{ path: ['options', 'onSettled'], code: 'invalid_type', message }]
  }
}
