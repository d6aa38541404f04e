import { paymentStatuses } from '../../../core/helpers/payment-facts.js'
import { money } from '../../sandbox/internal/amount.js'
import type { Row } from '../api.js'
import { Pre, Status, Time } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { linkTo, setQuery, useRoute } from '../routes.js'

type Payment = Row<'state'>['payment']

const List = listView({
  title: 'Payments',
  path: 'state',
  keyOf: ({ payment }) => payment.id,
  columns: [
    {
      title: 'Order',
      kind: 'flexible',
      cell: ({ payment }) => payment.orderId ?? payment.id,
      href: ({ payment }) => linkTo('payments', payment.id),
      under: ({ payment }) => <Time at={payment.date} />,
    },
    { title: 'Amount', kind: 'num', cell: ({ payment }) => money(payment.amount, payment.currencyCode) },
    { title: 'Status', kind: 'status', cell: ({ payment }) => <Status value={payment.status} /> },
    { title: 'Method', kind: 'wide', cell: ({ payment }) => methodOf(payment) },
    { title: 'Customer', kind: 'wide', cell: ({ payment }) => payment.customer?.emailAddress ?? payment.customerId },
    { title: 'Payment', kind: 'wide extra', cell: ({ payment }) => <code>{payment.id}</code> },
    { title: 'Created', kind: 'wide', cell: ({ payment }) => <Time at={payment.date} /> },
  ],
  link: <a href={linkTo('payments', 'external')}>External</a>,
  empty: ['No payments yet', <FirstPayment />],
})

export function PaymentsView() {
  const { query } = useRoute()
  const status = query.get('status') ?? ''
  const search = query.get('search') ?? ''
  return (
    <List filters={{ status, search: search.trim() }}>
      <search class="filters">
        <div class="field grow">
          <label for="search">Search</label>
          <input
            id="search"
            type="search"
            placeholder="Order, payment ID, customer or amount"
            value={search}
            onInput={(event) => setQuery({ search: event.currentTarget.value })}
          />
        </div>
        <div class="field">
          <label for="status">Status</label>
          <select id="status" value={status} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
            <option value="">All</option>
            {paymentStatuses.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </search>
    </List>
  )
}

/** Describes the payment method: `Visa •••• 1111`. */
export function methodOf({ paymentMethod = {} }: Pick<Payment, 'paymentMethod'>): string {
  const { paymentMethodType = '', paymentMethodData = {} } = paymentMethod
  const { network, last4Digits } = paymentMethodData
  return last4Digits ? `${network ?? 'Card'} •••• ${last4Digits}` : paymentMethodType
}

function FirstPayment() {
  const { origin } = location
  return (
    <>
      <p>
        Create a payment with your application, or with this command. Replace the API key with the one that the sandbox
        printed:
      </p>
      <Pre>{`curl ${origin}/payments -H "X-Api-Key: $PAYMENTS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "paymentMethodToken": "tok_card", "orderId": "order-1", "currencyCode": "EUR", "amount": 5000 }'`}</Pre>
    </>
  )
}
