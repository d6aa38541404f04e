import * as z from 'zod/mini'
import { cartOf } from '../../contract/version.js'
import type { ClientSession } from '../../schemas/client-session.js'
import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import type { EventPayment } from '../../schemas/payment.js'
import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import type { Sandbox } from '../api.js'
import { type DisputeFields, tokenizeShape } from '../controls.js'
import type { Context } from '../domain/context.js'
import { fromOrder } from '../domain/fields.js'
import { formatSession } from '../domain/sessions.js'
import { money } from '../internal/amount.js'
import { isTime } from '../internal/clock.js'
import { duration, optional, optionShape, type SandboxSettings } from '../internal/options.js'
import { type AnyShape, custom, integer, oneOf, type Schema, text, type Values } from '../internal/schema.js'
import { isWebAddress } from '../internal/web-address.js'
import { scopeList } from '../service/api-keys.js'
import { type Fault, type FaultQueue, faultShape } from '../service/faults.js'
import type { RequestLog, RequestRecord } from '../service/request-log.js'
import { matching, type PaymentTable } from '../store/payments.js'
import { type Delivery, type PaymentRecord, type StatusChange, type StoredPayment, statuses } from '../store/records.js'
import { type Effect, ownerOf, type SandboxSnapshot, type Store } from '../store/store.js'
import type { WebhookSender } from '../webhooks/webhooks.js'
import { ControlError, invalidArguments } from './error.js'

/** The sandbox, and the parts of its state that its public object does not show. */
export interface Source {
  readonly sandbox: Sandbox
  readonly context: Context
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly webhooks: WebhookSender
}

/** A change that `POST actions/:name` makes. */
export interface Action<Arguments extends AnyShape = AnyShape, Result extends AnyShape = AnyShape> {
  readonly summary: string
  readonly arguments: Arguments
  readonly result: Result
  readonly maxBytes: number
  /** Whether the result is a new API key or signing secret, which must not be masked. */
  readonly createsSecret: boolean
  run(source: Source, args: Values<Arguments>): Values<Result> | Promise<Values<Result>>
}

const maxBytes = 1024 * 1024

const maxSnapshotBytes = 256 * maxBytes

function action<Arguments extends AnyShape, Result extends AnyShape>(
  summary: string,
  args: Arguments,
  result: Result,
  run: Action<Arguments, Result>['run'],
): Action<Arguments, Result> {
  return { summary, arguments: args, result, run, maxBytes, createsSecret: false }
}

/** An action without a result. */
function change<Arguments extends AnyShape>(
  summary: string,
  args: Arguments,
  run: (source: Source, args: Values<Arguments>) => void | Promise<void>,
) {
  return action(summary, args, {}, async (source, args) => {
    await run(source, args)
    return {}
  })
}

