import * as z from 'zod'
import { cartOf } from '../../../core/contract/version.js'
import { integer, text } from '../../../core/internal/validation.js'
import type { DisputeStatusEvent } from '../../../core/schemas/event.js'
import type { LoyaltyTransaction } from '../../../core/schemas/loyalty.js'
import type { EventPayment } from '../../../core/schemas/payment.js'
import { fromOrder } from '../domain/fields.js'
import { formatSession } from '../domain/sessions.js'
import { money } from '../internal/amount.js'
import { ServiceError } from '../internal/exchange.js'
import { matching } from '../store/payments.js'
import type { Delivery, PaymentRecord, StatusChange } from '../store/records.js'
import { ownerOf } from '../store/store.js'
import type { AnyShape, Endpoint, Source } from './endpoint.js'
import { invalidArguments } from './error.js'

function view<Query extends AnyShape, Response extends object>(
  summary: string,
  query: Query,
  fields: string,
  run: Endpoint<Query, Response>['run'],
): Endpoint<Query, Response> {
  return { summary, input: z.strictObject(query), fields, run }
}

export const paging = { limit: integer(1, 100).optional(), cursor: text.optional() }

export interface RowPage<Row> {
  readonly data: Row[]
  readonly nextCursor?: string
}

interface ListOptions<Item> {
  /** Returns an item's ID, for use as a cursor. By default, the cursor is the item's position. */
  idOf?: (item: Item, position: number) => string
  /** The names of further query parameters. */
  filters?: readonly string[]
  /** Returns a function that tests whether an item matches the filters. */
  matching?: (filters: Readonly<Record<string, string>>, items: readonly Item[]) => (item: Item) => boolean
}

/**
 * Creates an endpoint that lists items in pages, newest first.
 *
 * @param items Returns all items, oldest first.
 * @param toRow Formats an item on the page.
 */
