import type { Row } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Card } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { words } from '../format/text.js'

export const LoyaltyView = listView({
  title: 'Loyalty',
  label: 'Balances',
  path: 'state/loyalty',
  events: ['loyalty'],
  keyOf: ({ connectionId, customerId }) => JSON.stringify([connectionId, customerId]),
  columns: [
    { title: 'Customer', kind: 'main', cell: ({ customerId }) => customerId },
    { title: 'Connection', cell: ({ connectionId }) => connectionId },
    { title: 'Transactions', kind: 'wide', cell: ({ transactions }) => transactions.map(describe).join(', ') || '–' },
    { title: 'Points', kind: 'num', cell: ({ balance }) => balance.toLocaleString('en') },
  ],
  empty: [
    'No loyalty customers yet',
    () => <p>Set the balance of a customer. Your server can then redeem and refund points.</p>,
  ],
  aside: () => (
    <Card title="Balance">
      <ActionForm action="setBalance" success="The balance was set." />
    </Card>
  ),
})

function describe({ type = '', value = 0 }: Row<'state/loyalty'>['transactions'][number]): string {
  return `${words(type)} of ${value.toLocaleString('en')}`
}
