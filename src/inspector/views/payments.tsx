import { useEffect, useState } from 'preact/hooks'
import { money } from '../../sandbox/internal/amount.js'
import { ApiError, get, type Page, type PaymentDetails, type PaymentRow } from '../api.js'
import { Empty, Heading, Pre, Status, Time } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { useLive, usePages } from '../hooks.js'
import { linkTo, setQuery, useRoute } from '../routes.js'

const statuses = [
  'PENDING',
  'AUTHORIZED',
  'SETTLING',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'DECLINED',
  'FAILED',
  'CANCELLED',
]

interface ListedPayment extends PaymentRow {
  text: string
}

const columns: readonly Column<ListedPayment>[] = [
  {
    title: 'Order',
    kind: 'flexible',
    cell: ({ payment }) => (
      <>
        <a class="row-link" href={linkTo('payments', payment.id)}>
          {payment.orderId ?? payment.id}
        </a>
        <span class="under muted">
          <Time at={payment.date} />
        </span>
      </>
    ),
  },
  { title: 'Amount', kind: 'num', cell: ({ payment }) => money(payment.amount, payment.currencyCode) },
  { title: 'Status', kind: 'status', cell: ({ payment }) => <Status value={payment.status} /> },
  { title: 'Method', kind: 'wide', cell: ({ payment }) => methodOf(payment) },
  { title: 'Customer', kind: 'wide', cell: ({ payment }) => payment.customer?.emailAddress ?? payment.customerId },
  { title: 'Payment', kind: 'wide extra', cell: ({ payment }) => <code>{payment.id}</code> },
  { title: 'Created', kind: 'wide', cell: ({ payment }) => <Time at={payment.date} /> },
]

export function PaymentsView() {
  const { query } = useRoute()
  const status = query.get('status') ?? ''
  const search = (query.get('search') ?? '').trim()
  const pages = usePages<ListedPayment>(
    {
      path: 'state',
      query: { status },
      keyOf: ({ payment }) => payment.id,
      pick,
      loadOne: async (id) => {
        const row = await get<PaymentDetails>(`payments/${encodeURIComponent(id)}`).catch(ignoreMissing)
        return row && (!status || row.payment.status === status) ? pick(row) : undefined
      },
    },
    ['status'],
  )
  const exact = useExactMatch(search, status)
  const words = search.toLowerCase()
  const found = search ? pages.rows.filter(({ text }) => text.includes(words)) : pages.rows
  const keys = new Set(found.map(({ payment }) => payment.id))
  const rows = [...exact.filter(({ payment }) => !keys.has(payment.id)), ...found]
  return (
    <>
      <Heading aside={<a href={linkTo('payments', 'external')}>External</a>}>Payments</Heading>
      <search class="filters">
        <div class="field grow">
          <label for="search">Search</label>
          <input
            id="search"
            type="search"
            placeholder="Order, payment ID, customer or amount"
            value={query.get('search') ?? ''}
            onInput={(event) => setQuery({ search: event.currentTarget.value })}
          />
        </div>
        <div class="field">
          <label for="status">Status</label>
          <select id="status" value={status} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
            <option value="">All</option>
            {statuses.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </search>
      <Rows
        label="Payments"
        columns={columns}
        pages={pages}
        rows={rows}
        empty={search || status ? <NoMatch /> : <NoPayments />}
      />
    </>
  )
}

/** Finds the payments whose ID or order ID equals the search text, which is faster than loading all pages. */
function useExactMatch(search: string, status: string): ListedPayment[] {
  const key = JSON.stringify([search, status])
  const [found, setFound] = useState<{ key: string; rows: ListedPayment[] }>({ key: '', rows: [] })
  const [changes, setChanges] = useState(0)
  useLive(['status'], () => setChanges((count) => count + 1))
  useEffect(() => {
    if (search === '') return
    let isCurrent = true
    const load = async () => {
      const { data } = await get<Page<PaymentRow>>('state', { orderId: search, status, limit: '20' })
      const byId = /^[\w-]+$/.test(search) && (await get<PaymentDetails>(`payments/${search}`).catch(ignoreMissing))
      const rows = byId && (!status || byId.payment.status === status) ? [...data, byId] : data
      if (isCurrent) setFound({ key, rows: rows.map(pick) })
    }
    // Waits until the user stops typing.
    const timer = setTimeout(() => void load().catch(() => undefined), 150)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [search, status, changes])
  return found.key === key ? found.rows : []
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined
  throw error
}

/** Keeps only the fields that the list shows, because a list can contain many thousands of payments. */
function pick({ payment }: PaymentRow): ListedPayment {
  const { id, orderId, amount, currencyCode, status, date, customerId, customer, paymentMethod } = payment
  const { paymentMethodType, paymentMethodData } = paymentMethod ?? {}
  const { network, last4Digits } = paymentMethodData ?? {}
  return {
    payment: {
      id,
      orderId,
      amount,
      currencyCode,
      status,
      date,
      customerId,
      customer: { emailAddress: customer?.emailAddress },
      paymentMethod: { paymentMethodType, paymentMethodData: { network, last4Digits } },
    },
    history: [],
    text: [id, orderId, customerId, customer?.emailAddress, status, money(amount, currencyCode), amount]
      .join('\n')
      .toLowerCase(),
  }
}

/** Describes the payment method: `Visa •••• 1111`. */
export function methodOf({ paymentMethod = {} }: Pick<PaymentRow['payment'], 'paymentMethod'>): string {
  const { paymentMethodType = '', paymentMethodData = {} } = paymentMethod
  const { network, last4Digits } = paymentMethodData
  return last4Digits ? `${network ?? 'Card'} •••• ${last4Digits}` : paymentMethodType
}

function NoMatch() {
  return (
    <Empty title="No payment matches">
      <p>Change the search or the status.</p>
    </Empty>
  )
}

function NoPayments() {
  const { origin } = location
  return (
    <Empty title="No payments yet">
      <p>
        Create a payment with your application, or with this command. Replace the API key with the one that the sandbox
        printed:
      </p>
      <Pre>{`curl ${origin}/payments -H "X-Api-Key: $PAYMENTS_API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "paymentMethodToken": "tok_card", "orderId": "order-1", "currencyCode": "EUR", "amount": 5000 }'`}</Pre>
    </Empty>
  )
}