const string = z.string()
const dateTimeJson = { type: 'string', format: 'date-time' }
const dateTime = string.check(z.meta(dateTimeJson))
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const object = <T extends object>() => custom<T>(isObject, 'must be an object', { type: 'object' })
const hint = <T>(schema: Schema<T>, description: string): Schema<T> => schema.check(z.describe(description))
const url = custom<string>(
  (value) => typeof value === 'string' && isWebAddress(value),
  'must be an http or https URL without credentials',
  { type: 'string', format: 'uri', examples: ['http://localhost:3000/webhooks'] },
)
const faultBody = custom<string | object>(
  (value) => typeof value === 'string' || isObject(value),
  'must be a string or an object',
  { type: ['string', 'object'] },
)
const faultTimes = 'must be an integer of at least 1, or Infinity'
const now = custom<string>(
  (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  'must be a date and time in ISO 8601',
  dateTimeJson,
).check(z.refine((value) => isTime(Date.parse(value)), 'must be in the years 1 to 9999'))

const paymentId = text

/** The actions of the control API. The inspector's forms and the documentation come from this declaration. */
export const actions = {
  settle: change(
    'Settles a payment. Captures an authorized payment in full first',
    { paymentId },
    ({ sandbox }, { paymentId }) => sandbox.processor.settle(paymentId),
  ),
  authorize: change('Authorizes a pending payment', { paymentId }, ({ sandbox }, { paymentId }) =>
    sandbox.processor.authorize(paymentId),
  ),
  decline: change('Declines a pending payment', { paymentId }, ({ sandbox }, { paymentId }) =>
    sandbox.processor.decline(paymentId),
  ),
  fail: change('Fails a payment whose status is not final', { paymentId }, ({ sandbox }, { paymentId }) =>
    sandbox.processor.fail(paymentId),
  ),
  completeAction: action(
    'Completes the action that a payment requires from the customer, for example 3-D Secure',
    { paymentId },
    { resumeToken: string },
    ({ sandbox }, { paymentId }) => ({ resumeToken: sandbox.completeAction(paymentId) }),
  ),
  finishRefund: change(
    'Sets the oldest pending refund of a payment to a final status',
    { paymentId, status: oneOf('SETTLED', 'FAILED') },
    ({ sandbox }, { paymentId, status }) => sandbox.processor.finishRefund(paymentId, status),
  ),
  openDispute: action(
    'Opens a dispute. `fields` are fields of its DISPUTE.STATUS event',
    { paymentId, fields: z.optional(object<DisputeFields>()) },
    { disputeId: string },
    ({ sandbox }, { paymentId, fields }) => ({ disputeId: sandbox.disputes.open(paymentId, fields) }),
  ),
  moveDispute: change(
    'Changes the status of a dispute, and other fields of its event',
    {
      disputeId: text,
      status: text.check(z.meta({ examples: ['CHALLENGED', 'ACCEPTED', 'WON', 'LOST', 'CANCELLED', 'OPEN'] })),
      fields: z.optional(object<DisputeFields>()),
    },
    ({ sandbox }, { disputeId, status, fields }) => sandbox.disputes.move(disputeId, status, fields),
  ),
  rotateSecret: {
    ...action(
      'Creates a new signing secret. For 24 hours, webhooks are also signed with the old secret',
      {},
      { secret: string },
      ({ sandbox }) => ({ secret: sandbox.webhooks.rotateSecret() }),
    ),
    createsSecret: true,
  },
  advanceClock: action(
    "Moves the sandbox's clock forward, and runs all tasks that become due",
    { by: hint(duration('24h'), 'Milliseconds, or a number with ms, s, m, h or d') },
    { now: dateTime },
    async ({ sandbox }, { by }) => {
      await sandbox.clock.advance(by)
      return { now: sandbox.clock.now().toISOString() }
    },
  ),
  setOptions: change(
    'Changes options of the sandbox. `reset` restores the first options',
    optional({ ...optionShape, now: hint(now, 'Stops the clock at this time') }),
    ({ sandbox }, { now, ...others }) =>
      sandbox.setOptions({ ...others, ...(now !== undefined && { now: new Date(now) }) }),
  ),
  addFault: change(
    'Adds a fault, which affects the next matching requests',
    optional({
      ...faultShape,
      times: hint(
        z.union([z.int(faultTimes).check(z.gte(1, faultTimes)), z.literal('Infinity')], faultTimes),
        'Number of affected requests. Infinity lasts until clearFaults',
      ).check(z.meta({ default: 1 })),
      at: hint(faultShape.at, 'before or after the operation takes effect, or a number of response bytes').check(
        z.meta({ default: 'before' }),
      ),
      headers: hint(faultShape.headers, 'A JSON object').check(z.meta({ examples: [{ 'retry-after': '1' }] })),
      body: hint(faultBody, 'A JSON object, or any text, such as incomplete JSON'),
      delay: hint(faultShape.delay, 'Milliseconds of real time'),
      hang: hint(faultShape.hang, 'Never responds'),
      reset: hint(faultShape.reset, 'Resets the connection'),
    }),
    ({ sandbox }, { times, ...others }) => sandbox.faults.add({ ...others, ...timesOf(times) }),
  ),
  clearFaults: change('Removes all faults', {}, ({ sandbox }) => sandbox.faults.clear()),
  redeliver: change('Sends the webhook of a delivery again', { id: text }, ({ sandbox }, { id }) =>
    sandbox.webhooks.redeliver(id),
  ),
  checkSecret: action(
    'Checks whether a webhook was signed with a secret, and otherwise names the probable mistake',
    { id: text, secret: text.check(z.meta({ format: 'password' })) },
    { verified: z.boolean(), code: string, message: string },
    ({ webhooks }, { id, secret }) => webhooks.diagnose(id, secret),
  ),
  setBalance: change(
    'Sets the loyalty points of a customer',
    { connectionId: text, customerId: text, points: integer(Number.MIN_SAFE_INTEGER) },
    ({ sandbox }, { connectionId, customerId, points }) => sandbox.loyalty.setBalance(connectionId, customerId, points),
  ),
  createApiKey: {
    ...action(
      'Creates an API key that has only the given scopes',
      { scopes: hint(scopeList, 'One or more, separated by spaces or commas') },
      { apiKey: string },
      ({ sandbox }, { scopes }) => ({ apiKey: sandbox.createApiKey({ scopes }) }),
    ),
    createsSecret: true,
  },
  revokeApiKey: change('Revokes an API key', { apiKey: text }, ({ sandbox }, { apiKey }) =>
    sandbox.revokeApiKey(apiKey),
  ),
  tokenize: action(
    'Creates a single-use payment method token, as the checkout does',
    optional({
      clientToken: hint(text, 'Payments take omitted fields from this session'),
      scenario: tokenizeShape.scenario.check(z.meta({ default: 'card' })),
    }),
    { paymentMethodToken: string },
    ({ sandbox }, options) => ({ paymentMethodToken: sandbox.tokenize(options) }),
  ),
  subscribe: change('Sends all future webhooks to a URL', { url }, ({ webhooks }, { url }) => {
    if (!webhooks.subscriptions.some(({ to }) => to === url)) webhooks.subscribe(url)
  }),
  unsubscribe: change('Stops sending webhooks to a URL', { url }, ({ webhooks }, { url }) => webhooks.unsubscribe(url)),
  reset: change('Resets state, ledger, requests, deliveries, faults, time and options', {}, ({ sandbox }) =>
    sandbox.reset(),
  ),
  snapshot: action(
    'Returns the state as JSON, without API keys and signing secrets',
    {},
    { snapshot: object<SandboxSnapshot>() },
    ({ sandbox }) => ({ snapshot: sandbox.snapshot() }),
  ),
  restore: {
    ...change('Restores a snapshot', { snapshot: object<SandboxSnapshot>() }, ({ sandbox }, { snapshot }) =>
      sandbox.restore(snapshot),
    ),
    maxBytes: maxSnapshotBytes,
  },
}

function timesOf(times: number | 'Infinity' | undefined) {
  return times === undefined ? {} : { times: times === 'Infinity' ? Infinity : times }
}

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

/** A schema for every field of `T`, including the optional ones. A missing field is a compile error. */
type RowShape<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name]
    ? z.ZodMiniOptional<Schema<Exclude<T[Name], undefined>>>
    : Schema<T[Name]>
}

