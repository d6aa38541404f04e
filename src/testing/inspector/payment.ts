import { parseOrderKey } from '../../core/helpers/order-keys.js'
import { parseDatetime } from '../../core/internal/calendar.js'
import { views } from '../sandbox/control/views.js'
import { transitions } from '../sandbox/domain/payments.js'
import { money } from '../sandbox/internal/amount.js'
import { copyAsTest } from './copy-as-test.js'
import { explain } from './diagnosis.js'
import { actionForm } from './forms.js'
import { exact, type Html, html, type Value } from './html.js'
import { objectIn, outcomeOf } from './outcome.js'
import type { Visit } from './parts.js'
import * as ui from './parts.js'
import type { PaymentDetails, RecordedDelivery, RecordedRequest } from './rows.js'

type Payment = PaymentDetails['payment']

export async function paymentPage(visit: Visit): Promise<Html> {
  const details = await views['payments/:id'].run(visit.source, {}, visit.id)
  const { payment } = details
  const test = copyAsTest(details, visit.source.sandbox.ledger)
  return html`${ui.back('payments')}${ui.heading(money(payment.amount, payment.currencyCode), ui.statusBadge(payment.status))}
<p class="muted sub">${payment.orderId} · <code>${payment.id}</code></p>
${ui.columns(
  html`<section aria-label="Timeline"><h2>Timeline</h2>${timeline(details, visit)}</section>
<section aria-label="Test"><button type="button" data-copy="${exact(test)}"
data-done="Copied. Save it as payment.test.ts and run it with vitest.">Copy as test</button>${ui.notice}
<details><summary>Test</summary>${ui.pre(test)}</details></section>
<details><summary>Payment as JSON</summary>${ui.code('Payment', payment)}</details>`,
  [paymentActions(details), paymentFacts(payment, visit)],
)}`
}

/** Describes the payment method: `Visa •••• 1111`. */
export function methodOf({ paymentMethod = {} }: Pick<Payment, 'paymentMethod'>): string {
  const { paymentMethodType = '', paymentMethodData = {} } = paymentMethod
  const { network, last4Digits } = paymentMethodData
  return last4Digits ? `${network ?? 'Card'} •••• ${last4Digits}` : paymentMethodType
}

function paymentFacts(payment: Payment, visit: Visit): Html {
  const { currencyCode, processor = {} } = payment
  return ui.card(
    'Details',
    ui.facts([
      ['Order', payment.orderId],
      ['Captured', money(processor.amountCaptured, currencyCode)],
      ['Refunded', money(processor.amountRefunded, currencyCode)],
      ['Method', methodOf(payment)],
      ['Customer', payment.customer?.emailAddress ?? payment.customerId],
      ['Reason', payment.statusReason?.message],
      ['Required', payment.requiredAction?.description],
      ['Created', ui.longTime(payment.date, visit)],
      ['Updated', ui.longTime(payment.dateUpdated, visit)],
    ]),
  )
}

const processorActions = [
  ['authorize', 'The payment was authorized.'],
  ['settle', 'The payment was settled.'],
  ['decline', 'The payment was declined.'],
  ['fail', 'The payment failed.'],
] as const

function paymentActions({ payment, disputes }: PaymentDetails): Html {
  const { id: paymentId, status, amount, transactions = [], requiredAction } = payment
  const args = { paymentId }
  const disputeIds = [...new Set(disputes.map(({ processorDisputeId = '' }) => processorDisputeId))]
  const hasPendingRefund = transactions.some(
    ({ transactionType, processorStatus }) => transactionType === 'REFUND' && processorStatus === 'PENDING',
  )
  const minorUnits = `Minor units: ${amount} is ${money(amount, payment.currencyCode)}`
  return ui.card(
    'Actions',
    html`<div class="buttons">${processorActions.map(([action, success]) => {
      const from: readonly (string | undefined)[] = transitions[`processor.${action}`].from
      const isPossible = from.includes(status) && !(action === 'authorize' && requiredAction)
      return actionForm(action, { args, success, impossible: !isPossible && `Needs the status ${from.join(' or ')}` })
    })}
${actionForm('completeAction', {
  args,
  success: 'The customer completed the action. Resume the payment with this token: {resumeToken}',
  impossible: !requiredAction && 'Needs a payment that requires an action from the customer',
})}</div>`,
    actionForm('finishRefund', {
      args,
      success: 'The refund was finished.',
      impossible: !hasPendingRefund && 'The payment has no pending refund.',
    }),
    actionForm('openDispute', {
      args,
      fields: {
        'fields.amount': { type: 'integer', examples: [amount], description: minorUnits },
        'fields.reason': { type: 'string', examples: ['FRAUDULENT'] },
      },
      success: 'The dispute {disputeId} was opened.',
    }),
    actionForm('moveDispute', {
      fields: { disputeId: { enum: disputeIds }, status: {} },
      success: 'The dispute was moved.',
      impossible: disputes.length === 0 && 'The payment has no dispute.',
    }),
  )
}

