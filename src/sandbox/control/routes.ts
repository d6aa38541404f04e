import { shapeOf } from '../../contract/version.js'
import { integer } from '../../internal/options.js'
import { toShape } from '../domain/fields.js'
import { historyOf } from '../domain/payments.js'
import { formatSession } from '../domain/sessions.js'
import type { Delivery, PaymentRecord } from '../store/records.js'
import { ownerOf } from '../store/store.js'
import { invalidArguments } from './error.js'
import { type JsonSchema, objectSchema, optional, type Parameter, type Parameters, text } from './parameters.js'
import type { Parts } from './parts.js'

export interface Route {
  /** The operation's name in the OpenAPI document. */
  readonly name: string
  /** Path relative to `/__sandbox/api/`. `:id` is a parameter. */
  readonly path: string
  readonly summary: string
  readonly query: Parameters
  readonly response: JsonSchema
  /** Returns the response. Absent for `events`, which the server streams. */
  readonly respond?: (input: { id: string; query: Query }, parts: Parts) => object
}

interface Query {
  readonly limit?: number
  readonly cursor?: string
  readonly status?: string
  readonly orderId?: string
}

const defaultLimit = 50

const limit: Parameter = {
  rule: integer(1, 100),
  schema: { type: 'integer', minimum: 1, maximum: 100, default: defaultLimit },
  optional: true,
}
const paging = { limit, cursor: optional(text) }

const string = { type: 'string' }
const dateTime = { type: 'string', format: 'date-time' }
const stringMap = { type: 'object', additionalProperties: string }
const arrayOf = (items: JsonSchema) => ({ type: 'array', items })
const pageOf = (row: JsonSchema) => objectSchema({ data: arrayOf(row), nextCursor: string }, 'nextCursor')
const resource = (description: string) => ({ type: 'object', description, additionalProperties: true })

const payment = resource('The payment, as the service returns it in the API version of the request that created it.')
const history = arrayOf(objectSchema({ status: string, at: dateTime }))
const dispute = resource('The latest DISPUTE.STATUS event.')
const requestSchema = objectSchema(
  {
    id: string,
    at: dateTime,
    operation: { ...string, description: 'Absent if the service has no such endpoint.' },
    method: string,
    path: string,
    requestHeaders: stringMap,
    requestBody: string,
    status: { type: 'integer', description: 'Absent if a fault prevented the response.' },
    responseBody: string,
    durationMs: { type: 'number' },
    userAgent: string,
  },
  'operation',
  'status',
  'userAgent',
)
const deliverySchema = objectSchema(
  {
    id: string,
    at: dateTime,
    eventType: string,
    url: { ...string, description: 'The URL of the subscriber, or `function`.' },
    headers: stringMap,
    body: string,
    status: { type: 'integer' },
    responseBody: string,
    error: string,
  },
  'status',
  'responseBody',
  'error',
)

