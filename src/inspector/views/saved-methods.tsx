import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import { Empty, Heading, Time } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { usePages } from '../hooks.js'
import { methodOf } from './payments.js'

const columns: readonly Column<PaymentInstrument>[] = [
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
]

function State({ instrument }: { instrument: PaymentInstrument }) {
  if (instrument.deleted) return <span class="badge bad">deleted</span>
  return (
    <>
      {instrument.default && <span class="badge info">default</span>}
      {instrument.isVerified && <span class="badge good">verified</span>}
    </>
  )
}

export function SavedMethodsView() {
  const pages = usePages<PaymentInstrument>({ path: 'state/payment-instruments', keyOf: ({ token }) => token }, [
    'instrument',
  ])
  return (
    <>
      <Heading>Saved methods</Heading>
      <Rows
        label="Saved methods"
        columns={columns}
        pages={pages}
        empty={
          <Empty title="No saved payment methods yet">
            <p>
              Create a payment with <code>{'paymentMethod: { vaultOnSuccess: true }'}</code> and a customerId, or call{' '}
              <code>client.paymentInstruments.vault(…)</code>.
            </p>
          </Empty>
        }
      />
    </>
  )
}
