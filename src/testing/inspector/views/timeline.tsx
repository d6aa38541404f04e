import type { ComponentChildren } from 'preact'
import { parseDatetime } from '../../../core/internal/calendar.js'
import { money } from '../../sandbox/internal/amount.js'
import type { PaymentDetails, RecordedDelivery, RecordedRequest } from '../api.js'
import { HttpStatus, Status, Time } from '../components/parts.js'
import { explain } from '../format/diagnosis.js'
import { objectIn, outcomeOf } from '../format/outcome.js'
import { linkTo } from '../routes.js'
import { DeliveryStatus } from './webhooks.js'

interface Entry {
  key: string
  at: string
  /** The position among entries with the same time. */
  order: number
  kind: 'request' | 'status' | 'dispute' | 'delivery'
  content: ComponentChildren
}

export function Timeline({ details }: { details: PaymentDetails }) {
  return (
    <ol class="timeline">
      {entriesOf(details).map(({ key, at, kind, content }) => (
        <li key={key} class={kind}>
          <div class="entry">{content}</div>
          <span class="muted small">
            <Time at={at} isLong />
          </span>
        </li>
      ))}
    </ol>
  )
}

function entriesOf(details: PaymentDetails): Entry[] {
  const { payment, history, requests, deliveries, disputes } = details
  const causes = causesOf(details)
  const keys = requests.map(keyOf)
  const entries: Entry[] = [
    ...requests.map(
      (request, index): Entry => ({
        key: request.id,
        at: request.at,
        order: index,
        kind: 'request',
        content: <RequestEntry request={request} isRepeat={keys.indexOf(keyOf(request)) < index} />,
      }),
    ),
    ...history.map(
      ({ status, at }, index): Entry => ({
        key: `status ${index}`,
        at,
        order: causes[index] ?? 0,
        kind: 'status',
        content: (
          <>
            {index === 0 ? 'Created as' : 'Became'} <Status value={status} />
          </>
        ),
      }),
    ),
    ...disputes.map(
      (dispute, index): Entry => ({
        key: `dispute ${index}`,
        at: dispute.receivedAt ?? '',
        order: Infinity,
        kind: 'dispute',
        content: (
          <>
            Dispute <code>{dispute.processorDisputeId}</code> <Status value={dispute.status} />{' '}
            {money(dispute.amount, dispute.currency ?? payment.currencyCode)}
            {dispute.reason && `, ${dispute.reason}`}
          </>
        ),
      }),
    ),
    ...deliveries.map(
      (delivery): Entry => ({
        key: delivery.id,
        at: delivery.at,
        order: Infinity,
        kind: 'delivery',
        content: <DeliveryEntry delivery={delivery} />,
      }),
    ),
  ]
  // If the time and the order are equal, entries keep their position in the array: requests, statuses, disputes,
  // deliveries.
  const compare = (a: number, b: number) => (a === b ? 0 : a - b)
  return entries.sort((a, b) => compare(parseDatetime(a.at), parseDatetime(b.at)) || compare(a.order, b.order))
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

function RequestEntry({ request, isRepeat }: { request: RecordedRequest; isRepeat: boolean }) {
  const outcome = outcomeOf(request)
  const key = keyOf(request)
  return (
    <>
      <a href={linkTo('requests', request.id)}>{request.operation ?? `${request.method} ${request.path}`}</a>{' '}
      <HttpStatus status={request.status} /> {outcome && <span title={outcome.meaning}>{outcome.name}</span>}
      {key !== undefined && (
        <p class="small">
          Key <code>{key}</code> {isRepeat && <span class="badge warn">repeats the key</span>}
        </p>
      )}
    </>
  )
}

function DeliveryEntry({ delivery }: { delivery: RecordedDelivery }) {
  const { result, title } = explain(delivery)
  return (
    <>
      Webhook <a href={linkTo('webhooks', delivery.id)}>{delivery.eventType}</a> <DeliveryStatus delivery={delivery} />
      {result !== 'accepted' && <p class="small">{title}</p>}
    </>
  )
}
