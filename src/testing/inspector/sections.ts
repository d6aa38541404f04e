import { paymentStatuses } from '../../core/helpers/payment-facts.js'
import { views } from '../sandbox/control/views.js'
import { money } from '../sandbox/internal/amount.js'
import { explain } from './diagnosis.js'
import { absolute, duration, pretty, words } from './format.js'
import { actionForm } from './forms.js'
import { type Html, html, type Value } from './html.js'
import { objectIn, outcomeOf } from './outcome.js'
import type { List, Visit } from './parts.js'
import * as ui from './parts.js'
import { deliveryStatus, methodOf, paymentPage } from './payment.js'
import type { RecordedDelivery, RecordedRequest, RowOf } from './rows.js'

const payments: List<RowOf<'state'>> = {
  title: 'Payments',
  endpoint: views.state,
  filters: ['status', 'search'],
  keyOf: ({ payment }) => payment.id,
  columns: [
    [
      'Order',
      'flexible',
      ({ payment: { id, orderId = id, date } }, visit) => ui.main('payments', id, orderId, date, visit),
    ],
    ['Amount', 'num', ({ payment }) => money(payment.amount, payment.currencyCode)],
    ['Status', 'short', ({ payment }) => ui.statusBadge(payment.status)],
    ['Method', 'wide', ({ payment }) => methodOf(payment)],
    ['Customer', 'wide', ({ payment }) => payment.customer?.emailAddress ?? payment.customerId],
    ['Payment', 'wide', ({ payment }) => html`<code>${payment.id}</code>`],
    ['Created', 'wide', ({ payment }, visit) => ui.time(payment.date, visit)],
  ],
  empty: ({ origin }) => html`<p><strong>No payments yet</strong></p>
<p>Create a payment with your application, or with this command. Replace the API key with the one that the
sandbox printed:</p>
${ui.pre(`curl ${origin}/payments -H "X-Api-Key: $PAYMENTS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "paymentMethodToken": "tok_card", "orderId": "order-1", "currencyCode": "EUR", "amount": 5000 }'`)}`,
}

async function paymentsPage(visit: Visit): Promise<Html> {
  const chosen = visit.query.get('status')
  const options = paymentStatuses.map((name) => html`<option ${name === chosen && html`selected`}>${name}</option>`)
  const search = visit.query.get('search') ?? ''
  return html`${ui.heading('Payments', html`<a href="${ui.addressOf('payments', 'external')}">External</a>`)}
<search><form class="filters" id="filters">
<div class="field"><label for="search">Search</label>
<input id="search" name="search" type="search" placeholder="Order, payment ID, customer or amount" value="${search}"></div>
<div class="field"><label for="status">Status</label>
<select id="status" name="status"><option value="">All</option>${options}</select></div></form></search>
${await ui.table(payments, visit)}`
}

const externalPayments: List<RowOf<'state/external-payments'>> = {
  title: 'External payments',
  endpoint: views['state/external-payments'],
  keyOf: ({ paymentId = '' }) => paymentId,
  columns: [
    ['Payment', 'flexible', ({ paymentId }) => paymentId],
    ['Amount', 'num', ({ amount, currencyCode }) => money(amount, currencyCode)],
    ['Status', 'short', ({ status }) => ui.statusBadge(status)],
    ['Order', 'wide', ({ order }) => order?.id],
    ['Processor', 'wide', ({ processor }) => processor?.name],
    ['Created', 'wide', ({ createdAt }, visit) => ui.time(createdAt, visit)],
  ],
  empty: () => html`<p><strong>No external payments yet</strong></p>
<p>Record a payment that was made outside the service:
<code>client.observability.payments.create(…)</code>.</p>`,
}

const externalPage = async (visit: Visit): Promise<Html> =>
  html`${ui.back('payments')}${ui.heading(externalPayments.title)}${await ui.table(externalPayments, visit)}`

