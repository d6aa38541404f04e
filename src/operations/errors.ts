import type { AnyOperation } from '../core/contract/operation.js'
import { type CallFacts, ConfigurationError, PaymentsError, RequestValidationError } from '../core/errors.js'
import type { Issue } from '../core/internal/issues.js'
import { rejected } from '../core/transport/failure.js'
import { type OperationRecord, type StoredOperation, toRecord } from './record.js'

/**
 * The error for an operation that was not executed, needs a review, or is still open. `record` contains the state and
 * the reason. If `openKey` is present, another payment of the same order is open, and `record` is its record.
 */
export class OperationError extends PaymentsError {
  override readonly name = 'OperationError'
  readonly code = 'ERR_OPERATION'
  /** The key of another open payment of the same order, which prevented this payment from being sent. */
  declare readonly openKey?: string
  readonly #record: OperationRecord

  constructor(message: string, call: CallFacts, record: OperationRecord, openKey?: string) {
    super(message, call)
    this.#record = record
    if (openKey !== undefined) this.openKey = openKey
  }

  /** The operation's record in the journal. Omitted from printed errors, because its body may contain secrets. */
  get record(): OperationRecord {
    return this.#record
  }
}

/**
 * Marks the error of a call whose operation is still open as safe to retry only with the same key. Even if the call
 * sent nothing, `operations.recover` may send the operation later, so a new key could execute it twice.
 */
export function ofOpenOperation(error: unknown, { state }: StoredOperation): unknown {
  const { outcome } = error as Partial<PaymentsError>
  const isUnknown = state === 'unknown' && outcome !== 'accepted'
  return Object.assign(error as object, { retry: 'same-key', ...(isUnknown && { outcome: 'unknown' }) })
}

/**
 * Waits for a database statement of the journal. If the statement fails, throws an error that names the journal,
 * because no request may be sent without a record.
 */
export async function storing<T>(work: Promise<T>, facts: Partial<CallFacts>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw journalUnavailable(error, facts)
  }
}

/** Works like `storing`, but for a synchronous database. */
export function storingSync<T>(work: () => T, facts: Partial<CallFacts>): T {
  try {
    return work()
  } catch (error) {
    throw journalUnavailable(error, facts)
  }
}

/** Returns whether PostgreSQL or SQLite reported that a table does not exist. */
export function isMissingTable(error: unknown): boolean {
  return sqlState(error) === '42P01' || String(Object(error).message).includes('no such table')
}

/** Returns the SQLSTATE of a PostgreSQL error. Libraries wrap the driver's error in different properties. */
export function sqlState(error: unknown): string | undefined {
  if (Object(error) !== error) return undefined
  const { code, originalCode = code, cause, meta, driverError, original, driverAdapterError } = Object(error)
  const inner = sqlState(cause ?? meta ?? driverError ?? original ?? driverAdapterError)
  return inner ?? (/^[0-9A-Z]{5}$/.test(originalCode) ? originalCode : undefined)
}

/** Returns whether the pool had no free connection in time, according to the errors of pg, Knex and Prisma. */
function hasWaited(code: unknown, message: string): boolean {
  return (
    code === 'P2024' ||
    code === 'P2028' ||
    /timeout (exceeded when trying to connect|acquiring a connection)/i.test(message)
  )
}

/** Wraps a database error in an error that names the journal. Returns the journal's own errors unchanged. */
function journalUnavailable(cause: unknown, facts: Partial<CallFacts>): ConfigurationError {
  // Returns an error that the journal itself created, for example because the transaction is on another database.
  if (Object(cause).code === 'ERR_CONFIGURATION') return cause as ConfigurationError
  return databaseFailed(cause, 'The journal is not available, so nothing was sent', 'journal.migrate()', facts)
}

