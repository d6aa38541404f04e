import { useState } from 'preact/hooks'
import type { Page, RecordedDelivery } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Card, Code, Empty, Facts, Heading, HttpStatus, Message, Time } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { diagnose } from '../format/diagnosis.js'
import { explainSecret } from '../format/signature.js'
import { type Notice, useAction, usePages, useResource } from '../hooks.js'
import type { Pages } from '../pages.js'
import { linkTo } from '../routes.js'
import { useRow } from './requests.js'

interface Subscription {
  url: string
}

function useDeliveries(): Pages<RecordedDelivery> {
  return usePages<RecordedDelivery>({ path: 'deliveries', keyOf: ({ id }) => id, maxRows: 10_000 }, ['delivery'])
}

function DeliveryStatus({ delivery }: { delivery: RecordedDelivery }) {
  const isWaiting = delivery.status === undefined && delivery.error === undefined
  return <HttpStatus status={delivery.status} none={isWaiting ? 'waiting' : 'no response'} />
}

export function WebhooksView() {
  const pages = useDeliveries()
  const { run, notice } = useAction()
  const columns: readonly Column<RecordedDelivery>[] = [
    {
      title: 'Event',
      kind: 'event',
      cell: (delivery) => (
        <>
          <a class="row-link" href={linkTo('webhooks', delivery.id)}>
            {delivery.eventType}
          </a>
          <span class="under muted">
            <Time at={delivery.at} />
          </span>
        </>
      ),
    },
    { title: 'Response', kind: 'status', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
    { title: 'Result', kind: 'wide', cell: (delivery) => diagnose(delivery).title },
    { title: 'URL', kind: 'wide extra', cell: ({ url }) => url },
    { title: 'Time', kind: 'wide time', cell: ({ at }) => <Time at={at} /> },
    {
      title: 'Action',
      kind: 'end',
      cell: ({ id }) => (
        <button type="button" class="quiet above" onClick={() => void run('redeliver', { id }, 'Delivered again.')}>
          Redeliver
        </button>
      ),
    },
  ]
  return (
    <>
      <Heading>Webhooks</Heading>
      <div class="columns">
        <div class="main-column">
          <Message notice={notice} />
          <Rows
            label="Deliveries"
            columns={columns}
            pages={pages}
            empty={
              <Empty title="No webhooks yet">
                <p>
                  Subscribe the URL of your receiver, and create a payment. The sandbox sends a webhook for each change
                  of its status.
                </p>
              </Empty>
            }
          />
        </div>
        <aside>
          <Subscriptions />
          <Card title="Signing secret">
            <p class="hint">
              Your receiver needs the secret that the sandbox printed as PAYMENTS_WEBHOOK_SECRET. After a rotation, the
              page shows the new secret once, and webhooks are also signed with the old secret for 24 hours.
            </p>
            <ActionForm
              title="Rotate secret"
              action="rotateSecret"
              success={({ secret }) => `Set PAYMENTS_WEBHOOK_SECRET of your receiver to ${secret}`}
            />
          </Card>
        </aside>
      </div>
    </>
  )
}

function Subscriptions() {
  const [changes, setChanges] = useState(0)
  const { data } = useResource<Page<Subscription>>('state/subscriptions', ['delivery'], { version: changes })
  const { run, notice } = useAction()
  const onDone = () => setChanges((count) => count + 1)
  const urls = (data?.data ?? []).map(({ url }) => url)
  return (
    <Card title="Subscriptions">
      {urls.length === 0 && <p class="hint">No URL is subscribed.</p>}
      <ul class="plain">
        {urls.map((url) => (
          <li key={url}>
            <span class="break">{url}</span>
            {url !== 'function' && (
              <button
                type="button"
                class="quiet"
                onClick={() => void run('unsubscribe', { url }, 'Unsubscribed.').then(onDone)}
              >
                Unsubscribe
              </button>
            )}
          </li>
        ))}
      </ul>
      <Message notice={notice} />
      <ActionForm
        title="Subscribe"
        action="subscribe"
        fields={[{ name: 'url', label: 'URL', required: true, placeholder: 'http://localhost:3000/webhooks' }]}
        success="Subscribed. Future events are sent to this URL."
        onDone={onDone}
      />
    </Card>
  )
}

export function DeliveryView({ id }: { id: string }) {
  const pages = useDeliveries()
  const delivery = useRow(pages, id)
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('webhooks')}>Back to the list</a>
      </p>
      <Heading aside={delivery && <DeliveryStatus delivery={delivery} />}>{delivery?.eventType ?? 'Webhook'}</Heading>
      {!delivery && <p class="muted">{pages.isComplete ? 'The sandbox has no delivery with this ID.' : 'Loading…'}</p>}
      {delivery && <Delivery delivery={delivery} />}
    </>
  )
}

function Delivery({ delivery }: { delivery: RecordedDelivery }) {
  const { result, title, steps } = diagnose(delivery)
  const payment = paymentOf(delivery)
  return (
    <>
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
          {result === 'rejected' && <SecretCheck delivery={delivery} />}
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
              title="Redeliver"
              action="redeliver"
              args={{ id: delivery.id }}
              success="Delivered again. The new delivery is in the list of webhooks."
            />
          </Card>
          {result !== 'rejected' && <SecretCheck delivery={delivery} />}
        </aside>
      </div>
    </>
  )
}

/** Checks a secret in the browser, without sending it anywhere. */
function SecretCheck({ delivery }: { delivery: RecordedDelivery }) {
  const [notice, setNotice] = useState<Notice>()
  // Web Crypto needs HTTPS or localhost.
  if (!globalThis.crypto?.subtle) return null
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    const secret = String(new FormData(event.currentTarget as HTMLFormElement).get('secret'))
    setNotice(await explainSecret(delivery, secret))
  }
  return (
    <Card title="Signature">
      <form onSubmit={onSubmit} aria-label="Check secret">
        <div class="field">
          <label for="secret">Secret of your receiver</label>
          <input id="secret" name="secret" type="password" required autoComplete="off" aria-describedby="secret-hint" />
          <p class="hint" id="secret-hint">
            The browser checks whether this webhook was signed with the secret, and does not send it anywhere.
          </p>
        </div>
        <button type="submit">Check secret</button>
        <Message notice={notice} />
      </form>
    </Card>
  )
}

function paymentOf({ body }: RecordedDelivery): string | undefined {
  try {
    const { payment, paymentId } = JSON.parse(body)
    return payment?.id ?? paymentId
  } catch {
    return undefined
  }
}
