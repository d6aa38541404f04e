import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import { ActionForm } from '../components/action.js'
import { Card, Empty, Heading } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { words } from '../format/text.js'
import { usePages } from '../hooks.js'

interface Balance {
  connectionId: string
  customerId: string
  balance: number
  transactions: LoyaltyTransaction[]
}

const columns: readonly Column<Balance>[] = [
  { title: 'Customer', kind: 'main', cell: ({ customerId }) => customerId },
  { title: 'Connection', cell: ({ connectionId }) => connectionId },
  { title: 'Transactions', kind: 'wide', cell: ({ transactions }) => transactions.map(describe).join(', ') || '–' },
  { title: 'Points', kind: 'num', cell: ({ balance }) => balance.toLocaleString('en') },
]

function describe({ type = '', value = 0 }: LoyaltyTransaction): string {
  return `${words(type)} of ${value.toLocaleString('en')}`
}

export function LoyaltyView() {
  const pages = usePages<Balance>(
    { path: 'state/loyalty', keyOf: ({ connectionId, customerId }) => JSON.stringify([connectionId, customerId]) },
    ['loyalty'],
  )
  return (
    <>
      <Heading>Loyalty</Heading>
      <div class="columns">
        <div class="main-column">
          <Rows
            label="Balances"
            columns={columns}
            pages={pages}
            empty={
              <Empty title="No loyalty customers yet">
                <p>Set the balance of a customer. Your server can then redeem and refund points.</p>
              </Empty>
            }
          />
        </div>
        <aside>
          <Card title="Balance">
            <ActionForm
              title="Set balance"
              action="setBalance"
              fields={[
                { name: 'connectionId', label: 'Connection ID', required: true },
                { name: 'customerId', label: 'Customer ID', required: true },
                { name: 'points', label: 'Points', kind: 'number', required: true },
              ]}
              success="The balance was set."
            />
          </Card>
        </aside>
      </div>
    </>
  )
}
