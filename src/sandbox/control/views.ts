import * as z from 'zod/mini'
import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import type { Sandbox } from '../api.js'
import type { Context } from '../domain/context.js'
import { formatSession } from '../domain/sessions.js'
import { money } from '../internal/amount.js'
import { optional, optionShape, type SandboxSettings } from '../internal/options.js'
import {
  type AnyShape,
  dateTime,
  dateTimeJson,
  hint,
  integer,
  rowOf,
  type Schema,
  text,
  type Values,
} from '../internal/schema.js'
import type { FaultQueue } from '../service/faults.js'
import type { RequestLog } from '../service/request-log.js'
import { matching } from '../store/payments.js'
import type { PaymentRecord, StoredPayment } from '../store/records.js'
import { effect } from '../store/store.js'
import type { WebhookSender } from '../webhooks/webhooks.js'
import { ControlError, invalidArguments } from './error.js'
import * as rows from './rows.js'

/** The sandbox, and the parts of its state that its public object does not show. */
export interface Source {
  readonly sandbox: Sandbox
  readonly context: Context
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly webhooks: WebhookSender
}

/** A GET endpoint of the control API. `:id` in the path is a parameter. */
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

interface ListOptions<Item, Filters extends AnyShape> {
  /** Returns the id of an item, which is its cursor. By default, the cursor is the position of the item, because responses mask an id that contains a card number. */
  idOf?: (item: Item, position: number) => string
  filters?: Filters
  /** Returns a function that tests whether an item belongs to the list. */
  matching?: (filters: Values<Filters>, items: readonly Item[]) => (item: Item) => boolean
}

/**
 * A list with pages, newest first.
 *
 * @param items Returns all items, oldest first.
 * @param toRow Formats an item on the page.
 */
function list<Item, Row, Filters extends AnyShape = Record<never, never>>(
  name: string,
  summary: string,
  row: Schema<Row>,
  items: (source: Source) => readonly Item[],
  toRow: (item: Item, source: Source) => Row,
  { idOf = (_, position) => String(position), filters, matching = () => () => true }: ListOptions<Item, Filters> = {},
) {
  const page = rowOf<RowPage<Row>>({ data: z.array(row), nextCursor: z.optional(z.string()) })
  return view(
    name,
    `${summary}, newest first`,
    { ...paging, ...filters } as typeof paging & Filters,
    page,
    (source, query) => {
      const { limit = defaultLimit, cursor } = query as Values<typeof paging>
      const all = items(source)
      const end = cursor === undefined ? all.length : all.findIndex((item, at) => idOf(item, at) === cursor)
      if (end === -1) {
        throw invalidArguments('cursor is not from this list, or its row was removed: start again without cursor')
      }
      const isListed = matching(query as Values<Filters>, all)
      const found: number[] = []
      for (let at = end - 1; at >= 0 && found.length <= limit; at--) if (isListed(all[at] as Item)) found.push(at)
      const shown = found.slice(0, limit)
      const last = shown.at(-1) ?? 0
      return {
        data: shown.map((at) => toRow(all[at] as Item, source)),
        ...(found.length > limit && { nextCursor: idOf(all[last] as Item, last) }),
      }
    },
  )
}

const same = <Row>(row: Row) => row

const idOf = ({ id }: { id: string }) => id

