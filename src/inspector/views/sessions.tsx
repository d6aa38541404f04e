import { money } from '../../sandbox/internal/amount.js'
import { scenarioNames } from '../../sandbox/internal/scenarios.js'
import type { ClientSession } from '../../schemas/client-session.js'
import { ActionForm } from '../components/action.js'
import { Card, Empty, Heading, Time } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { usePages } from '../hooks.js'

interface SessionRow {
  clientToken: string
  expiresAt: string
  session: ClientSession
}

const columns: readonly Column<SessionRow>[] = [
  {
    title: 'Client token',
    kind: 'main flexible',
    cell: ({ clientToken, session }) => (
      <>
        <code>{clientToken}</code>
        <span class="under muted">{session.orderId}</span>
      </>
    ),
  },
  { title: 'Amount', kind: 'num', cell: ({ session }) => money(session.amount, session.currencyCode) },
  { title: 'Order', kind: 'wide', cell: ({ session }) => session.orderId ?? '–' },
  {
    title: 'Customer',
    kind: 'wide',
    cell: ({ session }) => session.customer?.emailAddress ?? session.customerId ?? '–',
  },
  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
]

export function SessionsView() {
  const pages = usePages<SessionRow>({ path: 'state/sessions', keyOf: ({ clientToken }) => clientToken }, [
    'session',
    'clock',
  ])
  return (
    <>
      <Heading>Sessions</Heading>
      <div class="columns">
        <div class="main-column">
          <Rows
            label="Sessions"
            columns={columns}
            pages={pages}
            empty={
              <Empty title="No client sessions yet">
                <p>
                  Your server creates one for each checkout: <code>client.clientSessions.create(…)</code>.
                </p>
              </Empty>
            }
          />
        </div>
        <aside>
          <Card title="Checkout">
            <ActionForm
              title="Tokenize"
              action="tokenize"
              fields={[
                {
                  name: 'clientToken',
                  label: 'Client token',
                  options: pages.rows.slice(0, 20).map(({ clientToken }) => clientToken),
                  isOpen: true,
                  hint: 'Optional. Payments take omitted fields from this session.',
                },
                { name: 'scenario', label: 'Scenario', options: scenarioNames, value: 'card' },
              ]}
              success={({ paymentMethodToken }) =>
                `Create one payment with this paymentMethodToken: ${paymentMethodToken}`
              }
            />
          </Card>
        </aside>
      </div>
    </>
  )
}
