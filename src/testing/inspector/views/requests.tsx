import type { RecordedRequest } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Back, Card, Code, Facts, Heading, HttpStatus, Missing, Time } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { outcomeOf } from '../format/outcome.js'
import { duration } from '../format/time.js'
import { useResource } from '../hooks.js'
import { linkTo } from '../routes.js'

export const RequestsView = listView({
  title: 'Requests',
  path: 'requests',
  keyOf: ({ id }) => id,
  columns: [
    {
      title: 'Request',
      kind: 'main',
      cell: ({ method, path }) => `${method} ${path}`,
      href: ({ id }) => linkTo('requests', id),
      under: ({ at }) => <Time at={at} />,
    },
    { title: 'Response', kind: 'status', cell: ({ status }) => <HttpStatus status={status} /> },
    { title: 'Outcome', kind: 'wide status', cell: (request) => <OutcomeCell request={request} /> },
    { title: 'Operation', kind: 'wide extra', cell: ({ operation }) => operation ?? '–' },
    { title: 'Duration', kind: 'wide num time', cell: ({ durationMs }) => duration(durationMs) },
    { title: 'Time', kind: 'wide time', cell: ({ at }) => <Time at={at} /> },
  ],
  empty: [
    'No requests yet',
    <p>
      Set <code>PAYMENTS_BASE_URL={location.origin}</code> in your application, and make a call. The request and its
      response appear here.
    </p>,
  ],
  aside: (
    <Card title="API keys">
      <ActionForm action="createApiKey" success={({ apiKey }) => `Copy the key now: ${apiKey}`} />
      <ActionForm action="revokeApiKey" success="The key was revoked." />
    </Card>
  ),
})

function OutcomeCell({ request }: { request: RecordedRequest }) {
  const outcome = outcomeOf(request)
  if (!outcome) return <>–</>
  const tone = { succeeded: 'good', rejected: 'bad', unknown: 'warn', accepted: 'warn' }[outcome.name]
  return (
    <span class={`badge ${tone}`} title={outcome.meaning}>
      {outcome.name}
    </span>
  )
}

export function RequestView({ id }: { id: string }) {
  const { data: request, error } = useResource('requests/:id', id)
  if (!request) return <Missing section="requests" title="Request" error={error} />
  const outcome = outcomeOf(request)
  return (
    <>
      <Back to="requests" />
      <Heading aside={<HttpStatus status={request.status} />}>
        {request.method} {request.path}
      </Heading>
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
  )
}
