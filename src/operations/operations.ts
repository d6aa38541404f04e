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
import { serviceOf } from '../core/settings.js'
import { checkCallOptions, idempotencyKey } from '../core/transport/call-options.js'
import { CallIdentity } from '../core/transport/call-record.js'
import { recordingFailed } from '../core/transport/events.js'
import { identityOf } from '../core/transport/idempotency.js'
import type { Transport } from '../core/transport/transport.js'
import { type Claimed, claim, release } from './claim.js'
import { journaled } from './effects.js'
import { notResolvable, openPayment, otherRequest, storing, storingSync } from './errors.js'
import { Execution, type ExecutionOptions } from './execution.js'
import { checkIntent, newOperation, type OperationIntent, planFacts } from './intent.js'
import { DamagedRecord, type JournalSettings } from './journal.js'
import {
  finalStates,
  type OperationRecord,
  type OperationState,
  openStates,
  type PaymentSnapshot,
  type Resolution,
  type StoredOperation,
  toRecord,
} from './record.js'
import { type RecoveryReport, recoverAll } from './recovery.js'
import { idOf } from './refunds.js'
import * as rules from './rules.js'

export type { Resolution }

/**
 * Your function that stores the result of an operation. It runs in the transaction in which the journal stores the
 * result. Pass the same function in all processes.
 *
 * When the function returns, the result counts as stored. Check the number of rows that your statement changed, and
 * throw an error if your tables do not contain the key, so that the function is called again later. The check also
 * detects a query that you did not await.
 *
 * @param record The operation in its final state.
 * @param transaction The transaction of your database's library, for example a `pg` client or the SQLite database.
 * @param payment The payment in the service's latest response, if there was one.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type parameter, the transaction may have any type.
export type OnSettled<Transaction = any> = (
  record: OperationRecord,
  transaction: Transaction,
  payment?: PaymentCore,
) => unknown

/** Options for `operations.run`. */
// biome-ignore lint/suspicious/noExplicitAny: without a type parameter, the transaction may have any type.
export interface RunOptions<Transaction = any> extends RequestOptions {
  /** Receives the operation's result. If the function throws, `recover` calls it again later. @default none */
  onSettled?: OnSettled<Transaction>
}

/** Options for `operations.recover`. */
// biome-ignore lint/suspicious/noExplicitAny: without a type parameter, the transaction may have any type.
export interface RecoverOptions<Transaction = any> {
  /** Maximum number of operations that one call finishes. @default 1000 */
  limit?: number
  /** Maximum number of operations that are executed at the same time. @default 4 */
  concurrency?: number
  /**
   * Receives the result of every finished operation, including operations that `run` or a direct client call finished
   * without calling `onSettled`.
   * @default none
   */
  onSettled?: OnSettled<Transaction>
  /** When the signal aborts, `recover` starts no more operations and aborts the running requests. @default none */
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

/** The report of the deprecated `operations.settle`. */
export interface SettleReport {
  readonly settled: number
  readonly stillOpen: number
  readonly needsReview: number
}

/** Error fields of a call that did not send a request. */
export const emptyFacts = { method: '', path: '', outcome: 'not_sent', retry: 'no', attempts: [] } as const

/** Creates the error for a key that the journal does not contain. */
function unknownKey(facts: CallFacts): RequestValidationError {
  const message = 'is not in the journal: call operations.plan first, or check the payment if prune removed the record'
  return new RequestValidationError([{ path: ['key'], code: 'invalid_value', message }], facts)
}

/** Throws if the journal contains the key with other values, or another open payment of the order. */
function checkPlanned({ row, problem }: rules.Begun, { key, fingerprint }: rules.NewOperation): void {
  if (problem?.kind === 'open-payment') throw openPayment(problem.open, factsOf('operations.plan', key))
  if (row?.fingerprint !== fingerprint) throw otherRequest(['key'], planFacts)
}

const factsOf = (operation: string, idempotencyKey: string): CallFacts => ({ ...emptyFacts, operation, idempotencyKey })

const keyIssues = (key: unknown) => checkOptions({ key }, optionsOf<{ key: string }>({ key: idempotencyKey })).issues

/** The parameters of `operations.plan`. The memory journal does not take a transaction. */
export type PlanArguments<V extends ApiVersion, Transaction> = 0 extends 1 & Transaction
  ? [intent: OperationIntent<V>] | [transaction: Transaction, intent: OperationIntent<V>]
  : [Transaction] extends [never]
    ? [intent: OperationIntent<V>]
    : [transaction: Transaction, intent: OperationIntent<V>]

/**
 * Plans operations such as refunds, executes each operation exactly once, and finishes operations that a crash or an
 * outage interrupted.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type parameter, the transaction may have any type.
export class Operations<V extends ApiVersion = '2021-09-27', Transaction = any> {
  readonly #settings: JournalSettings
  readonly #transport: Transport<V>

  /** @internal */
  constructor(settings: JournalSettings, transport: Transport<V>) {
    this.#settings = settings
    this.#transport = transport
  }

