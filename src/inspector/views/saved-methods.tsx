import type { Row } from '../api.js'
import { Time } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { methodOf } from './payments.js'

type Instrument = Row<'state/payment-instruments'>

export const SavedMethodsView = listView({
  title: 'Saved methods',
  path: 'state/payment-instruments',
  events: ['instrument'],
  keyOf: ({ token }) => token,
  columns: [
    {
      title: 'Method',
      kind: 'main',
      cell: (instrument) => (
        <>
          {methodOf({ paymentMethod: instrument as never })} <State instrument={instrument} />
          <span class="under muted">{instrument.customerId}</span>
        </>
      ),
    },
    { title: 'Customer', kind: 'wide', cell: ({ customerId }) => customerId },
    { title: 'Token', cell: ({ token }) => <code>{token}</code> },
    { title: 'Saved', kind: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  empty: [
    'No saved payment methods yet',
    () => (
      <p>
        Create a payment with <code>{'paymentMethod: { vaultOnSuccess: true }'}</code> and a customerId, or call{' '}
        <code>client.paymentInstruments.vault(…)</code>.
      </p>
    ),
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