const requests: List<RecordedRequest> = {
  title: 'Requests',
  endpoint: views.requests,
  keyOf: ({ id }) => id,
  columns: [
    ['Request', 'main', ({ id, at, method, path }, visit) => ui.main('requests', id, `${method} ${path}`, at, visit)],
    ['Response', 'short', ({ status }) => ui.httpStatus(status)],
    ['Outcome', 'wide short', outcomeBadge],
    ['Operation', 'wide', ({ operation }) => operation ?? '–'],
    ['Duration', 'wide num', ({ durationMs }) => duration(durationMs)],
    ['Time', 'wide short', ({ at }, visit) => ui.time(at, visit)],
  ],
  empty: ({ origin }) => html`<p><strong>No requests yet</strong></p>
<p>Set <code>PAYMENTS_BASE_URL=${origin}</code> in your application, and make a call. The request and its
response appear here.</p>`,
}

function outcomeBadge(request: RecordedRequest): Value {
  const outcome = outcomeOf(request)
  if (!outcome) return '–'
  const tone = { succeeded: 'good', rejected: 'bad', unknown: 'warn', accepted: 'warn' }[outcome.name]
  return ui.badge(outcome.name, tone, outcome.meaning)
}

async function requestPage(visit: Visit): Promise<Html> {
  const request = await views['requests/:id'].run(visit.source, {}, visit.id)
  const outcome = outcomeOf(request)
  return html`${ui.back('requests')}${ui.heading(`${request.method} ${request.path}`, ui.httpStatus(request.status))}
${ui.facts([
  ['Operation', request.operation],
  ['Outcome', outcome && `${outcome.name}: ${outcome.meaning}`],
  ['Time', ui.longTime(request.at, visit)],
  ['Duration', duration(request.durationMs)],
  ['Client', request.userAgent],
])}
<div class="cards">${ui.code('Request body', request.requestBody)}${ui.code('Response body', request.responseBody)}</div>
${ui.code('Request headers', request.requestHeaders)}`
}

const deliveries: List<RecordedDelivery> = {
  title: 'Webhooks',
  label: 'Deliveries',
  endpoint: views.deliveries,
  keyOf: ({ id }) => id,
  columns: [
    ['Event', 'main', ({ id, at, eventType }, visit) => ui.main('webhooks', id, eventType, at, visit)],
    ['Response', 'short', deliveryStatus],
    ['Result', 'wide', (delivery) => explain(delivery).title],
    ['URL', 'wide', ({ url }) => url],
    ['Time', 'wide short', ({ at }, visit) => ui.time(at, visit)],
    ['Action', 'short', ({ id }) => actionForm('redeliver', { args: { id }, success: 'Delivered again.' })],
  ],
  empty: () => html`<p><strong>No webhooks yet</strong></p>
<p>Subscribe the URL of your receiver, and create a payment. The sandbox sends a webhook for each change of its
status.</p>`,
}

function webhookForms({ source }: Visit): Html {
  const urls = source.webhooks.subscriptions.map(({ to }) => to)
  const rows = urls.map(
    (url) => html`<li><span>${url}</span>
${url !== 'function' && actionForm('unsubscribe', { args: { url }, success: 'Unsubscribed.' })}</li>`,
  )
  return html`${ui.card(
    'Subscriptions',
    urls.length === 0 && ui.hint('No URL is subscribed.'),
    html`<ul class="plain">${rows}</ul>`,
    actionForm('subscribe', { success: 'Subscribed. Future events are sent to this URL.' }),
  )}${ui.card(
    'Signing secret',
    ui.hint(`Your receiver needs the secret that the sandbox printed as PAYMENTS_WEBHOOK_SECRET. After a rotation, the page
shows the new secret once, and webhooks are also signed with the old secret for 24 hours.`),
    actionForm('rotateSecret', { success: 'Set PAYMENTS_WEBHOOK_SECRET of your receiver to {secret}' }),
  )}`
}