  /** @internal */
  get transport(): Transport<V> {
    return this.#transport
  }

  /** @internal Logs that a result could not be stored. */
  report(error: unknown, message: string): void {
    recordingFailed(new CallIdentity(contract.get, this.#transport.settings), error, message)
  }

  /**
   * Stores an operation in the transaction that also writes your order. Does not send a request. If the journal already
   * contains the key with the same values, nothing changes.
   *
   * @param args The transaction of your database's library, for example a `pg` client that has run BEGIN (none for the
   * memory journal), and the intent: the key, the method, and its arguments.
   * @throws {RequestValidationError} An argument is invalid, or the key exists with other values.
   * @throws {OperationError} The order has another open payment.
   * @throws {ConfigurationError} The transaction is not open, or is not on the journal's database, or the journal's
   * tables do not exist.
   * @example
   * await client.operations.plan(transaction, { key: 'refund-381', operation: 'payments.refund', id, body: { amount: 1500 } })
   */
  async plan(...args: PlanArguments<V, Transaction>): Promise<void> {
    const { transaction, request, toOperation } = this.#prepareIntent(args)
    const row = toOperation(await sha256(identityOf({ request })))
    const planning = this.#settings.store.updateIn(transaction, row, (held) => rules.plan(held, row))
    checkPlanned(await storing(planning, { ...planFacts, idempotencyKey: row.key }), row)
  }

  /**
   * Works like `plan`, but synchronously. Call this method instead of `plan` in an SQLite transaction, which must not
   * wait for a promise, because all requests of a server share one SQLite connection.
   *
   * @param args The SQLite database that was passed to `createJournal` (none for the memory journal), and the intent:
   * the key, the method, and its arguments.
   * @throws {PaymentsError} The same errors as `plan`.
   * @example
   * database.exec('BEGIN IMMEDIATE')
   * client.operations.planSync(database, { key: 'refund-381', operation: 'payments.refund', id, body: { amount: 1500 } })
   * database.exec('COMMIT')
   */
  planSync(...args: PlanArguments<V, Transaction>): void {
    const { store } = this.#settings
    const { transaction, request, toOperation } = this.#prepareIntent(args)
    const fingerprint = sha256Sync(identityOf({ request }))
    if (fingerprint === undefined || !store.updateInSync) {
      const message = 'planSync requires a journal in SQLite or in memory: await operations.plan instead'
      throw new ConfigurationError(message, planFacts)
    }
    const row = toOperation(fingerprint)
    const plan = () => store.updateInSync?.(transaction, row, (held) => rules.plan(held, row)) as rules.Begun
    checkPlanned(storingSync(plan, { ...planFacts, idempotencyKey: row.key }), row)
  }

  /** Checks the arguments of `plan` and creates the operation's request. */
  #prepareIntent(args: readonly unknown[]) {
    const [transaction, intent] = args.length > 1 ? args : [undefined, args[0]]
    if (!this.#settings.storeBodies) {
      const message =
        'A journal with storeBodies: false cannot plan, because the request needs the body: remove this option'
      throw new ConfigurationError(message, planFacts)
    }
    const { operation, id, body, extraBody, ...values } = checkIntent(intent)
    const input = { ...(id !== undefined && { params: { id } }), body }
    const request = this.#transport.prepare(journaled[operation], input, { extraBody })
    const toOperation = (fingerprint: string) =>
      newOperation(this.#settings, this.#transport, request, { ...values, fingerprint }, () => planFacts)
    return { transaction, request, toOperation }
  }

  /**
   * Executes a planned operation, or returns its recorded result. You can call it any number of times, in any process.
   * If another process is executing the operation, the call waits for the result.
   *
   * @param key The key that was passed to `plan`, or the `idempotencyKey` of a call.
   * @param options Timeouts, retries, headers and abort signal for this call, and `onSettled`.
   * @throws {RequestValidationError} There is no operation with this key.
   * @throws {ApiError} The service rejected the operation.
   * @throws {OperationError} The operation was not executed, needs a review, or its result is not yet known, or its
   * order has another open payment.
   * @throws {ConfigurationError} The operation was recorded by a client with another base URL.
   * @example
   * const { payment, transaction } = await client.operations.run('refund-381')
   */
  async run(key: string, options: RunOptions<Transaction> = {}): Promise<OperationResult<V>> {
    const { onSettled, ...callOptions } = Object(options) as RunOptions<Transaction>
    const request = isObject(options) ? callOptions : options
    const issues = [...keyIssues(key), ...this.#hookIssues(onSettled)]
    checkCallOptions(contract.get, request, issues)
    const facts = factsOf('operations.run', key)
    if (issues.length > 0) throw new RequestValidationError(issues, facts)

    const { runtime, totalTimeout } = this.#transport.settings
    const deadline = new Deadline(request.totalTimeout ?? totalTimeout, request.signal, runtime, true)
    const claimed = await this.#claim(key, deadline, facts)
    const execution = this.#execution(claimed, { by: 'run', deadline, request }, onSettled)
    await execution.advance()
    const payment = (await execution.result()).data as TypeIn<V, 'Payment'> & PaymentCore
    const record = toRecord(execution.row)
    const transaction = payment.transactions?.find(
      (refund) => idOf(refund) !== undefined && idOf(refund) === record.transactionId,
    )
    return { record, payment, ...(transaction && { transaction }) }
  }

  /**
   * Finishes the operations that a crash or an outage interrupted. Any number of processes may call it at the same
   * time.
   *
   * @param options `limit`, `concurrency`, `onSettled` and `signal`.
   * @throws {ConfigurationError} Open or unacknowledged operations were recorded by a client with another base URL. All
   * others were finished.
   * @example
   * const { needsReview } = await client.operations.recover({
   *   onSettled: (record, transaction) => orders.update(transaction, record),
   * })
   */
  async recover(options: RecoverOptions<Transaction> = {}): Promise<RecoveryReport> {
    // `#hookIssues` checks `onSettled`.
    const shape = { limit: integer(1), concurrency: integer(1, 1000), onSettled: anyValue, signal }
    const { values, issues } = checkOptions(options, optionsOf<RecoverOptions<Transaction>>(shape))
    issues.push(...this.#hookIssues(options?.onSettled))
    if (issues.length > 0) throw new RequestValidationError(issues, { operation: 'operations.recover' })
    const { limit = 1000, concurrency = 4, onSettled, signal: stop } = values

    const { settings } = this.#transport
    const { totalTimeout, runtime } = settings
    const finish = async (claimed: Claimed) => {
      const deadline = new Deadline(totalTimeout, stop, runtime, true)
      const request = stop ? { signal: stop } : {}
      const execution = this.#execution(claimed, { by: 'recover', deadline, request }, onSettled)
      await execution.advance()
      return execution.row
    }
    return recoverAll({
      store: this.#settings.store,
      runtime,
      baseUrl: serviceOf(settings),
      finish,
      onDamaged: this.#reportDamaged,
      limit,
      concurrency,
      acknowledges: onSettled !== undefined,
      signal: stop,
    })
  }

  /**
   * Calls `recover` and returns its report under other names.
   *
   * @deprecated Use `recover`.
   */
  async settle(options: RecoverOptions<Transaction> = {}): Promise<SettleReport> {
    const { finished, open, needsReview } = await this.recover(options)
    return { settled: finished, stillOpen: open, needsReview }
  }

  /**
   * Stores a person's decision about an operation that needs a review. The next `recover` passes the new state to
   * `onSettled`. Passing the same decision again changes nothing.
   *
   * @param key The idempotency key.
   * @param resolution Whether the operation took effect, and the ID of the payment or refund that it created.
   * @throws {RequestValidationError} An argument is invalid, or the journal does not contain the key.
   * @throws {OperationError} The operation does not need a review, or was resolved with another decision.
   * @example
   * await client.operations.resolve('refund-381', { outcome: 'succeeded', transactionId: 're_1' })
   */
  async resolve(key: string, resolution: Resolution): Promise<OperationRecord> {
    const facts = factsOf('operations.resolve', key)
    const shape = { outcome: z.enum(['succeeded', 'not_executed']), paymentId: text, transactionId: text }
    const { values, issues } = checkOptions(resolution, optionsOf<Resolution>(shape, ['outcome']), { noun: 'field' })
    issues.push(...keyIssues(key))
    if (issues.length > 0) throw new RequestValidationError(issues, facts)
    const endOf = (row: StoredOperation, known?: PaymentSnapshot) => {
      const ending = rules.resolve(row, values as Resolution, known)
      if (ending === 'conflict') throw notResolvable(row, facts)
      return ending
    }
    const { store } = this.#settings
    const found = await storing(store.find(key), facts)
    if (found === undefined) throw unknownKey(facts)
    // Checks this before claiming, because claiming an open operation would mark it as in flight.
    if (endOf(found) === 'same') return toRecord(found)
    const { runtime, totalTimeout } = this.#transport.settings
    const { row, owner, known } = await this.#claim(key, new Deadline(totalTimeout, undefined, runtime), facts, found)
    try {
      const ending = endOf(row, known)
      if (ending === 'same') return toRecord(row)
      const stored = await storing(
        store.update(row, (held) => rules.finish(held, owner, ending)),
        facts,
      )
      return toRecord(stored ?? row)
    } finally {
      await release(store, row.resource, owner).catch(() => {})
    }
  }

  /**
   * Claims a stored operation.
   *
   * @param resolved The record of a finished operation to resolve, which may belong to another service.
   * @throws {RequestValidationError} The journal does not contain the key.
   */
  async #claim(key: string, deadline: Deadline, facts: CallFacts, resolved?: StoredOperation): Promise<Claimed> {
    const { settings } = this.#transport
    const claimed = await claim({
      store: this.#settings.store,
      key,
      baseUrl: resolved ? String(resolved.baseUrl) : serviceOf(settings),
      deadline,
      runtime: settings.runtime,
      always: resolved !== undefined,
      facts: () => facts,
    })
    if (claimed === undefined) throw unknownKey(facts)
    return claimed
  }

  #execution(claimed: Claimed, options: ExecutionOptions, onSettled: OnSettled<Transaction> | undefined): Execution {
    const hook: rules.StoreHook | undefined =
      onSettled && ((row, transaction, payment) => onSettled(toRecord(row), transaction as Transaction, payment))
    return new Execution(this.#settings, this.#transport, claimed, { ...options, onSettled: hook })
  }

  readonly #reportDamaged = (record: DamagedRecord) => this.report(record, record.message)

  /**
   * Returns an operation, or undefined if the journal contains no operation with this key.
   *
   * @param key The idempotency key.
   * @example
   * const record = await client.operations.get('refund-381')
   */
  async get(key: string): Promise<OperationRecord | undefined> {
    const row = await storing(this.#settings.store.find(String(key)), { operation: 'operations.get' })
    return row && toRecord(row)
  }

  /**
   * Returns operations, oldest first. Omits damaged records and reports them to the `logger`.
   *
   * @param filter `state`, `paymentId` and `before`. @default every operation
   * @example
   * const unclear = await client.operations.list({ state: 'needs_review' })
   */
  async list(filter: OperationFilter = {}): Promise<OperationRecord[]> {
    const fail = (issues: Issue[]) => new RequestValidationError(issues, { operation: 'operations.list' })
    const shape = { state: z.enum([...openStates, ...finalStates]), paymentId: text, before: date }
    const { state, paymentId, before } = requireOptions(filter, optionsOf<OperationFilter>(shape), {
      noun: 'field',
      fail,
    })
    const listed = this.#settings.store.list({ state, paymentId, before: before?.getTime() })
    const rows = await storing(listed, { operation: 'operations.list' })
    return rows.flatMap((row) => {
      if (!(row instanceof DamagedRecord)) return [toRecord(row)]
      this.#reportDamaged(row)
      return []
    })
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
