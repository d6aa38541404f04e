import { useEffect } from 'preact/hooks'
import type { Scope } from '../../contract/operation.js'
import type { RecordedRequest } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Card, Code, Empty, Facts, Heading, HttpStatus, Time } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { outcomeOf } from '../format/outcome.js'
import { duration } from '../format/time.js'
import { usePages } from '../hooks.js'
import type { Pages } from '../pages.js'
import { linkTo } from '../routes.js'

const columns: readonly Column<RecordedRequest>[] = [
  {
    title: 'Request',
    kind: 'main',
    cell: (request) => (
      <>
        <a class="row-link" href={linkTo('requests', request.id)}>
          {request.method} {request.path}
        </a>
        <span class="under muted">
          <Time at={request.at} />
        </span>
      </>
    ),
  },
  { title: 'Response', kind: 'status', cell: ({ status }) => <HttpStatus status={status} /> },
  { title: 'Outcome', kind: 'wide status', cell: (request) => <Outcome request={request} /> },
  { title: 'Operation', kind: 'wide extra', cell: ({ operation }) => operation ?? '–' },
  { title: 'Duration', kind: 'wide num time', cell: ({ durationMs }) => duration(durationMs) },
  { title: 'Time', kind: 'wide time', cell: ({ at }) => <Time at={at} /> },
]

const scopes = Object.keys({
  'client_tokens:write': true,
  'third_party:webhook_trigger': true,
  'transactions:authorize': true,
  'transactions:cancel': true,
  'transactions:capture': true,
  'transactions:retrieve': true,
  'transactions:refund': true,
  'payment_instrument:read': true,
  'payment_instrument:write': true,
  'observability-payments:write': true,
  'loyalty-transactions:write': true,
  'loyalty-transactions:read': true,
} satisfies Record<Scope, true>)

function useRequests(): Pages<RecordedRequest> {
  return usePages<RecordedRequest>({ path: 'requests', keyOf: ({ id }) => id, maxRows: 10_000 }, ['request'])
}

function Outcome({ request }: { request: RecordedRequest }) {
  const outcome = outcomeOf(request)
  if (!outcome) return <>–</>
  const tone = { succeeded: 'good', rejected: 'bad', unknown: 'warn', accepted: 'warn' }[outcome.name]
  return (
    <span class={`badge ${tone}`} title={outcome.meaning}>
      {outcome.name}
    </span>
  )
}

export function RequestsView() {
  const pages = useRequests()
  return (
    <>
      <Heading>Requests</Heading>
      <div class="columns">
        <div class="main-column">
          <Rows
            label="Requests"
            columns={columns}
            pages={pages}
            empty={
              <Empty title="No requests yet">
                <p>
                  Set <code>PAYMENTS_BASE_URL={location.origin}</code> in your application, and make a call. The request
                  and its response appear here.
                </p>
              </Empty>
            }
          />
        </div>
        <aside>
          <Card title="API keys">
            <ActionForm
              title="Create API key"
              action="createApiKey"
              fields={[
                {
                  name: 'scopes',
                  label: 'Scopes',
                  required: true,
                  options: scopes,
                  isOpen: true,
                  placeholder: 'transactions:retrieve',
                  hint: 'One or more, separated by spaces or commas',
                  read: (text) => text.split(/[\s,]+/).filter(Boolean),
                },
              ]}
              success={({ apiKey }) => `Copy the key now: ${apiKey}`}
            />
            <ActionForm
              title="Revoke API key"
              action="revokeApiKey"
              fields={[{ name: 'apiKey', label: 'API key', required: true }]}
              success="The key was revoked."
            />
          </Card>
        </aside>
      </div>
    </>
  )
}

export function RequestView({ id }: { id: string }) {
  const pages = useRequests()
  const request = useRow(pages, id)
  const outcome = request && outcomeOf(request)
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('requests')}>Back to the list</a>
      </p>
      <Heading aside={request && <HttpStatus status={request.status} />}>
        {request ? `${request.method} ${request.path}` : 'Request'}
      </Heading>
      {!request && <p class="muted">{pages.isComplete ? 'The sandbox has no request with this ID.' : 'Loading…'}</p>}
      {request && (
        <>
          <Facts
            facts={[
              ['Operation', request.operation],
              ['Outcome', outcome && `${outcome.name}: ${outcome.meaning}`],
              ['Time', <Time key="time" at={request.at} isLong />],
              ['Duration', duration(request.durationMs)],
              ['Client', request.userAgent],
            ]}
          />
          <div class="pair">
            <Code title="Request body" body={request.requestBody} />
            <Code title="Response body" body={request.responseBody} />
          </div>
          <Code title="Request headers" body={request.requestHeaders} />
        </>
      )}
    </>
  )
}

/** Loads more pages until the row is found. */
export function useRow<T>(pages: Pages<T>, id: string): T | undefined {
  const row = pages.rows.find((candidate) => pages.options.keyOf(candidate) === id)
  useEffect(() => {
    if (!row) void pages.loadMore()
  })
  return row
}
