import type { ComponentChildren } from 'preact'
import { parseDatetime } from '../../internal/calendar.js'
import type { PaymentDetails, RecordedDelivery, RecordedRequest } from '../api.js'
import { HttpStatus, Status, Time } from '../components/parts.js'
import { money } from '../format/amount.js'
import { diagnose } from '../format/diagnosis.js'
import { outcomeOf } from '../format/outcome.js'
import { linkTo } from '../routes.js'

interface Entry {
  key: string
  at: string
  kind: 'request' | 'status' | 'dispute' | 'delivery'
  content: ComponentChildren
}

/** The order of entries with the same time. */
const kinds: readonly Entry['kind'][] = ['request', 'status', 'dispute', 'delivery']

/** Everything that happened to a payment, oldest first. */
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

function entriesOf({ payment, history, requests, deliveries, disputes }: PaymentDetails): Entry[] {
  const entries: Entry[] = [
    ...requests.map(
      (request): Entry => ({
        key: request.id,
        at: request.at,
        kind: 'request',
        content: <RequestEntry request={request} />,
      }),
    ),
    ...history.map(
      ({ status, at }, index): Entry => ({
        key: `status ${index}`,
        at,
        kind: 'status',
        content: (
          <>
            {index === 0 ? 'Created as' : 'Became'} <Status value={status} />
          </>
        ),
      }),
    ),
    ...disputes.map(
      (dispute): Entry => ({
        key: dispute.processorDisputeId ?? '',
        at: dispute.receivedAt ?? '',
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
        kind: 'delivery',
        content: <DeliveryEntry delivery={delivery} />,
      }),
    ),
  ]
  const rank = ({ kind }: Entry) => kinds.indexOf(kind)
  return entries.sort((a, b) => parseDatetime(a.at) - parseDatetime(b.at) || rank(a) - rank(b))
}

function RequestEntry({ request }: { request: RecordedRequest }) {
  const outcome = outcomeOf(request)
  return (
    <>
      <a href={linkTo('requests', request.id)}>{request.operation ?? `${request.method} ${request.path}`}</a>{' '}
      <HttpStatus status={request.status} /> {outcome && <span title={outcome.meaning}>{outcome.name}</span>}
    </>
  )
}

function DeliveryEntry({ delivery }: { delivery: RecordedDelivery }) {
  const { result, title } = diagnose(delivery)
  return (
    <>
      Webhook <a href={linkTo('webhooks', delivery.id)}>{delivery.eventType}</a>{' '}
      <HttpStatus status={delivery.status} none={result === 'waiting' ? 'waiting' : 'no response'} />
      {result !== 'accepted' && <p class="small">{title}</p>}
    </>
  )
}
