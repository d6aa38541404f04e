import * as z from 'zod/mini'
import { cartOf } from '../../../core/contract/version.js'
import { isObject } from '../../../core/internal/objects.js'
import type { ClientSession } from '../../../core/schemas/client-session.js'
import type { DisputeStatusEvent } from '../../../core/schemas/event.js'
import type { ExternalPayment } from '../../../core/schemas/external-payment.js'
import type { LoyaltyTransaction } from '../../../core/schemas/loyalty.js'
import type { EventPayment } from '../../../core/schemas/payment.js'
import type { PaymentInstrument } from '../../../core/schemas/payment-instrument.js'
import { fromOrder } from '../domain/fields.js'
import { formatSession } from '../domain/sessions.js'
import { money } from '../internal/amount.js'
import { ServiceError } from '../internal/exchange.js'
import { optional, optionShape, type SandboxSettings } from '../internal/options.js'
import {
  type AnyShape,
  anyObject,
  custom,
  dateTime,
  dateTimeJson,
  hint,
  integer,
  rowOf,
  type Schema,
  text,
  type Values,
} from '../internal/schema.js'
import { faultShape } from '../service/faults.js'
import { requestRow } from '../service/request-log.js'
import { matching } from '../store/payments.js'
import { type Delivery, deliveryShape, type PaymentRecord, type StoredPayment, statusChange } from '../store/records.js'
import { effect, ownerOf } from '../store/store.js'
import type { Endpoint, Source } from './endpoint.js'
import { invalidArguments } from './error.js'

const string = z.string()

/** The schema of an object from the service's API. The control API does not describe the object's fields. */
const resource = <T extends object>(description: string) => anyObject<T>({ description, additionalProperties: true })

export const faultBody = custom<string | object>(
  (value) => typeof value === 'string' || isObject(value),
  'must be a string or an object',
  { type: ['string', 'object'] },
)

const paymentRow = z.object({
  payment: resource<EventPayment>(
    'The payment, as the service returns it in the API version of the request that created it.',
  ),
  history: z.array(statusChange),
})

const { to: _to, attempt: _attempt, ...deliveryFields } = deliveryShape

const deliveryRow = z.object({
  ...deliveryFields,
  url: hint(string, 'The URL of the subscriber, or `function`.'),
})

const paymentDetails = z.extend(paymentRow, {
  requests: z.array(requestRow),
  deliveries: z.array(deliveryRow),
  disputes: z.array(resource<DisputeStatusEvent>('A DISPUTE.STATUS event. A dispute has one for each change.')),
})

const sessionRow = z.object({
  clientToken: string,
  expiresAt: dateTime,
  session: resource<ClientSession>('The session, as the service returns it in API version `2021-09-27`.'),
})

const loyaltyRow = z.object({
  connectionId: string,
  customerId: string,
  balance: z.int(),
  transactions: z.array(resource<LoyaltyTransaction>('The redemption or refund.')),
})

const faultRow = z.object({
  ...optional(faultShape),
  id: string,
  times: hint(z.union([z.int(), z.literal('Infinity')]), 'The number of requests that the fault will still affect.'),
  body: z.optional(hint(faultBody, 'The body, or `[function]`.')),
})

const subscriptionRow = z.object({ url: hint(string, 'The URL, or `function`.'), hash: string })

export function view<Query extends AnyShape, Response>(
  name: string,
  summary: string,
  query: Query,
  response: Schema<Response>,
  respond: Endpoint<Query, Response>['run'],
): Endpoint<Query, Response> {
  return { name, summary, input: query, output: response, run: respond }
}

const defaultLimit = 50

const paging = optional({ limit: integer(1, 100).check(z.meta({ default: defaultLimit })), cursor: text })

/** A page of a list. */
export interface RowPage<Row> {
  readonly data: Row[]
  readonly nextCursor?: string
}

interface ListOptions<Item, Filters extends AnyShape> {
  /**
   * Returns an item's id, for use as a cursor. By default, the cursor is the item's position. Ids that may contain a
   * card number cannot be cursors, because responses mask card numbers.
   */
  idOf?: (item: Item, position: number) => string
  filters?: Filters
  /** Returns a function that tests whether an item matches the filters. */
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
    paymentRow,
    ({ context }) => context.store.payments.rows(),
    toPaymentRow,
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
    sessionRow,
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
    loyaltyRow,
    ({ context }) => context.store.loyaltyBalances.snapshot(),
    ([key, balance], { context }) => {
      const { connectionId, customerId } = ownerOf(key)
      const isOwn = (each: LoyaltyTransaction) => each.connectionId === connectionId && each.customerId === customerId
      return { connectionId, customerId, balance, transactions: context.store.loyaltyTransactions.rows().filter(isOwn) }
    },
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
    faultRow,
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
    'listSubscriptions',
    'Lists the webhook subscribers',
    subscriptionRow,
    ({ webhooks }) => webhooks.subscriptions,
    ({ to, hash }) => ({ url: to, hash }),
  ),
  'payments/:id': view(
    'getPayment',
    'Returns a payment with everything that happened to it, oldest first',
    {},
    paymentDetails,
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
  requests: list(
    'listRequests',
    'Lists the last 10,000 requests to the service',
    requestRow,
    ({ log }) => log.records,
    same,
    { idOf },
  ),
  deliveries: list(
    'listDeliveries',
    'Lists the attempts to deliver webhooks',
    deliveryRow,
    ({ webhooks }) => webhooks.deliveries,
    toDeliveryRow,
    { idOf },
  ),
  'requests/:id': view('getRequest', 'Returns a recorded request', {}, requestRow, ({ log }, _, id) => {
    const found = log.records.find((record) => record.id === id)
    if (!found) throw new ServiceError(404, 'RequestNotFound', 'There is no request with this id')
    return found
  }),
  'deliveries/:id': view(
    'getDelivery',
    'Returns an attempt to deliver a webhook',
    {},
    deliveryRow,
    ({ webhooks }, _, id) => toDeliveryRow(webhooks.delivery(id)),
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
    hint(string, 'The header Last-Event-ID resumes the stream after that event.'),
    // The HTTP server streams the events, so this function returns only an empty string.
    () => '',
  ),
}

/**
 * Returns a function that tests whether a payment has the searched id. If no payment has this id, the function tests
 * whether the payment's fields contain the searched text.
 */
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

function toPaymentRow({ payment, apiVersion, history }: PaymentRecord): z.output<typeof paymentRow> {
  return { payment: fromOrder(cartOf(apiVersion), payment) as EventPayment, history }
}

function toDeliveryRow({ to, attempt: _, ...delivery }: Delivery): z.output<typeof deliveryRow> {
  return { ...delivery, url: to }
}