export const routes: readonly Route[] = [
  {
    name: 'listPayments',
    path: 'state',
    summary: 'Lists the payments, newest first',
    query: { ...paging, status: optional(text), orderId: optional(text) },
    response: pageOf(objectSchema({ payment, history })),
    respond: ({ query }, { context }) => paymentsPage(query, context.store.payments),
  },
  listRoute('listSessions', 'state/sessions', 'Lists the client sessions, newest first', {
    row: objectSchema({
      clientToken: string,
      expiresAt: dateTime,
      session: resource('The session, as the service returns it in API version `2021-09-27`.'),
    }),
    rows: ({ context }) =>
      numbered(
        context.store.sessions.rows().map((record) => {
          const { clientToken, expiresAt } = record
          const session = formatSession(record, '2021-09-27')
          return { clientToken, expiresAt: new Date(expiresAt).toISOString(), session }
        }),
      ),
  }),
  listRoute('listPaymentInstruments', 'state/payment-instruments', 'Lists the saved payment methods, newest first', {
    row: resource('The saved payment method, even if it was deleted.'),
    rows: ({ context }) => numbered(context.store.instruments.rows().map(({ instrument }) => instrument)),
  }),
  listRoute('listExternalPayments', 'state/external-payments', 'Lists the external payments, newest first', {
    row: resource('The external payment.'),
    rows: ({ context }) => numbered(context.store.externalPayments.rows()),
  }),
  listRoute('listLoyalty', 'state/loyalty', 'Lists the balances of loyalty points, newest first', {
    row: objectSchema({
      connectionId: string,
      customerId: string,
      balance: { type: 'integer' },
      transactions: arrayOf(resource('The redemption or refund.')),
    }),
    rows: ({ context: { store } }) =>
      numbered(
        store.loyaltyBalances.snapshot().map(([id, balance]) => {
          const [connectionId, customerId] = ownerOf(id)
          return { connectionId, customerId, balance }
        }),
      ),
    complete: (row, { context: { store } }) => {
      const transactions = store.loyaltyTransactions
        .rows()
        .filter((each) => each.connectionId === row.connectionId && each.customerId === row.customerId)
      return { ...row, transactions }
    },
  }),
  listRoute('listDisputes', 'state/disputes', 'Lists the disputes, newest first', {
    row: dispute,
    rows: ({ context }) => numbered(context.store.disputes.rows().flatMap((events) => events.slice(-1))),
  }),
  listRoute('listFaults', 'state/faults', 'Lists the faults that can still affect requests, newest first', {
    row: resource('The fault. `times` is the number of requests that it will still affect.'),
    rows: ({ faults }) =>
      faults.queue.map(({ id, fault, left }) => {
        const body = typeof fault.body === 'function' ? '[function]' : fault.body
        return { id, row: { id, ...fault, body, times: left === Infinity ? 'Infinity' : left } }
      }),
  }),
  listRoute('listSubscriptions', 'state/subscriptions', 'Lists the webhook subscribers, newest first', {
    row: objectSchema({ url: { ...string, description: 'The URL, or `function`.' }, hash: string }),
    rows: ({ webhooks }) => numbered(webhooks.subscriptions.map(({ to, hash }) => ({ url: to, hash }))),
  }),
  {
    name: 'getPayment',
    path: 'payments/:id',
    summary: 'Returns a payment with everything that happened to it, oldest first',
    query: {},
    response: objectSchema({
      payment,
      history,
      requests: arrayOf(requestSchema),
      deliveries: arrayOf(deliverySchema),
      disputes: arrayOf(resource('A DISPUTE.STATUS event. A dispute has one event for each change.')),
    }),
    respond({ id }, { context, log, webhooks }) {
      const record = context.payments.get(id)
      return {
        ...withHistory(record),
        requests: log.of(id),
        deliveries: webhooks.deliveriesOf(id).map(formatDelivery),
        disputes: disputesOf(id, context),
      }
    },
  },
  listRoute('listRequests', 'requests', 'Lists the last 10,000 requests to the service, newest first', {
    row: requestSchema,
    rows: ({ log }) => log.records.map((row) => ({ id: row.id, row })),
  }),
  listRoute('listDeliveries', 'deliveries', 'Lists the attempts to deliver webhooks, newest first', {
    row: deliverySchema,
    rows: ({ webhooks }) => webhooks.deliveries.map((row) => ({ id: row.id, row: formatDelivery(row) })),
  }),
  {
    name: 'getLedger',
    path: 'ledger',
    summary: 'Returns all changes that the service made, oldest first',
    query: {},
    response: objectSchema({ data: arrayOf(resource('The change.')) }),
    respond: (_, { context }) => ({ data: context.ledger.effects }),
  },
  {
    name: 'getClock',
    path: 'clock',
    summary: "Returns the sandbox's time",
    query: {},
    response: objectSchema({ now: dateTime }),
    respond: (_, { context }) => ({ now: context.clock.now().toISOString() }),
  },
  {
    name: 'getOptions',
    path: 'options',
    summary: "Returns the sandbox's options",
    query: {},
    response: objectSchema(
      {
        seed: { type: ['number', 'string'] },
        now: { ...dateTime, description: 'The time of a stopped clock. Absent if the clock runs.' },
        listDelay: { type: 'number', description: 'Milliseconds.' },
        idempotency: string,
        sessionUpdate: string,
      },
      'seed',
      'now',
    ),
    respond: (_, { context }) => context.settings,
  },
  {
    name: 'getEvents',
    path: 'events',
    summary: 'Streams the changes of the sandbox as server-sent events',
    query: {},
    response: { type: 'string', description: 'The header Last-Event-ID resumes the stream after that event.' },
  },
]

interface ListOf<Row> {
  readonly row: JsonSchema
  /** Returns all rows with unique ids, oldest first. The ids are the cursors. */
  readonly rows: (parts: Parts) => { readonly id: string; readonly row: Row }[]
  /** Adds fields to a row. Called only for the rows on the page, because it may be slow. */
  readonly complete?: (row: Row, parts: Parts) => object
}

function listRoute<Row extends object>(
  name: string,
  path: string,
  summary: string,
  { row, rows, complete = (row) => row }: ListOf<Row>,
): Route {
  return {
    name,
    path,
    summary,
    query: paging,
    response: pageOf(row),
    respond({ query: { limit = defaultLimit, cursor } }, parts) {
      const all = rows(parts).reverse()
      const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1
      if (cursor !== undefined && start === 0) throw invalidCursor()
      const found = all.slice(start, start + limit)
      const hasMore = start + limit < all.length
      return { data: found.map(({ row }) => complete(row, parts)), ...(hasMore && { nextCursor: found.at(-1)?.id }) }
    },
  }
}

/** Uses each row's position as its id, because responses mask an id that contains a card number. */
function numbered<Row>(rows: readonly Row[]): { id: string; row: Row }[] {
  return rows.map((row, position) => ({ id: String(position), row }))
}

function invalidCursor() {
  return invalidArguments('cursor is not from this list, or its row was removed: start again without cursor')
}

/** The cursor is the position of the last payment. */
function paymentsPage(
  { limit = defaultLimit, cursor, status, orderId }: Query,
  table: Parts['context']['store']['payments'],
): object {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidCursor()
  const position = cursor === undefined ? Infinity : Number(cursor)
  const filters = {
    ...(status !== undefined && { status: status.split(',') }),
    ...(orderId !== undefined && { orderId }),
  }
  const { found, hasPrevious } = table.search(position, -1, limit, filters, Infinity)
  return {
    data: found.reverse().map((position) => withHistory(table.at(position))),
    ...(hasPrevious && { nextCursor: String(found.at(-1)) }),
  }
}

function withHistory(record: PaymentRecord): object {
  return { payment: toShape(shapeOf(record.apiVersion), record.payment), history: historyOf(record) }
}

/** Returns the events of a payment's disputes, oldest first. */
function disputesOf(paymentId: string, { store }: Parts['context']): object[] {
  const events = store.disputes.rows().flat()
  const found = events.filter((event) => event.paymentId === paymentId)
  return found.sort((a, b) => Date.parse(a.receivedAt ?? '') - Date.parse(b.receivedAt ?? ''))
}

function formatDelivery({ id, at, eventType, to, headers, body, status, responseBody, error }: Delivery): object {
  return { id, at, eventType, url: to, headers, body, status, responseBody, error }
}
