import { money } from '../../sandbox/internal/amount.js'
import type { Row } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Back, Card, Status, Time } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { pretty, words } from '../format/text.js'
import { useResource } from '../hooks.js'
import { methodOf } from './payments.js'

const ExternalPayments = listView({
  title: 'External payments',
  path: 'state/external-payments',
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
    <p>
      Record a payment that was made outside the service: <code>client.observability.payments.create(…)</code>.
    </p>,
  ],
})

export function ExternalPaymentsView() {
  return (
    <>
      <Back to="payments" />
      <ExternalPayments />
    </>
  )
}

export const SessionsView = listView({
  title: 'Sessions',
  path: 'state/sessions',
  keyOf: ({ clientToken }) => clientToken,
  columns: [
    {
      title: 'Client token',
      kind: 'main flexible',
      cell: ({ clientToken }) => <code>{clientToken}</code>,
      under: ({ session }) => session.orderId,
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
    <p>
      Your server creates one for each checkout: <code>client.clientSessions.create(…)</code>.
    </p>,
  ],
  aside: <Checkout />,
})

function Checkout() {
  const { data } = useResource('state/sessions')
  const tokens = (data?.data ?? []).slice(0, 20).map(({ clientToken }) => clientToken)
  return (
    <Card title="Checkout">
      <ActionForm
        action="tokenize"
        fields={{ clientToken: { anyOf: [{ enum: tokens }] }, scenario: {} }}
        success={({ paymentMethodToken }) => `Create one payment with this paymentMethodToken: ${paymentMethodToken}`}
      />
    </Card>
  )
}

type Instrument = Row<'state/payment-instruments'>

export const SavedMethodsView = listView({
  title: 'Saved methods',
  path: 'state/payment-instruments',
  keyOf: ({ token }) => token,
  columns: [
    {
      title: 'Method',
      kind: 'main',
      cell: (instrument) => (
        <>
          {methodOf({ paymentMethod: instrument as never })} <State instrument={instrument} />
        </>
      ),
      under: ({ customerId }) => customerId,
    },
    { title: 'Customer', kind: 'wide', cell: ({ customerId }) => customerId },
    { title: 'Token', cell: ({ token }) => <code>{token}</code> },
    { title: 'Saved', kind: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  empty: [
    'No saved payment methods yet',
    <p>
      Create a payment with <code>{'paymentMethod: { vaultOnSuccess: true }'}</code> and a customerId, or call{' '}
      <code>client.paymentInstruments.vault(…)</code>.
    </p>,
  ],
})

function State({ instrument }: { instrument: Instrument }) {
  if (instrument.deleted) return <span class="badge bad">deleted</span>
  return (
    <>
      {instrument.default && <span class="badge info">default</span>}
      {instrument.isVerified && <span class="badge good">verified</span>}
    </>
  )
}

export const LoyaltyView = listView({
  title: 'Loyalty',
  label: 'Balances',
  path: 'state/loyalty',
  keyOf: ({ connectionId, customerId }) => JSON.stringify([connectionId, customerId]),
  columns: [
    { title: 'Customer', kind: 'main', cell: ({ customerId }) => customerId },
    { title: 'Connection', cell: ({ connectionId }) => connectionId },
    {
      title: 'Transactions',
      kind: 'wide',
      cell: ({ transactions }) => transactions.map(describeTransaction).join(', ') || '–',
    },
    { title: 'Points', kind: 'num', cell: ({ balance }) => balance.toLocaleString('en') },
  ],
  empty: [
    'No loyalty customers yet',
    <p>Set the balance of a customer. Your server can then redeem and refund points.</p>,
  ],
  aside: (
    <Card title="Balance">
      <ActionForm action="setBalance" success="The balance was set." />
    </Card>
  ),
})

function describeTransaction({ type = '', value = 0 }: Row<'state/loyalty'>['transactions'][number]): string {
  return `${words(type)} of ${value.toLocaleString('en')}`
}

type Fault = Row<'state/faults'>

export const FaultsView = listView({
  title: 'Faults',
  path: 'state/faults',
  keyOf: ({ id }) => id,
  columns: [
    { title: 'Operation', kind: 'main', cell: ({ operation }) => operation ?? 'Any operation' },
    { title: 'Left', kind: 'num', cell: ({ times }) => String(times) },
    { title: 'Fault', cell: (fault) => describeFault(fault) },
  ],
  empty: [
    'No faults are queued',
    <p>Add a fault to test how your application handles errors, delays and lost responses.</p>,
  ],
  aside: (
    <Card title="New fault">
      <ActionForm action="addFault" success="The fault was added. It affects the next matching request." />
    </Card>
  ),
  below: <ActionForm action="clearFaults" success="All faults were cleared." />,
})

const compact = (value: unknown) => pretty(value).replace(/\s+/g, ' ')

/**
 * Descriptions of the fault fields that the other columns do not show. A fault field without a description is a compile
 * error.
 */
const descriptions: {
  readonly [Name in Exclude<keyof Fault, 'id' | 'operation' | 'times' | 'at'>]-?: (value: Fault[Name]) => string
} = {
  status: (status) => `responds ${status}`,
  delay: (delay) => `waits ${delay} ms`,
  effectDelay: (delay) => `takes effect after ${typeof delay === 'number' ? `${delay} ms` : delay}`,
  hang: () => 'never responds',
  reset: () => 'resets the connection',
  headers: (headers) => `headers: ${compact(headers)}`,
  body: (body) => `body: ${compact(body)}`,
}

function describeFault({ at = 'before', ...fault }: Fault): string {
  const found = Object.entries(descriptions).map(([name, describe]: [string, (value: never) => string]) => {
    const value = Reflect.get(fault, name)
    return value === undefined || value === false ? [] : describe(value as never)
  })
  return `${at}: ${found.flat().join(', ')}`
}