async function deliveryPage(visit: Visit): Promise<Html> {
  const { source, id } = visit
  const delivery = await views['deliveries/:id'].run(source, {}, id)
  const { result, title, steps } = explain(delivery)
  const event = objectIn(delivery.body) as { payment?: { id?: string }; paymentId?: string } | undefined
  const payment = event?.payment?.id ?? event?.paymentId
  const secretCheck = ui.card(
    'Signature',
    ui.hint('Enter the secret of your receiver. The sandbox checks whether it signed this webhook with the secret.'),
    actionForm('checkSecret', { args: { id }, success: '{message}' }),
  )
  const redelivered = 'Delivered again. The new delivery is in the list of webhooks.'
  return html`${ui.back('webhooks')}${ui.heading(delivery.eventType, deliveryStatus(delivery))}
<section class="card" aria-label="Result"><p><strong>${title}</strong></p>
${steps.length > 0 && html`<ul>${steps.map((step) => html`<li>${step}</li>`)}</ul>`}</section>
${ui.columns(
  [
    result === 'rejected' && secretCheck,
    ui.code('Response body', delivery.responseBody),
    ui.code('Headers', delivery.headers),
    ui.code('Body', delivery.body),
  ],
  [
    ui.card(
      'Delivery',
      ui.facts([
        ['Response', delivery.status],
        ['Error', delivery.error],
        ['URL', delivery.url],
        ['Sent', ui.longTime(delivery.at, visit)],
        ['Payment', payment && html`<a href="${ui.addressOf('payments', payment)}">${payment}</a>`],
      ]),
      actionForm('redeliver', { args: { id }, success: redelivered }),
    ),
    result !== 'rejected' && secretCheck,
  ],
)}`
}

const sessions: List<RowOf<'state/sessions'>> = {
  title: 'Sessions',
  endpoint: views['state/sessions'],
  keyOf: ({ clientToken }) => clientToken,
  columns: [
    ['Client token', 'flexible', (row) => [html`<code>${row.clientToken}</code>`, ui.under(row.session.orderId)]],
    ['Amount', 'num', ({ session }) => money(session.amount, session.currencyCode)],
    ['Order', 'wide', ({ session }) => session.orderId ?? '–'],
    ['Customer', 'wide', ({ session }) => session.customer?.emailAddress ?? session.customerId ?? '–'],
    ['Expires', '', ({ expiresAt }, visit) => ui.time(expiresAt, visit)],
  ],
  empty: () => html`<p><strong>No client sessions yet</strong></p>
<p>Your server creates one for each checkout: <code>client.clientSessions.create(…)</code>.</p>`,
}

async function checkout({ source }: Visit): Promise<Html> {
  const { data } = await views['state/sessions'].run(source, { limit: 20 }, '')
  const clientToken = { anyOf: [{ enum: data.map(({ clientToken }) => clientToken) }] }
  const success = 'Create one payment with this paymentMethodToken: {paymentMethodToken}'
  return ui.card('Checkout', actionForm('tokenize', { fields: { clientToken, scenario: {} }, success }))
}

const savedMethods: List<RowOf<'state/payment-instruments'>> = {
  title: 'Saved methods',
  endpoint: views['state/payment-instruments'],
  keyOf: ({ token }) => token,
  columns: [
    ['Method', 'main', (instrument) => [describeInstrument(instrument), ui.under(instrument.customerId)]],
    ['Customer', 'wide', ({ customerId }) => customerId],
    ['Token', '', ({ token }) => html`<code>${token}</code>`],
    ['Saved', 'wide', ({ createdAt }, visit) => ui.time(createdAt, visit)],
  ],
  empty: () => html`<p><strong>No saved payment methods yet</strong></p>
<p>Create a payment with <code>paymentMethod: { vaultOnSuccess: true }</code> and a customerId, or call
<code>client.paymentInstruments.vault(…)</code>.</p>`,
}

function describeInstrument(instrument: RowOf<'state/payment-instruments'>): Html {
  const { deleted, default: isDefault, isVerified } = instrument
  const states = deleted
    ? ui.badge('deleted', 'bad')
    : [isDefault && ui.badge('default', 'info'), isVerified && ui.badge('verified', 'good')]
  return html`${methodOf({ paymentMethod: instrument as never })} ${states}`
}

const balances: List<RowOf<'state/loyalty'>> = {
  title: 'Loyalty',
  label: 'Balances',
  endpoint: views['state/loyalty'],
  keyOf: ({ connectionId, customerId }) => JSON.stringify([connectionId, customerId]),
  columns: [
    ['Customer', 'main', ({ customerId }) => customerId],
    ['Connection', '', ({ connectionId }) => connectionId],
    ['Transactions', 'wide', ({ transactions }) => transactions.map(describeTransaction).join(', ') || '–'],
    ['Points', 'num', ({ balance }) => balance.toLocaleString('en')],
  ],
  empty: () => html`<p><strong>No loyalty customers yet</strong></p>
<p>Set the balance of a customer. Your server can then redeem and refund points.</p>`,
}

