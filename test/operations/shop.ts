import { onTestFinished } from 'vitest'
import {
  type ClientOptions,
  type Journal,
  type JournalOptions,
  type OperationIntent,
  type OperationRecord,
  PaymentsClient,
  type RefundBody,
} from '../../src/index.js'
import { createSandbox, type Effect, type Fault, type Sandbox, type SandboxOptions } from '../../src/testing/index.js'
import { failureOf } from '../support/clients.js'

/** A database with journals. */
export interface JournalDatabase {
  /** Creates a journal whose tables exist. Journals with the same name share their records. */
  open(name: string, options?: JournalOptions): Promise<Journal>
  /** Runs `work` in a transaction of the database. Rolls it back if `work` rejects. */
  transact(work: (transaction: unknown) => Promise<void>): Promise<void>
  /** Moves all times of a journal into the past. */
  pass(name: string, ms: number): Promise<void>
  /** Sets a column of a record, as another program might. Absent if the journal is in memory. */
  spoil?(name: string, key: string, column: string, value: string): Promise<void>
  /** Writes a row in a transaction of the journal. Absent if the journal is in memory. */
  write?(name: string, transaction: unknown): unknown
  /** Returns the number of claims that a journal stores. */
  countClaims?(name: string): Promise<number>
  /** Whether `onSettled` must be synchronous. */
  isSynchronous?: boolean
}

const timesOfOperations = [
  'created_at',
  'first_sent_at',
  'last_sent_at',
  'claimed_at',
  'finished_at',
  'acknowledged_at',
  'not_before',
]

/** Returns the statements that move all times of a journal into the past. */
export const passSql = (prefix: string, ms: number): string[] => [
  `UPDATE ${prefix}operations SET ${timesOfOperations.map((column) => `${column} = ${column} - ${ms}`)}`,
  `UPDATE ${prefix}claims SET expires_at = expires_at - ${ms}`,
]

/**
 * Returns the statements with which version 1.2 created a journal, and a payment that was planned an hour ago.
 *
 * @param integer The database's type for 64-bit integers.
 */
export const oldTables = (prefix: string, integer: string): string => `
CREATE TABLE ${prefix}operations (
  key text NOT NULL PRIMARY KEY, operation text NOT NULL, resource text NOT NULL, id text, order_id text, body text,
  fingerprint text NOT NULL, state text NOT NULL, in_flight smallint NOT NULL, created_at ${integer} NOT NULL,
  first_sent_at ${integer}, last_sent_at ${integer}, attempts integer NOT NULL,
  claimed_at ${integer} NOT NULL DEFAULT 0, resend_for ${integer} NOT NULL, payment_id text, transaction_id text,
  status text, error_id text, reason text, payment_before text, details text NOT NULL,
  finished_at ${integer}, acknowledged_at ${integer}
);
CREATE TABLE ${prefix}claims (
  resource text NOT NULL PRIMARY KEY, owner text, expires_at ${integer} NOT NULL, known text
);
INSERT INTO ${prefix}operations (key, operation, resource, order_id, body, fingerprint, state, in_flight, created_at,
  attempts, resend_for, details) VALUES ('old-1', 'payments.create', 'key:old-1', 'order-old', '{}', 'f', 'planned', 0,
  ${Date.now() - 3_600_000}, 0, 60000, '{"amount":5}');
`

let shops = 0

/** A shop with its own sandbox and its own records. */
export async function aShop(
  database: JournalDatabase,
  { sandbox: sandboxOptions, options: journalOptions, ...options }: ShopOptions = {},
) {
  const shop = `shop${++shops}_`
  const sandbox = createSandbox({ now: new Date(), ...sandboxOptions })
  const requests: string[] = []
  const journal = await database.open(shop, journalOptions)
  /** Creates a client in another process of the shop. */
  const aClient = (more: ClientOptions = {}) =>
    new PaymentsClient(
      sandbox.clientOptions({ journal, maxRetries: 0, fetch: recordingFetch(sandbox, requests), ...options, ...more }),
    )
  const client = aClient()
  const plan = (intent: OperationIntent) =>
    database.transact((transaction) => client.operations.plan(transaction, intent))
  onTestFinished(() => sandbox.faults.clear())
  const body = (text = 'order', amount = 5000) => ({
    paymentMethodToken: sandbox.tokens.card,
    orderId: text,
    currencyCode: 'EUR',
    amount,
  })
  /** Creates a payment, with a record in the journal. */
  const authorize = async (order = 'authorized') => (await client.payments.create(body(order))).id
  /** Creates and captures a payment, with records in the journal. */
  const pay = async (order?: string) => {
    const id = await authorize(order)
    await client.payments.capture(id)
    return id
  }
  return {
    name: shop,
    sandbox,
    client,
    journal,
    aClient,
    /** A client without a journal, such as the dashboard. */
    outside: aClient({ journal: undefined }),
    /** Opens the journal in another process of the shop. */
    openJournal: () => database.open(shop, journalOptions),
    plan,
    pass: (ms: number) => database.pass(shop, ms),
    spoil: (key: string, column: string, value: string) => database.spoil?.(shop, key, column, value),
    countClaims: () => database.countClaims?.(shop),
    requests,
    /** Makes a client call whose request has the given fault. Returns the error of the call. */
    fails<M extends 'create' | 'capture' | 'cancel' | 'refund'>(
      fault: Partial<Fault>,
      method: M,
      ...args: Parameters<PaymentsClient['payments'][M]>
    ) {
      sandbox.faults.add({ ...fault, operation: `payments.${method}` })
      const call = client.payments[method] as (...args: unknown[]) => PromiseLike<unknown>
      return failureOf(call.apply(client.payments, args))
    },
    run: (key: string) => client.operations.run(key),
    /** Calls `operations.recover` when this time has passed for the service and for the journal. */
    async recoverAfter(duration: Parameters<Sandbox['clock']['advance']>[0]) {
      const start = sandbox.clock.now()
      await sandbox.clock.advance(duration)
      await database.pass(shop, Number(sandbox.clock.now()) - Number(start))
      return client.operations.recover()
    },
    get: (key: string) => client.operations.get(key) as Promise<OperationRecord>,
    stateOf: async (key: string) => (await client.operations.get(key))?.state,
    effects: (key: string) => sandbox.ledger.filter(({ idempotencyKey }: Effect) => idempotencyKey === key),
    body,
    authorize,
    pay,
    /** Plans the refund of a new payment. Returns the payment's id. */
    async planRefund(refund?: RefundBody, key = 'refund-1') {
      const id = await pay()
      await plan({ key, operation: 'payments.refund', id, ...(refund && { body: refund }) })
      return id
    },
  }
}

/** Options for the client, the sandbox and the journal. */
export type ShopOptions = ClientOptions & { sandbox?: SandboxOptions; options?: JournalOptions }

/** Records the requests to a sandbox as lines such as `POST /payments`. */
function recordingFetch(sandbox: Sandbox, requests: string[]): Sandbox['fetch'] {
  return async (input, init) => {
    const request = new Request(input, init)
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return sandbox.fetch(request)
  }
}

/** A fault after the operation took effect: the response is lost. */
export const lost = { at: 'after', reset: true } as const
/** A fault before the operation takes effect: the request is lost. */
export const dropped = { at: 'before', reset: true } as const
