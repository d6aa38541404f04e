import { perform, type RecordedDelivery } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Back, Card, Code, Facts, Heading, HttpStatus, Message, Missing, Time } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { explain } from '../format/diagnosis.js'
import { objectIn } from '../format/outcome.js'
import { useResource, useTask } from '../hooks.js'
import { linkTo } from '../routes.js'

export function DeliveryStatus({ delivery }: { delivery: RecordedDelivery }) {
  const isWaiting = delivery.status === undefined && delivery.error === undefined
  return <HttpStatus status={delivery.status} none={isWaiting ? 'waiting' : 'no response'} />
}

export const WebhooksView = listView({
  title: 'Webhooks',
  label: 'Deliveries',
  path: 'deliveries',
  keyOf: ({ id }) => id,
  columns: [
    {
      title: 'Event',
      kind: 'event',
      cell: ({ eventType }) => eventType,
      href: ({ id }) => linkTo('webhooks', id),
      under: ({ at }) => <Time at={at} />,
    },
    { title: 'Response', kind: 'status', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
    { title: 'Result', kind: 'wide', cell: (delivery) => explain(delivery).title },
    { title: 'URL', kind: 'wide extra', cell: ({ url }) => url },
    { title: 'Time', kind: 'wide time', cell: ({ at }) => <Time at={at} /> },
    {
      title: 'Action',
      kind: 'end',
      cell: ({ id }) => <ActionForm action="redeliver" args={{ id }} success="Delivered again." />,
    },
  ],
  empty: [
    'No webhooks yet',
    <p>
      Subscribe the URL of your receiver, and create a payment. The sandbox sends a webhook for each change of its
      status.
    </p>,
  ],
  aside: (
    <>
      <Subscriptions />
      <Card title="Signing secret">
        <p class="hint">
          Your receiver needs the secret that the sandbox printed as PAYMENTS_WEBHOOK_SECRET. After a rotation, the page
          shows the new secret once, and webhooks are also signed with the old secret for 24 hours.
        </p>
        <ActionForm
          action="rotateSecret"
          success={({ secret }) => `Set PAYMENTS_WEBHOOK_SECRET of your receiver to ${secret}`}
        />
      </Card>
    </>
  ),
})

function Subscriptions() {
  const { data } = useResource('state/subscriptions')
  const { run, notice } = useTask()
  const urls = (data?.data ?? []).map(({ url }) => url)
  return (
    <Card title="Subscriptions">
      {urls.length === 0 && <p class="hint">No URL is subscribed.</p>}
      <ul class="plain">
        {urls.map((url) => (
          <li key={url}>
            <span>{url}</span>
            {url !== 'function' && (
              <button
                type="button"
                class="quiet"
                onClick={() => void run(() => perform('unsubscribe', { url }, 'Unsubscribed.'))}
              >
                Unsubscribe
              </button>
            )}
          </li>
        ))}
      </ul>
      <Message notice={notice} />
      <ActionForm action="subscribe" success="Subscribed. Future events are sent to this URL." />
    </Card>
  )
}

export function DeliveryView({ id }: { id: string }) {
  const { data: delivery, error } = useResource('deliveries/:id', id)
  if (!delivery) return <Missing section="webhooks" title="Webhook" error={error} />
  const { result, title, steps } = explain(delivery)
  const event = objectIn(delivery.body) as { payment?: { id?: string }; paymentId?: string } | undefined
  const payment = event?.payment?.id ?? event?.paymentId
  const secretCheck = (
    <Card title="Signature">
      <p class="hint">
        Enter the secret of your receiver. The sandbox checks whether it signed this webhook with the secret.
      </p>
      <ActionForm action="checkSecret" args={{ id }} success={({ message }) => message} />
    </Card>
  )
  return (
    <>
      <Back to="webhooks" />
      <Heading aside={<DeliveryStatus delivery={delivery} />}>{delivery.eventType}</Heading>
      <section class={`verdict ${result}`} aria-label="Result">
        <p>
          <strong>{title}</strong>
        </p>
        {steps.length > 0 && (
          <ul>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ul>
        )}
      </section>
      <div class="columns">
        <div class="main-column">
          {result === 'rejected' && secretCheck}
          <Code title="Response body" body={delivery.responseBody} />
          <Code title="Headers" body={delivery.headers} />
          <Code title="Body" body={delivery.body} />
        </div>
        <aside>
          <Card title="Delivery">
            <Facts
              facts={[
                ['Response', delivery.status],
                ['Error', delivery.error],
                ['URL', delivery.url],
                ['Sent', <Time key="sent" at={delivery.at} isLong />],
                ['Payment', payment && <a href={linkTo('payments', payment)}>{payment}</a>],
              ]}
            />
            <ActionForm
              action="redeliver"
              args={{ id }}
              success="Delivered again. The new delivery is in the list of webhooks."
            />
          </Card>
          {result !== 'rejected' && secretCheck}
        </aside>
      </div>
    </>
  )
}
