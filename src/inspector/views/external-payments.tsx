import { money } from '../../sandbox/internal/amount.js'
import type { ExternalPayment } from '../../schemas/external-payment.js'
import { Empty, Heading, Status, Time } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { usePages } from '../hooks.js'
import { linkTo } from '../routes.js'

const columns: readonly Column<ExternalPayment>[] = [
  { title: 'Payment', kind: 'flexible', cell: ({ paymentId }) => paymentId },
  { title: 'Amount', kind: 'num', cell: ({ amount, currencyCode }) => money(amount, currencyCode) },
  { title: 'Status', kind: 'status', cell: ({ status }) => <Status value={status} /> },
  { title: 'Order', kind: 'wide', cell: ({ order }) => order?.id },
  { title: 'Processor', kind: 'wide', cell: ({ processor }) => processor?.name },
  { title: 'Created', kind: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

export function ExternalPaymentsView() {
  const pages = usePages<ExternalPayment>(
    { path: 'state/external-payments', keyOf: ({ paymentId = '' }) => paymentId },
    ['request'],
  )
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('payments')}>Back to the list</a>
      </p>
      <Heading>External payments</Heading>
      <Rows
        label="External payments"
        columns={columns}
        pages={pages}
        empty={
          <Empty title="No external payments yet">
            <p>
              Record a payment that was made outside the service: <code>client.observability.payments.create(…)</code>.
            </p>
          </Empty>
        }
      />
    </>
  )
}