const rowOf = <T extends object>(shape: RowShape<T>) => z.object(shape) as unknown as Schema<T>

const defaultLimit = 50

const paging = optional({ limit: integer(1, 100).check(z.meta({ default: defaultLimit })), cursor: text })

/** A page of a list. */
export interface Page<Row> {
  readonly data: Row[]
  readonly nextCursor?: string
}

const pageOf = <Row>(row: Schema<Row>) => rowOf<Page<Row>>({ data: z.array(row), nextCursor: z.optional(string) })

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

function toPage<Row>(data: Row[], nextCursor: string | undefined): Page<Row> {
  return { data, ...(nextCursor !== undefined && { nextCursor }) }
}

function invalidCursor() {
  return invalidArguments('cursor is not from this list, or its row was removed: start again without cursor')
}

const resource = <T extends object>(description: string) =>
  custom<T>(isObject, 'must be an object', { type: 'object', description, additionalProperties: true })
const stringMap = z.record(string, string)

/** A payment in the control API. */
export interface PaymentRow {
  readonly payment: EventPayment
  readonly history: readonly StatusChange[]
}

/** A payment with everything that happened to it. */
export interface PaymentDetails extends PaymentRow {
  readonly requests: readonly RequestRecord[]
  readonly deliveries: readonly DeliveryRow[]
  /** Every event of the payment's disputes, oldest first. */
  readonly disputes: readonly DisputeStatusEvent[]
}