function list<Item, Row>(
  summary: string,
  items: (source: Source) => readonly Item[],
  toRow: (item: Item, source: Source) => Row,
  { idOf = (_, position) => String(position), filters = [], matching = () => () => true }: ListOptions<Item> = {},
) {
  const query = { ...paging, ...Object.fromEntries(filters.map((name) => [name, text.optional()])) }
  return view(
    `${summary}, newest first`,
    query as typeof paging,
    'data, nextCursor?',
    (source, { limit = 50, cursor, ...given }): RowPage<Row> => {
      const all = items(source)
      const end = cursor === undefined ? all.length : all.findIndex((item, at) => idOf(item, at) === cursor)
      if (end === -1) {
        throw invalidArguments('cursor is not from this list, or its row was removed: start again without cursor')
      }
      const isListed = matching(given, all)
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

const requestFields =
  'id, at, operation?, method, path, requestHeaders, requestBody, status?, responseBody, durationMs, userAgent?'

/** The GET endpoints of the control API, by path. */
export const views = {
  state: list('Lists the payments', ({ context }) => context.store.payments.rows(), toPaymentRow, {
    filters: ['status', 'orderId', 'search'],
    matching: ({ status, orderId, search = '' }, payments) => {
      const hasFilters = matching({ ...(status !== undefined && { status: status.split(',') }), orderId })
      const isFound = searchIn(payments, search.trim())
      return (record) => hasFilters(record) && isFound(record)
    },
  }),
  'state/sessions': list(
    'Lists the client sessions',
    ({ context }) => context.store.sessions.rows(),
    (record) => ({
      clientToken: record.clientToken,
      expiresAt: new Date(record.expiresAt).toISOString(),
      session: formatSession(record, 'order'),
    }),
  ),
  'state/payment-instruments': list(
    'Lists the saved payment methods',
    ({ context }) => context.store.instruments.rows(),
    ({ instrument }) => instrument,
  ),
  'state/external-payments': list(
    'Lists the external payments',
    ({ context }) => context.store.externalPayments.rows(),
    same,
  ),
  'state/loyalty': list(
    'Lists the balances of loyalty points',
    ({ context }) => context.store.loyaltyBalances.snapshot(),
    ([key, balance], { context }) => {
      const { connectionId, customerId } = ownerOf(key)
      const isOwn = (each: LoyaltyTransaction) => each.connectionId === connectionId && each.customerId === customerId
      return { connectionId, customerId, balance, transactions: context.store.loyaltyTransactions.rows().filter(isOwn) }
    },
  ),
  'state/disputes': list(
    'Lists the disputes',
    ({ context }) => context.store.disputes.rows(),
    (events) => events.at(-1) as DisputeStatusEvent,
  ),
  'state/faults': list(
    'Lists the faults that can still affect requests',
    ({ faults }) => faults.queue,
    ({ id, fault: { body, ...fault }, left }) => ({
      id,
      ...fault,
      ...(body !== undefined && { body: typeof body === 'function' ? '[function]' : body }),
      times: left === Infinity ? 'Infinity' : left,
    }),
    { idOf },
  ),
  'state/subscriptions': list(
    'Lists the webhook subscribers',
    ({ webhooks }) => webhooks.subscriptions,
    ({ to, hash }) => ({ url: to, hash }),
  ),
  'payments/:id': view(
    'Returns a payment with everything that happened to it, oldest first',
    {},
    'payment, history, requests, deliveries, disputes',
    ({ context, log, webhooks }, _, id) => {
      const disputes = context.store.disputes.rows().flat()
      return {
        ...toPaymentRow(context.payments.get(id)),
        requests: log.of(id),
        deliveries: webhooks.deliveriesOf(id).map(toDeliveryRow),
        disputes: disputes
          .filter(({ paymentId }) => paymentId === id)
          .sort((a, b) => Date.parse(a.receivedAt ?? '') - Date.parse(b.receivedAt ?? '')),
      }
    },
  ),
  requests: list('Lists the last 10,000 requests to the service', ({ log }) => log.records, same, { idOf }),
  deliveries: list('Lists the attempts to deliver webhooks', ({ webhooks }) => webhooks.deliveries, toDeliveryRow, {
    idOf,
  }),
  'requests/:id': view('Returns a recorded request', {}, requestFields, ({ log }, _, id) => {
    const found = log.records.find((record) => record.id === id)
    if (!found) throw new ServiceError(404, 'RequestNotFound', 'There is no request with this ID')
    return found
  }),
  'deliveries/:id': view(
    'Returns an attempt to deliver a webhook',
    {},
    'id, at, eventType, headers, body, status?, responseBody?, error?, url',
    ({ webhooks }, _, id) => toDeliveryRow(webhooks.delivery(id)),
  ),
  ledger: view('Returns all changes that the service made, oldest first', {}, 'data', ({ sandbox }) => ({
    data: [...sandbox.ledger],
  })),
  clock: view("Returns the sandbox's time", {}, 'now', ({ sandbox }) => ({
    now: sandbox.clock.now().toISOString(),
  })),
  options: view(
    "Returns the sandbox's options",
    {},
    'seed?, now?, listDelay, idempotency, keyLifetime?, sessionUpdate',
    ({ sandbox }) => sandbox.options,
  ),
  events: view(
    'Streams the changes of the sandbox as server-sent events',
    {},
    '',
    // Returns no data, because the HTTP server streams the events.
    () => ({}),
  ),
}

/**
 * Returns a function that tests whether a payment has the searched ID. If no payment has this ID, the function tests
 * whether the payment's ID, order, customer, status or amount contains the searched text.
 */
function searchIn(payments: readonly PaymentRecord[], search: string): (record: PaymentRecord) => boolean {
  const hasId = ({ payment }: PaymentRecord) => payment.id === search || payment.orderId === search
  if (payments.some(hasId)) return hasId
  return ({ payment: { id, orderId, customerId, customer, status, amount, currencyCode } }) => {
    const sums = [String(amount), money(amount, currencyCode)]
    const texts = [id, orderId, customerId, customer?.emailAddress, status, ...sums]
    return texts.some((text) => text?.toLowerCase().includes(search.toLowerCase()))
  }
}

function toPaymentRow({ payment, apiVersion, history }: PaymentRecord): {
  payment: EventPayment
  history: readonly StatusChange[]
} {
  return { payment: fromOrder(cartOf(apiVersion), payment) as EventPayment, history }
}

function toDeliveryRow({ to, attempt: _, ...delivery }: Delivery): Omit<Delivery, 'to' | 'attempt'> & { url: string } {
  return { ...delivery, url: to }
}