/** The GET endpoints of the control API, by path. */
export const views = {
  state: list(
    'listPayments',
    'Lists the payments',
    rows.paymentRow,
    ({ context }) => context.store.payments.rows(),
    rows.toPaymentRow,
    {
      filters: optional({
        status: text,
        orderId: text,
        search: hint(text, 'An id or order id. If none matches, part of an id, order, customer, status or amount'),
      }),
      matching: ({ status, orderId, search = '' }, payments) => {
        const hasFilters = matching({ ...(status !== undefined && { status: status.split(',') }), orderId })
        const isFound = searchIn(payments, search.trim())
        return (record) => hasFilters(record) && isFound(record)
      },
    },
  ),
  'state/sessions': list(
    'listSessions',
    'Lists the client sessions',
    rows.sessionRow,
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
    rows.resource<PaymentInstrument>('The saved payment method, even if it was deleted.'),
    ({ context }) => context.store.instruments.rows(),
    ({ instrument }) => instrument,
  ),
  'state/external-payments': list(
    'listExternalPayments',
    'Lists the external payments',
    rows.resource<ExternalPayment>('The external payment.'),
    ({ context }) => context.store.externalPayments.rows(),
    same,
  ),
  'state/loyalty': list(
    'listLoyalty',
    'Lists the balances of loyalty points',
    rows.loyaltyRow,
    ({ context }) => context.store.loyaltyBalances.snapshot(),
    (balance, { context }) => rows.toLoyaltyRow(balance, context.store),
  ),
  'state/disputes': list(
    'listDisputes',
    'Lists the disputes',
    rows.resource<DisputeStatusEvent>('The latest DISPUTE.STATUS event.'),
    ({ context }) => context.store.disputes.rows(),
    (events) => events.at(-1) as DisputeStatusEvent,
  ),
  'state/faults': list(
    'listFaults',
    'Lists the faults that can still affect requests',
    rows.faultRow,
    ({ faults }) => faults.queue,
    rows.toFaultRow,
    { idOf },
  ),
  'state/subscriptions': list(
    'listSubscriptions',
    'Lists the webhook subscribers',
    rows.subscriptionRow,
    ({ webhooks }) => webhooks.subscriptions,
    ({ to, hash }) => ({ url: to, hash }),
  ),
  'payments/:id': view(
    'getPayment',
    'Returns a payment with everything that happened to it, oldest first',
    {},
    rows.paymentDetails,
    ({ context, log, webhooks }, _, id) => ({
      ...rows.toPaymentRow(context.payments.get(id)),
      requests: log.of(id),
      deliveries: webhooks.deliveriesOf(id).map(rows.toDeliveryRow),
      disputes: rows.disputesOf(id, context.store),
    }),
  ),
  requests: list(
    'listRequests',
    'Lists the last 10,000 requests to the service',
    rows.requestRow,
    ({ log }) => log.records,
    same,
    { idOf },
  ),
  deliveries: list(
    'listDeliveries',
    'Lists the attempts to deliver webhooks',
    rows.deliveryRow,
    ({ webhooks }) => webhooks.deliveries,
    rows.toDeliveryRow,
    { idOf },
  ),
  'requests/:id': view('getRequest', 'Returns a recorded request', {}, rows.requestRow, ({ log }, _, id) => {
    const found = log.records.find((record) => record.id === id)
    if (!found) throw new ControlError(404, 'RequestNotFound', 'There is no request with this id')
    return found
  }),
  'deliveries/:id': view(
    'getDelivery',
    'Returns an attempt to deliver a webhook',
    {},
    rows.deliveryRow,
    ({ webhooks }, _, id) => rows.toDeliveryRow(webhooks.delivery(id)),
  ),
  ledger: view(
    'getLedger',
    'Returns all changes that the service made, oldest first',
    {},
    z.object({ data: z.array(effect) }),
    ({ sandbox }) => ({ data: [...sandbox.ledger] }),
  ),
  clock: view('getClock', "Returns the sandbox's time", {}, z.object({ now: dateTime }), ({ sandbox }) => ({
    now: sandbox.clock.now().toISOString(),
  })),
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
    hint(z.string(), 'The header Last-Event-ID resumes the stream after that event.'),
  ),
}

/** Returns a function that tests whether a payment has an id, or if no payment has it, whether its fields contain it. */
function searchIn(payments: readonly PaymentRecord[], search: string): (record: PaymentRecord) => boolean {
  if (search === '') return () => true
  const hasId = ({ payment }: PaymentRecord) => payment.id === search || payment.orderId === search
  if (payments.some(hasId)) return hasId
  return ({ payment }) => contains(payment, search.toLowerCase())
}

/** Returns whether a payment's id, order, customer, status or amount contains the words. */
function contains(payment: StoredPayment, words: string): boolean {
  const { id, orderId, customerId, customer, status, amount, currencyCode } = payment
  const texts = [id, orderId, customerId, customer?.emailAddress, status, String(amount), money(amount, currencyCode)]
  return texts.some((text) => text?.toLowerCase().includes(words))
}