/** Wraps a database error. */
export function databaseFailed(
  cause: unknown,
  summary: string,
  migrate: string,
  facts: Partial<CallFacts>,
): ConfigurationError {
  const { code, message } = Object(cause)
  const isMissing = isMissingTable(cause)
  const problem = isMissing
    ? `its tables do not exist: run ${migrate}`
    : hasWaited(code, String(message))
      ? 'too many calls wait for a connection of its database: enlarge the pool, or send fewer calls at once'
      : sqlState(cause) === '25001' || String(message).includes('within a transaction')
        ? 'a transaction is open on its connection: end it first, or open another connection'
        : sqlState(cause) === '25P02'
          ? 'PostgreSQL rolls the transaction back, because a statement failed: do not catch the errors of statements'
          : 'its database failed (see error.cause)'
  const retryKey = facts.idempotencyKey && 'Retry with the same key, because operations.recover may send the operation'
  const result = isMissing ? facts : { ...facts, retry: 'same-key' as const, advice: facts.advice ?? retryKey }
  const error = new ConfigurationError(`${summary}: ${problem}`, result)
  // Makes `cause` non-enumerable, so that loggers omit it, because a database error may contain customer data.
  Object.defineProperty(error, 'cause', { get: () => cause })
  return error
}

/** Creates the error for a payment of an order that has another open payment. */
export function openPayment(open: StoredOperation, facts: CallFacts): OperationError {
  const { key, state } = open
  const message = `the order has another open payment, with the key ${key} (state: ${state}), so nothing was sent. Finish it with operations.run or operations.resolve, or pass allowSecondPayment: true if the order has several payments`
  return new OperationError(message, { ...facts, outcome: 'not_sent', retry: 'check-first' }, toRecord(open), key)
}

/** Creates the error for an operation whose state a person cannot change. */
export function notResolvable(row: StoredOperation, facts: CallFacts): OperationError {
  const message = `only an operation in the state needs_review can be resolved, and once: its state is ${row.state}`
  return new OperationError(message, { ...facts, outcome: 'not_sent', retry: 'no' }, toRecord(row))
}

/** Creates the error for a recorded operation that must not be resent now. */
export function recordedError(row: StoredOperation, operation: AnyOperation, facts: CallFacts): PaymentsError {
  const { state, reason, firstSentAt } = row
  if (state === 'rejected') return recordedRejection(row, operation, facts)
  const create = (message: string, outcome: CallFacts['outcome'], retry: CallFacts['retry']) =>
    new OperationError(message, { ...facts, outcome, retry }, toRecord(row))
  if (state === 'needs_review') return create(`the operation needs a review: ${reason}`, 'unknown', 'check-first')
  const outcome = (sent: CallFacts['outcome']) => (firstSentAt === undefined ? 'not_sent' : sent)
  if (state === 'not_executed') {
    return create(`the operation was not executed: ${reason}`, outcome('rejected'), 'new-key')
  }
  const message = 'the result is not known yet: operations.recover finishes the operation'
  return create(message, outcome('unknown'), 'same-key')
}

/** Recreates the service's rejection of an operation from the journal record. */
function recordedRejection(
  { errorId, details }: StoredOperation,
  { scope, method }: AnyOperation,
  facts: CallFacts,
): PaymentsError {
  const response = {
    errorId,
    hasErrorId: errorId !== undefined,
    hasEnvelope: true,
    headers: new Headers(),
    status: details.httpStatus ?? 400,
    body: undefined,
    quote: 'recorded in the journal',
  }
  const failure = rejected(response, { method, hasKey: true }, scope, true)
  return failure.toError({ ...facts, outcome: 'rejected', retry: 'new-key' })
}

/** Creates the error for a key that was already used with other values. */
export function otherRequest(path: Issue['path'], facts: Partial<CallFacts>): RequestValidationError {
  const message =
    'was used for another operation, which may have taken effect: pass the same operation, id and body as before'
  return new RequestValidationError([{ path, code: 'not_allowed', message }], facts)
}
