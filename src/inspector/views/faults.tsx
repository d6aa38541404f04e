import type { Row } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Card } from '../components/parts.js'
import { listView } from '../components/rows.js'
import { pretty } from '../format/text.js'

type Fault = Row<'state/faults'>

export const FaultsView = listView({
  title: 'Faults',
  path: 'state/faults',
  events: ['fault'],
  keyOf: ({ id }) => id,
  columns: [
    { title: 'Operation', kind: 'main', cell: ({ operation }) => operation ?? 'Any operation' },
    { title: 'Left', kind: 'num', cell: ({ times }) => String(times) },
    { title: 'Fault', cell: (fault) => describe(fault) },
  ],
  empty: [
    'No faults are queued',
    () => <p>Add a fault to test how your application handles errors, delays and lost responses.</p>,
  ],
  aside: () => (
    <Card title="New fault">
      <ActionForm action="addFault" success="The fault was added. It affects the next matching request." />
    </Card>
  ),
  below: () => <ActionForm action="clearFaults" success="All faults were cleared." />,
})

const compact = (value: unknown) => pretty(value).replace(/\s+/g, ' ')

/** Describes the fields that the other columns do not show. A new field is a compile error. */
const effects: {
  readonly [Name in Exclude<keyof Fault, 'id' | 'operation' | 'times' | 'at'>]-?: (value: Fault[Name]) => string
} = {
  status: (status) => `responds ${status}`,
  delay: (delay) => `waits ${delay} ms`,
  hang: () => 'never responds',
  reset: () => 'resets the connection',
  headers: (headers) => `headers: ${compact(headers)}`,
  body: (body) => `body: ${compact(body)}`,
}

function describe({ at = 'before', ...fault }: Fault): string {
  const found = Object.entries(effects).map(([name, effect]: [string, (value: never) => string]) => {
    const value = Reflect.get(fault, name)
    return value === undefined || value === false ? [] : effect(value as never)
  })
  return `${at}: ${found.flat().join(', ')}`
}
