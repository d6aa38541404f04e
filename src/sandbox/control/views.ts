import * as z from 'zod/mini'
import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import { formatSession } from '../domain/sessions.js'
import { money } from '../internal/amount.js'
import { optional, optionShape, type SandboxSettings } from '../internal/options.js'
import { type AnyShape, integer, type Schema, text, type Values } from '../internal/schema.js'
import { faultShape } from '../service/faults.js'
import { matching, type PaymentTable } from '../store/payments.js'
import type { PaymentRecord, StoredPayment } from '../store/records.js'
import type { Effect } from '../store/store.js'
import { ControlError, invalidArguments } from './error.js'
import {
  delivery,
  deliveryRow,
  disputesOf,
  type FaultRow,
  faultRow,
  type LoyaltyRow,
  loyaltyRow,
  type PaymentDetails,
  type PaymentRow,
  paymentFields,
  paymentRow,
  request,
  resource,
  rowOf,
  type SessionRow,
  type SubscriptionRow,
  timesLeft,
} from './rows.js'
import { dateTime, dateTimeJson, faultBody, hint, type Source, string } from './schemas.js'

/** A read of `GET <path>`. `:id` in the path is a parameter. */
export interface View<Query extends AnyShape = AnyShape, Response = unknown> {
  /** The operation's name in the OpenAPI document. */
  readonly name: string
  readonly summary: string
  readonly query: Query
  readonly response: Schema<Response>
  /** Returns the response. Absent for `events`, which the server streams. */
  respond?(source: Source, query: Values<Query>, id: string): Response
}

function view<Query extends AnyShape, Response>(
  name: string,
  summary: string,
  query: Query,
  response: Schema<Response>,
  respond?: View<Query, Response>['respond'],
): View<Query, Response> {
  return { name, summary, query, response, ...(respond && { respond }) }
}

const defaultLimit = 50

const paging = optional({ limit: integer(1, 100).check(z.meta({ default: defaultLimit })), cursor: text })

/** A page of a list. */
export interface RowPage<Row> {
  readonly data: Row[]
  readonly nextCursor?: string
}

const pageOf = <Row>(row: Schema<Row>) => rowOf<RowPage<Row>>({ data: z.array(row), nextCursor: z.optional(string) })

/**
 * A list with pages, newest first.
 *
 * @param items Returns all items, oldest first.
 * @param toRow Formats an item on the page.
 * @param idOf Returns the id of an item, which is its cursor. By default, the cursor is the position of the item:
 * responses mask an id that contains a card number.
 */
function list<Item, Row>(
  name: string,
  summary: string,
  row: Schema<Row>,
  items: (source: Source) => readonly Item[],
  toRow: (item: Item, source: Source) => Row,
  idOf: (item: Item, position: number) => string = (_, position) => String(position),
) {
  return view(name, `${summary}, newest first`, paging, pageOf(row), (source, { limit = defaultLimit, cursor }) => {
    const all = items(source)
    const end = cursor === undefined ? all.length : all.findIndex((item, at) => idOf(item, at) === cursor)
    if (end === -1) throw invalidCursor()
    const start = Math.max(0, end - limit)
    const data = all.slice(start, end).map((item) => toRow(item, source))
    return toPage(data.reverse(), start > 0 ? idOf(all[start] as Item, start) : undefined)
  })
}

const same = <Row>(row: Row) => row

function toPage<Row>(data: Row[], nextCursor: string | undefined): RowPage<Row> {
  return { data, ...(nextCursor !== undefined && { nextCursor }) }
}

function invalidCursor() {
  return invalidArguments('cursor is not from this list, or its row was removed: start again without cursor')
}

const paymentQuery = {
  ...paging,
  ...optional({
    status: text,
    orderId: text,
    search: hint(text, 'An id or order id. If no payment has it, part of an id, order, customer, status or amount'),
  }),
}

