import { paymentStatuses } from '../../core/helpers/payment-facts.js'
import { views } from '../sandbox/control/views.js'
import { money } from '../sandbox/internal/amount.js'
import { explain } from './diagnosis.js'
import { absolute, duration, pretty, words } from './format.js'
import { actionForm } from './forms.js'
import { type Html, html, type Value } from './html.js'
import { objectIn, outcomeOf } from './outcome.js'
import {
  addressOf,
  back,
  badge,
  card,
  code,
  columns,
  facts,
  heading,
  hint,
  httpStatus,
  type List,
  longTime,
  pre,
  statusBadge,
  table,
  time,
  type Visit,
} from './parts.js'
import { methodOf, paymentPage } from './payment.js'
import type { PaymentDetails, RecordedDelivery, RecordedRequest, RowOf } from './rows.js'

const list = <Row>(list: List<Row>): List<Row> => list

const payments = list<RowOf<'state'>>({
  title: 'Payments',
  endpoint: views.state,
  filters: ['status', 'search'],
  keyOf: ({ payment }) => payment.id,
  columns: [
    {
      title: 'Order',
      kind: 'flexible',
      cell: ({ payment }) => payment.orderId ?? payment.id,
      href: ({ payment }) => addressOf('payments', payment.id),
      under: ({ payment }, visit) => time(payment.date, visit),
    },
    { title: 'Amount', kind: 'num', cell: ({ payment }) => money(payment.amount, payment.currencyCode) },
    { title: 'Status', kind: 'status', cell: ({ payment }) => statusBadge(payment.status) },
    { title: 'Method', kind: 'wide', cell: ({ payment }) => methodOf(payment) },
    { title: 'Customer', kind: 'wide', cell: ({ payment }) => payment.customer?.emailAddress ?? payment.customerId },
    { title: 'Payment', kind: 'wide extra', cell: ({ payment }) => html`<code>${payment.id}</code>` },
    { title: 'Created', kind: 'wide', cell: ({ payment }, visit) => time(payment.date, visit) },
  ],
  empty: ({ origin }) => [
    'No payments yet',
    html`<p>Create a payment with your application, or with this command. Replace the API key with the one that the
sandbox printed:</p>
${pre(`curl ${origin}/payments -H "X-Api-Key: $PAYMENTS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "paymentMethodToken": "tok_card", "orderId": "order-1", "currencyCode": "EUR", "amount": 5000 }'`)}`,
  ],
})

async function paymentsPage(visit: Visit): Promise<Html> {
  const chosen = visit.query.get('status')
  const options = paymentStatuses.map((name) => html`<option ${name === chosen && html`selected`}>${name}</option>`)
  return html`${heading('Payments', html`<a href="${addressOf('payments', 'external')}">External</a>`)}
<search><form class="filters" data-filter><div class="field grow"><label for="search">Search</label>
<input id="search" name="search" type="search" placeholder="Order, payment ID, customer or amount" value="${visit.query.get('search') ?? ''}"></div>
<div class="field"><label for="status">Status</label><select id="status" name="status"><option value="">All</option>${options}</select></div></form></search>
${await table(payments, visit)}`
}

const externalPayments = list<RowOf<'state/external-payments'>>({
  title: 'External payments',
  endpoint: views['state/external-payments'],
  keyOf: ({ paymentId = '' }) => paymentId,
  columns: [
    { title: 'Payment', kind: 'flexible', cell: ({ paymentId }) => paymentId },
    { title: 'Amount', kind: 'num', cell: ({ amount, currencyCode }) => money(amount, currencyCode) },
    { title: 'Status', kind: 'status', cell: ({ status }) => statusBadge(status) },
    { title: 'Order', kind: 'wide', cell: ({ order }) => order?.id },
    { title: 'Processor', kind: 'wide', cell: ({ processor }) => processor?.name },
    { title: 'Created', kind: 'wide', cell: ({ createdAt }, visit) => time(createdAt, visit) },
  ],
  empty: () => [
    'No external payments yet',
    html`<p>Record a payment that was made outside the service: <code>client.observability.payments.create(…)</code>.</p>`,
  ],
})

const requests = list<RecordedRequest>({
  title: 'Requests',
  endpoint: views.requests,
  keyOf: ({ id }) => id,
  columns: [
    {
      title: 'Request',
      kind: 'main',
      cell: ({ method, path }) => `${method} ${path}`,
      href: ({ id }) => addressOf('requests', id),
      under: ({ at }, visit) => time(at, visit),
    },
    { title: 'Response', kind: 'status', cell: ({ status }) => httpStatus(status) },
    { title: 'Outcome', kind: 'wide status', cell: outcomeBadge },
    { title: 'Operation', kind: 'wide extra', cell: ({ operation }) => operation ?? '–' },
    { title: 'Duration', kind: 'wide num time', cell: ({ durationMs }) => duration(durationMs) },
    { title: 'Time', kind: 'wide time', cell: ({ at }, visit) => time(at, visit) },
  ],
  empty: ({ origin }) => [
    'No requests yet',
    html`<p>Set <code>PAYMENTS_BASE_URL=${origin}</code> in your application, and make a call. The request and its
response appear here.</p>`,
  ],
})

