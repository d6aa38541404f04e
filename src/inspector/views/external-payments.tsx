import { money } from '../../sandbox/internal/amount.js'
import { Back, Status, Time } from '../components/parts.js'
import { listView } from '../components/rows.js'

const List = listView({
  title: 'External payments',
  path: 'state/external-payments',
  events: ['request'],
  keyOf: ({ paymentId = '' }) => paymentId,
  columns: [
    { title: 'Payment', kind: 'flexible', cell: ({ paymentId }) => paymentId },
    { title: 'Amount', kind: 'num', cell: ({ amount, currencyCode }) => money(amount, currencyCode) },
    { title: 'Status', kind: 'status', cell: ({ status }) => <Status value={status} /> },
    { title: 'Order', kind: 'wide', cell: ({ order }) => order?.id },
    { title: 'Processor', kind: 'wide', cell: ({ processor }) => processor?.name },
    { title: 'Created', kind: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  empty: [
    'No external payments yet',
    () => (
      <p>
        Record a payment that was made outside the service: <code>client.observability.payments.create(…)</code>.
      </p>
    ),
  ],
})

export function ExternalPaymentsView() {
  return (
    <>
      <Back to="payments" />
      <List />
    </>
  )
}