/** The reads of the control API, by path. */
export const views = {
  state: view(
    'listPayments',
    'Lists the payments, newest first',
    paymentQuery,
    pageOf(rowOf<PaymentRow>(paymentFields)),
    ({ context }, query) => paymentsPage(context.store.payments, query),
  ),
  'state/sessions': list(
    'listSessions',
    'Lists the client sessions',
    rowOf<SessionRow>({
      clientToken: string,
      expiresAt: dateTime,
      session: resource('The session, as the service returns it in API version `2021-09-27`.'),
    }),
    ({ context }) => context.store.sessions.rows(),
    (record) => ({
      clientToken: record.clientToken,
      expiresAt: new Date(record.expiresAt).toISOString(),
      session: formatSession(record, 'order'),
    }),
  ),
  'state/payment-instruments': list(
    'listPaymentInstruments',
    'Lists the saved payment methods',
    resource<PaymentInstrument>('The saved payment method, even if it was deleted.'),
    ({ context }) => context.store.instruments.rows(),
    ({ instrument }) => instrument,
  ),
  'state/external-payments': list(
    'listExternalPayments',
    'Lists the external payments',
    resource<ExternalPayment>('The external payment.'),
    ({ context }) => context.store.externalPayments.rows(),
    same,
  ),
  'state/loyalty': list(
    'listLoyalty',
    'Lists the balances of loyalty points',
    rowOf<LoyaltyRow>({
      connectionId: string,
      customerId: string,
      balance: z.int(),
      transactions: z.array(resource<LoyaltyTransaction>('The redemption or refund.')),
    }),
    ({ context }) => context.store.loyaltyBalances.snapshot(),
    ([key, balance], { context }) => loyaltyRow(key, balance, context.store),
  ),
  'state/disputes': list(
    'listDisputes',
    'Lists the disputes',
    resource<DisputeStatusEvent>('The latest DISPUTE.STATUS event.'),
    ({ context }) => context.store.disputes.rows(),
    (events) => events.at(-1) as DisputeStatusEvent,
  ),
  'state/faults': list(
    'listFaults',
    'Lists the faults that can still affect requests',
    rowOf<FaultRow>({
      ...optional(faultShape),
      id: string,
      times: hint(timesLeft, 'The number of requests that the fault will still affect.'),
      body: z.optional(hint(faultBody, 'The body, or `[function]`.')),
    }),
    ({ faults }) => faults.queue,
    faultRow,
    ({ id }) => id,
  ),
  'state/subscriptions': list(
    'listSubscriptions',
    'Lists the webhook subscribers',
    rowOf<SubscriptionRow>({ url: hint(string, 'The URL, or `function`.'), hash: string }),
    ({ webhooks }) => webhooks.subscriptions,
    ({ to, hash }) => ({ url: to, hash }),
  ),
  'payments/:id': view(
    'getPayment',
    'Returns a payment with everything that happened to it, oldest first',
    {},
    rowOf<PaymentDetails>({
      ...paymentFields,
      requests: z.array(request),
      deliveries: z.array(delivery),
      disputes: z.array(resource<DisputeStatusEvent>('A DISPUTE.STATUS event. A dispute has one for each change.')),
    }),
    ({ context, log, webhooks }, _, id) => ({
      ...paymentRow(context.payments.get(id)),
      requests: log.of(id),
      deliveries: webhooks.deliveriesOf(id).map(deliveryRow),
      disputes: disputesOf(id, context.store),
    }),
  ),
  requests: list(
    'listRequests',
    'Lists the last 10,000 requests to the service',
    request,
    ({ log }) => log.records,
    same,
    ({ id }) => id,
  ),
  deliveries: list(
    'listDeliveries',
    'Lists the attempts to deliver webhooks',
    delivery,
    ({ webhooks }) => webhooks.deliveries,
    deliveryRow,
    ({ id }) => id,
  ),
  'requests/:id': view('getRequest', 'Returns a recorded request', {}, request, ({ log }, _, id) => {
    const found = log.records.find((record) => record.id === id)
    if (!found) throw new ControlError(404, 'RequestNotFound', 'There is no request with this id')
    return found
  }),
  'deliveries/:id': view(
    'getDelivery',
    'Returns an attempt to deliver a webhook',
    {},
    delivery,
    ({ webhooks }, _, id) => deliveryRow(webhooks.delivery(id)),
  ),
  ledger: view(
    'getLedger',
    'Returns all changes that the service made, oldest first',
    {},
    rowOf<{ data: readonly Effect[] }>({ data: z.array(resource<Effect>('The change.')) }),
    ({ sandbox }) => ({ data: sandbox.ledger }),
  ),
  clock: view(
    'getClock',
    "Returns the sandbox's time",
    {},
    rowOf<{ now: string }>({ now: dateTime }),
    ({ sandbox }) => ({ now: sandbox.clock.now().toISOString() }),
  ),
  options: view(
    'getOptions',
    "Returns the sandbox's options",
    {},
    rowOf<SandboxSettings>({
      seed: z.optional(optionShape.seed),
      now: z.optional(
        hint(optionShape.now, 'The time of a stopped clock. Absent if the clock runs.').check(z.meta(dateTimeJson)),
      ),
      listDelay: hint(z.number(), 'Milliseconds.'),
      idempotency: optionShape.idempotency,
      sessionUpdate: optionShape.sessionUpdate,
    }),
    ({ sandbox }) => sandbox.options,
  ),
  events: view(
    'getEvents',
    'Streams the changes of the sandbox as server-sent events',
    {},
    hint(string, 'The header Last-Event-ID resumes the stream after that event.'),
  ),
}

/** The cursor is the position of the last payment. */
function paymentsPage(
  table: PaymentTable,
  { limit = defaultLimit, cursor, status, orderId, search }: Values<typeof paymentQuery>,
): RowPage<PaymentRow> {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidCursor()
  const matches = matching({ ...(status !== undefined && { status: status.split(',') }), orderId })
  const words = search?.trim().toLowerCase() ?? ''
  const isExact = ({ payment }: PaymentRecord) => [payment.id, payment.orderId].includes(search?.trim() ?? '')
  const hasExact = words !== '' && table.search(0, 1, 1, isExact).found.length > 0
  const test = (record: PaymentRecord) =>
    matches(record) && (hasExact ? isExact(record) : isFoundBy(words, record.payment))
  const { found, hasPrevious } = table.search(Number(cursor ?? Infinity), -1, limit, test)
  return toPage(
    found.reverse().map((position) => paymentRow(table.at(position))),
    hasPrevious ? String(found.at(-1)) : undefined,
  )
}

/** Returns whether a payment's id, order, customer, status or amount contains the words. */
function isFoundBy(words: string, payment: StoredPayment): boolean {
  const { id, orderId, customerId, customer, status, amount, currencyCode } = payment
  if (words === '') return true
  const texts = [id, orderId, customerId, customer?.emailAddress, status, String(amount)]
  return (
    texts.some((text) => text?.toLowerCase().includes(words)) ||
    money(amount, currencyCode).toLowerCase().includes(words)
  )
}
