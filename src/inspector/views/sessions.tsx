import { money } from '../../sandbox/internal/amount.js'
import { ActionForm } from '../components/action.js'
import { Card, Time } from '../components/parts.js'
import { listView } from '../components/rows.js'

export const SessionsView = listView({
  title: 'Sessions',
  path: 'state/sessions',
  events: ['session', 'clock'],
  keyOf: ({ clientToken }) => clientToken,
  columns: [
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
  ],
  empty: [
    'No client sessions yet',
    () => (
      <p>
        Your server creates one for each checkout: <code>client.clientSessions.create(…)</code>.
      </p>
    ),
  ],
  aside: (rows) => (
    <Card title="Checkout">
      <ActionForm
        action="tokenize"
        schemas={{ clientToken: { anyOf: [{ enum: rows.slice(0, 20).map(({ clientToken }) => clientToken) }] } }}
        success={({ paymentMethodToken }) => `Create one payment with this paymentMethodToken: ${paymentMethodToken}`}
      />
    </Card>
  ),
})