function outcomeBadge(request: RecordedRequest): Value {
  const outcome = outcomeOf(request)
  if (!outcome) return '–'
  const tone = { succeeded: 'good', rejected: 'bad', unknown: 'warn', accepted: 'warn' }[outcome.name]
  return badge(outcome.name, tone, outcome.meaning)
}

async function requestPage({ source, id, ...visit }: Visit): Promise<Html> {
  const request = await views['requests/:id'].run(source, {}, id)
  const outcome = outcomeOf(request)
  return html`${back('requests')}${heading(`${request.method} ${request.path}`, httpStatus(request.status))}
${facts([
  ['Operation', request.operation],
  ['Outcome', outcome && `${outcome.name}: ${outcome.meaning}`],
  ['Time', longTime(request.at, { source, id, ...visit })],
  ['Duration', duration(request.durationMs)],
  ['Client', request.userAgent],
])}
<div class="pair">${code('Request body', request.requestBody)}${code('Response body', request.responseBody)}</div>
${code('Request headers', request.requestHeaders)}`
}

const deliveryStatus = ({ status, error }: RecordedDelivery): Html =>
  httpStatus(status, error === undefined ? 'waiting' : 'no response')

const deliveries = list<RecordedDelivery>({
  title: 'Webhooks',
  label: 'Deliveries',
  endpoint: views.deliveries,
  keyOf: ({ id }) => id,
  columns: [
    {
      title: 'Event',
      kind: 'event',
      cell: ({ eventType }) => eventType,
      href: ({ id }) => addressOf('webhooks', id),
      under: ({ at }, visit) => time(at, visit),
    },
    { title: 'Response', kind: 'status', cell: deliveryStatus },
    { title: 'Result', kind: 'wide', cell: (delivery) => explain(delivery).title },
    { title: 'URL', kind: 'wide extra', cell: ({ url }) => url },
    { title: 'Time', kind: 'wide time', cell: ({ at }, visit) => time(at, visit) },
    {
      title: 'Action',
      kind: 'end',
      cell: ({ id }) => actionForm('redeliver', { args: { id }, success: 'Delivered again.' }),
    },
  ],
  empty: () => [
    'No webhooks yet',
    html`<p>Subscribe the URL of your receiver, and create a payment. The sandbox sends a webhook for each change of its
status.</p>`,
  ],
})

function subscriptions({ source }: Visit): Html {
  const urls = source.webhooks.subscriptions.map(({ to }) => to)
  const rows = urls.map(
    (url) => html`<li><span>${url}</span>
${url !== 'function' && actionForm('unsubscribe', { args: { url }, success: 'Unsubscribed.' })}</li>`,
  )
  return card(
    'Subscriptions',
    urls.length === 0 && hint('No URL is subscribed.'),
    html`<ul class="plain">${rows}</ul>`,
    actionForm('subscribe', { success: 'Subscribed. Future events are sent to this URL.' }),
  )
}

const secretHint = `Your receiver needs the secret that the sandbox printed as PAYMENTS_WEBHOOK_SECRET. After a rotation,
the page shows the new secret once, and webhooks are also signed with the old secret for 24 hours.`

async function deliveryPage(visit: Visit): Promise<Html> {
  const { source, id } = visit
  const delivery = await views['deliveries/:id'].run(source, {}, id)
  const { result, title, steps } = explain(delivery)
  const event = objectIn(delivery.body) as { payment?: { id?: string }; paymentId?: string } | undefined
  const payment = event?.payment?.id ?? event?.paymentId
  const secretCheck = card(
    'Signature',
    hint('Enter the secret of your receiver. The sandbox checks whether it signed this webhook with the secret.'),
    actionForm('checkSecret', { args: { id }, success: '{message}' }),
  )
  const redelivered = 'Delivered again. The new delivery is in the list of webhooks.'
  return html`${back('webhooks')}${heading(delivery.eventType, deliveryStatus(delivery))}
<section class="verdict ${result}" aria-label="Result"><p><strong>${title}</strong></p>
${steps.length > 0 && html`<ul>${steps.map((step) => html`<li>${step}</li>`)}</ul>`}</section>
${columns(
  [
    result === 'rejected' && secretCheck,
    code('Response body', delivery.responseBody),
    code('Headers', delivery.headers),
    code('Body', delivery.body),
  ],
  [
    card(
      'Delivery',
      facts([
        ['Response', delivery.status],
        ['Error', delivery.error],
        ['URL', delivery.url],
        ['Sent', longTime(delivery.at, visit)],
        ['Payment', payment && html`<a href="${addressOf('payments', payment)}">${payment}</a>`],
      ]),
      actionForm('redeliver', { args: { id }, success: redelivered }),
    ),
    result !== 'rejected' && secretCheck,
  ],
)}`
}