const describeTransaction = ({ type = '', value = 0 }: RowOf<'state/loyalty'>['transactions'][number]): string =>
  `${words(type)} of ${value.toLocaleString('en')}`

type Fault = RowOf<'state/faults'>

const faults: List<Fault> = {
  title: 'Faults',
  endpoint: views['state/faults'],
  keyOf: ({ id }) => id,
  columns: [
    ['Operation', 'main', ({ operation }) => operation ?? 'Any operation'],
    ['Left', 'num', ({ times }) => times],
    ['Fault', '', describeFault],
  ],
  empty: () => html`<p><strong>No faults are queued</strong></p>
<p>Add a fault to test how your application handles errors, delays and lost responses.</p>`,
}

function describeFault({ id: _, operation: _operation, times: _times, at = 'before', ...fault }: Fault): string {
  const set = Object.entries(fault).filter(([, value]) => value !== undefined && value !== false)
  return `${at}: ${set.map(([name, value]) => `${words(name)} ${pretty(value).replace(/\s+/g, ' ')}`).join(', ')}`
}

function clockPage({ now }: Visit): Html {
  return html`${ui.heading('Clock')}<div class="cards">
${ui.card(
  'Time',
  html`<p class="big"><time datetime="${new Date(now).toISOString()}">${absolute(now)}</time></p>`,
  ui.hint(`When the clock advances, all tasks that become due run in order: the sandbox retries webhooks, expires client
tokens, and adds new payments to the lists.`),
  actionForm('advanceClock', { success: 'The clock is at {now}.' }),
)}
${ui.card(
  'Options',
  ui.hint('Empty fields keep their values. Reset restores the options with which the sandbox started.'),
  actionForm('setOptions', { success: 'The options were changed.' }),
)}
${ui.card(
  'State',
  ui.hint(`A snapshot contains payments, sessions, saved methods, balances, disputes and webhooks. It does not contain API
keys or signing secrets.`),
  actionForm('snapshot', { success: 'The field below has the snapshot. Restore returns to this state.' }),
  actionForm('restore', { success: 'The snapshot was restored.' }),
)}</div>`
}

const apiKeyForms = ui.card(
  'API keys',
  actionForm('createApiKey', { success: 'Copy the key now: {apiKey}' }),
  actionForm('revokeApiKey', { success: 'The key was revoked.' }),
)
const balanceForm = ui.card('Balance', actionForm('setBalance', { success: 'The balance was set.' }))
const faultSuccess = 'The fault was added. It affects the next matching request.'
const faultForm = ui.card('New fault', actionForm('addFault', { success: faultSuccess }))
const clearForm = actionForm('clearFaults', { success: 'All faults were cleared.' })

type Page = (visit: Visit) => Html | Promise<Html>

/** A list with its heading, and the forms beside and below it. */
const listPage =
  <Row>(list: List<Row>, aside?: Html | Page, below?: Html): Page =>
  async (visit) => {
    const rows = [await ui.table(list, visit), below]
    const forms = typeof aside === 'function' ? await aside(visit) : aside
    return html`${ui.heading(list.title)}${forms ? ui.columns(rows, forms) : rows}`
  }

/** The sections, keyed by the first part of their path: title, list page, and details page of a row. */
export const sections: Readonly<Record<string, readonly [title: string, list: Page, details?: Page]>> = {
  payments: ['Payments', paymentsPage, (visit) => (visit.id === 'external' ? externalPage(visit) : paymentPage(visit))],
  requests: ['Requests', listPage(requests, apiKeyForms), requestPage],
  webhooks: ['Webhooks', listPage(deliveries, webhookForms), deliveryPage],
  sessions: ['Sessions', listPage(sessions, checkout)],
  'saved-methods': ['Saved methods', listPage(savedMethods)],
  loyalty: ['Loyalty', listPage(balances, balanceForm)],
  faults: ['Faults', listPage(faults, faultForm, clearForm)],
  clock: ['Clock', clockPage],
}