interface Entry {
  readonly at: string
  /** The position among entries with the same time. */
  readonly order: number
  readonly kind: 'request' | 'status' | 'dispute' | 'delivery'
  readonly content: Value
}

function timeline(details: PaymentDetails, visit: Visit): Html {
  return html`<ol class="timeline">${entriesOf(details).map(
    ({ at, kind, content }) =>
      html`<li class="${kind}"><div class="entry">${content}</div><span class="muted small">${ui.longTime(at, visit)}</span></li>`,
  )}</ol>`
}

function entriesOf(details: PaymentDetails): Entry[] {
  const { payment, history, requests, deliveries, disputes } = details
  const causes = causesOf(details)
  const keys = requests.map(keyOf)
  const entries: Entry[] = []
  for (const [order, request] of requests.entries()) {
    const content = requestEntry(request, keys.indexOf(keyOf(request)) < order)
    entries.push({ at: request.at, order, kind: 'request', content })
  }
  for (const [index, { status, at }] of history.entries()) {
    const content = html`${index === 0 ? 'Created as' : 'Became'} ${ui.statusBadge(status)}`
    entries.push({ at, order: causes[index] ?? 0, kind: 'status', content })
  }
  for (const { receivedAt: at = '', processorDisputeId: id, status, amount, currency, reason } of disputes) {
    const sum = money(amount, currency ?? payment.currencyCode)
    const content = html`Dispute <code>${id}</code> ${ui.statusBadge(status)} ${sum}${reason && `, ${reason}`}`
    entries.push({ at, order: Infinity, kind: 'dispute', content })
  }
  for (const delivery of deliveries) {
    entries.push({ at: delivery.at, order: Infinity, kind: 'delivery', content: deliveryEntry(delivery) })
  }
  // Entries with the same time and order keep their position. Uses `|| 0`, because `Infinity - Infinity` is NaN.
  return entries.sort((a, b) => parseDatetime(a.at) - parseDatetime(b.at) || a.order - b.order || 0)
}

/** Returns the index of the request that reported each status. */
function causesOf({ history, requests }: PaymentDetails): number[] {
  const statuses = requests.map(({ responseBody }) => objectIn(responseBody)?.['status'])
  let latest = 0
  return history.map(({ status }) => {
    const found = statuses.indexOf(status, latest)
    if (found >= 0) latest = found
    return latest
  })
}

const keyOf = ({ requestHeaders }: RecordedRequest) => requestHeaders['x-idempotency-key']

function requestEntry(request: RecordedRequest, isRepeat: boolean): Html {
  const outcome = outcomeOf(request)
  const key = keyOf(request)
  const order = parseOrderKey(key ?? '')
  const facts =
    order && html`(${order.kind}${order.id && ` ${order.id}`}, order ${order.orderId}, number ${order.number})`
  const name = request.operation ?? `${request.method} ${request.path}`
  return html`<a href="${ui.addressOf('requests', request.id)}">${name}</a> ${ui.httpStatus(request.status)}
${outcome && html`<span title="${outcome.meaning}">${outcome.name}</span>`}
${key !== undefined && html`<p class="small">Key <code>${key}</code> ${facts} ${isRepeat && ui.badge('repeats the key', 'warn')}</p>`}`
}

export const deliveryStatus = ({ status, error }: RecordedDelivery): Html =>
  ui.httpStatus(status, error === undefined ? 'waiting' : 'no response')

function deliveryEntry(delivery: RecordedDelivery): Html {
  const { result, title } = explain(delivery)
  const address = ui.addressOf('webhooks', delivery.id)
  return html`Webhook <a href="${address}">${delivery.eventType}</a> ${deliveryStatus(delivery)}
${result !== 'accepted' && html`<p class="small">${title}</p>`}`
}