const sessions = list<RowOf<'state/sessions'>>({
  title: 'Sessions',
  endpoint: views['state/sessions'],
  keyOf: ({ clientToken }) => clientToken,
  columns: [
    {
      title: 'Client token',
      kind: 'main flexible',
      cell: ({ clientToken }) => html`<code>${clientToken}</code>`,
      under: ({ session }) => session.orderId,
    },
    { title: 'Amount', kind: 'num', cell: ({ session }) => money(session.amount, session.currencyCode) },
    { title: 'Order', kind: 'wide', cell: ({ session }) => session.orderId ?? '–' },
    {
      title: 'Customer',
      kind: 'wide',
      cell: ({ session }) => session.customer?.emailAddress ?? session.customerId ?? '–',
    },
    { title: 'Expires', cell: ({ expiresAt }, visit) => time(expiresAt, visit) },
  ],
  empty: () => [
    'No client sessions yet',
    html`<p>Your server creates one for each checkout: <code>client.clientSessions.create(…)</code>.</p>`,
  ],
})

async function checkout({ source }: Visit): Promise<Html> {
  const { data } = await views['state/sessions'].run(source, { limit: 20 }, '')
  const clientToken = { anyOf: [{ enum: data.map(({ clientToken }) => clientToken) }] }
  const success = 'Create one payment with this paymentMethodToken: {paymentMethodToken}'
  return card('Checkout', actionForm('tokenize', { fields: { clientToken, scenario: {} }, success }))
}

type Instrument = RowOf<'state/payment-instruments'>

const savedMethods = list<Instrument>({
  title: 'Saved methods',
  endpoint: views['state/payment-instruments'],
  keyOf: ({ token }) => token,
  columns: [
    {
      title: 'Method',
      kind: 'main',
      cell: (instrument) => [methodOf({ paymentMethod: instrument as never }), ' ', instrumentState(instrument)],
      under: ({ customerId }) => customerId,
    },
    { title: 'Customer', kind: 'wide', cell: ({ customerId }) => customerId },
    { title: 'Token', cell: ({ token }) => html`<code>${token}</code>` },
    { title: 'Saved', kind: 'wide', cell: ({ createdAt }, visit) => time(createdAt, visit) },
  ],
  empty: () => [
    'No saved payment methods yet',
    html`<p>Create a payment with <code>paymentMethod: { vaultOnSuccess: true }</code> and a customerId, or call
<code>client.paymentInstruments.vault(…)</code>.</p>`,
  ],
})

function instrumentState(instrument: Instrument): Value {
  if (instrument.deleted) return badge('deleted', 'bad')
  return [instrument.default && badge('default', 'info'), instrument.isVerified && badge('verified', 'good')]
}

const balances = list<RowOf<'state/loyalty'>>({
  title: 'Loyalty',
  label: 'Balances',
  endpoint: views['state/loyalty'],
  keyOf: ({ connectionId, customerId }) => JSON.stringify([connectionId, customerId]),
  columns: [
    { title: 'Customer', kind: 'main', cell: ({ customerId }) => customerId },
    { title: 'Connection', cell: ({ connectionId }) => connectionId },
    {
      title: 'Transactions',
      kind: 'wide',
      cell: ({ transactions }) =>
        transactions.map(({ type = '', value = 0 }) => `${words(type)} of ${value.toLocaleString('en')}`).join(', ') ||
        '–',
    },
    { title: 'Points', kind: 'num', cell: ({ balance }) => balance.toLocaleString('en') },
  ],
  empty: () => [
    'No loyalty customers yet',
    html`<p>Set the balance of a customer. Your server can then redeem and refund points.</p>`,
  ],
})

type Fault = RowOf<'state/faults'>

const faults = list<Fault>({
  title: 'Faults',
  endpoint: views['state/faults'],
  keyOf: ({ id }) => id,
  columns: [
    { title: 'Operation', kind: 'main', cell: ({ operation }) => operation ?? 'Any operation' },
    { title: 'Left', kind: 'num', cell: ({ times }) => String(times) },
    { title: 'Fault', cell: describeFault },
  ],
  empty: () => [
    'No faults are queued',
    html`<p>Add a fault to test how your application handles errors, delays and lost responses.</p>`,
  ],
})