/** A delivery in the control API. */
export interface DeliveryRow extends Omit<Delivery, 'to' | 'attempt'> {
  /** The URL of the subscriber, or `function`. */
  readonly url: string
}

export interface SessionRow {
  readonly clientToken: string
  readonly expiresAt: string
  readonly session: ClientSession
}

export interface LoyaltyRow {
  readonly connectionId: string
  readonly customerId: string
  readonly balance: number
  readonly transactions: readonly LoyaltyTransaction[]
}

/** A fault in the control API. `times` is the number of requests that it will still affect. */
export interface FaultRow extends Omit<Fault, 'times' | 'body'> {
  readonly id: string
  readonly times: number | 'Infinity'
  readonly body?: string | object
}

export interface SubscriptionRow {
  readonly url: string
  readonly hash: string
}

const paymentFields: RowShape<PaymentRow> = {
  payment: resource('The payment, as the service returns it in the API version of the request that created it.'),
  history: z.array(rowOf<StatusChange>({ status: z.enum(statuses), at: dateTime })),
}
const request = rowOf<RequestRecord>({
  id: string,
  at: dateTime,
  operation: z.optional(hint(faultShape.operation, 'Absent if the service has no such endpoint.')),
  method: string,
  path: string,
  requestHeaders: stringMap,
  requestBody: string,
  status: z.optional(hint(z.int(), 'Absent if a fault prevented the response.')),
  responseBody: string,
  durationMs: z.number(),
  userAgent: z.optional(string),
})
const delivery = rowOf<DeliveryRow>({
  id: string,
  at: dateTime,
  eventType: string,
  url: hint(string, 'The URL of the subscriber, or `function`.'),
  headers: stringMap,
  body: string,
  status: z.optional(z.int()),
  responseBody: z.optional(string),
  error: z.optional(string),
})
const timesLeft = z.union([z.int(), z.literal('Infinity')])

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
): Page<PaymentRow> {
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

function paymentRow(record: PaymentRecord): PaymentRow {
  const { payment, apiVersion, history = [] } = record
  return { payment: fromOrder(cartOf(apiVersion), payment) as EventPayment, history }
}

function deliveryRow({ to, attempt: _, ...delivery }: Delivery): DeliveryRow {
  return { ...delivery, url: to }
}

function faultRow({ id, fault, left }: FaultQueue['queue'][number]): FaultRow {
  const { times: _, body, ...others } = fault
  const shownBody = typeof body === 'function' ? '[function]' : body
  return {
    id,
    ...others,
    ...(shownBody !== undefined && { body: shownBody }),
    times: left === Infinity ? 'Infinity' : left,
  }
}

function loyaltyRow(key: string, balance: number, { loyaltyTransactions }: Store): LoyaltyRow {
  const [connectionId, customerId] = ownerOf(key)
  const isOwn = (each: LoyaltyTransaction) => each.connectionId === connectionId && each.customerId === customerId
  return { connectionId, customerId, balance, transactions: loyaltyTransactions.rows().filter(isOwn) }
}

function disputesOf(paymentId: string, { disputes }: Store): DisputeStatusEvent[] {
  const own = disputes.rows().flatMap((events) => events.filter((event) => event.paymentId === paymentId))
  return own.sort((a, b) => Date.parse(a.receivedAt ?? '') - Date.parse(b.receivedAt ?? ''))
}