const compact = (value: unknown) => pretty(value).replace(/\s+/g, ' ')

/**
 * Descriptions of the fault fields that the other columns do not show. A fault field without a description is a compile
 * error.
 */
const descriptions: {
  readonly [Name in Exclude<keyof Fault, 'id' | 'operation' | 'times' | 'at'>]-?: (value: Fault[Name]) => string
} = {
  status: (status) => `responds ${status}`,
  delay: (delay) => `waits ${delay} ms`,
  effectDelay: (delay) => `takes effect after ${typeof delay === 'number' ? `${delay} ms` : delay}`,
  hang: () => 'never responds',
  reset: () => 'resets the connection',
  headers: (headers) => `headers: ${compact(headers)}`,
  body: (body) => `body: ${compact(body)}`,
}

function describeFault({ at = 'before', ...fault }: Fault): string {
  const found = Object.entries(descriptions).map(([name, describe]: [string, (value: never) => string]) => {
    const value = Reflect.get(fault, name)
    return value === undefined || value === false ? [] : describe(value as never)
  })
  return `${at}: ${found.flat().join(', ')}`
}

function clockPage({ now }: Visit): Html {
  return html`${heading('Clock')}<div class="cards">
${card(
  'Time',
  html`<p class="big"><time datetime="${new Date(now).toISOString()}">${absolute(now)}</time></p>`,
  hint(`When the clock advances, all tasks that become due run in order: the sandbox retries webhooks, expires client
tokens, and adds new payments to the lists.`),
  actionForm('advanceClock', { success: 'The clock is at {now}.' }),
)}
${card(
  'Options',
  hint('Empty fields keep their values. Reset restores the options with which the sandbox started.'),
  actionForm('setOptions', { success: 'The options were changed.' }),
)}
${card(
  'State',
  hint(`A snapshot contains payments, sessions, saved methods, balances, disputes and webhooks. It does not contain API
keys or signing secrets.`),
  actionForm('snapshot', { success: 'The field below has the snapshot. Restore returns to this state.' }),
  actionForm('restore', { success: 'The snapshot was restored.' }),
)}</div>`
}

/** A list with its heading, and the forms beside and below it. */
function listPage<Row>(list: List<Row>, aside?: (visit: Visit) => Value | Promise<Value>, below?: () => Value) {
  return async (visit: Visit): Promise<Html> => {
    const rows = [await table(list, visit), below?.()]
    return html`${heading(list.title)}${aside ? columns(rows, await aside(visit)) : rows}`
  }
}

type Page = (visit: Visit) => Html | Promise<Html>

/** The pages of a section: the list, and the details of a row. */
interface Section {
  readonly title: string
  readonly list: Page
  readonly details?: Page
}

/** The sections, by the first part of their path. */
export const sections: Readonly<Record<string, Section>> = {
  payments: {
    title: 'Payments',
    list: paymentsPage,
    details: async (visit) =>
      visit.id === 'external'
        ? html`${back('payments')}${heading(externalPayments.title)}${await table(externalPayments, visit)}`
        : paymentPage(visit),
  },
  requests: {
    title: 'Requests',
    list: listPage(requests, () =>
      card(
        'API keys',
        actionForm('createApiKey', { success: 'Copy the key now: {apiKey}' }),
        actionForm('revokeApiKey', { success: 'The key was revoked.' }),
      ),
    ),
    details: requestPage,
  },
  webhooks: {
    title: 'Webhooks',
    list: listPage(deliveries, (visit) => [
      subscriptions(visit),
      card(
        'Signing secret',
        hint(secretHint),
        actionForm('rotateSecret', { success: 'Set PAYMENTS_WEBHOOK_SECRET of your receiver to {secret}' }),
      ),
    ]),
    details: deliveryPage,
  },
  sessions: { title: 'Sessions', list: listPage(sessions, checkout) },
  'saved-methods': { title: 'Saved methods', list: listPage(savedMethods) },
  loyalty: {
    title: 'Loyalty',
    list: listPage(balances, () => card('Balance', actionForm('setBalance', { success: 'The balance was set.' }))),
  },
  faults: {
    title: 'Faults',
    list: listPage(
      faults,
      () =>
        card(
          'New fault',
          actionForm('addFault', { success: 'The fault was added. It affects the next matching request.' }),
        ),
      () => actionForm('clearFaults', { success: 'All faults were cleared.' }),
    ),
  },
  clock: { title: 'Clock', list: clockPage },
}
