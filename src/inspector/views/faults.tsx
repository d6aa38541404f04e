import type { OperationName } from '../../sandbox/service/faults.js'
import { ActionForm, type Field } from '../components/action.js'
import { Card, Empty, Heading } from '../components/parts.js'
import { type Column, Rows } from '../components/rows.js'
import { pretty } from '../format/text.js'
import { usePages } from '../hooks.js'

interface QueuedFault {
  id: string
  operation?: string
  times?: number | string
  at?: string | number
  status?: number
  [field: string]: unknown
}

const operations = Object.keys({
  'payments.create': true,
  'payments.get': true,
  'payments.list': true,
  'payments.authorize': true,
  'payments.capture': true,
  'payments.cancel': true,
  'payments.refund': true,
  'payments.adjustAuthorization': true,
  'payments.resume': true,
  'clientSessions.create': true,
  'clientSessions.get': true,
  'clientSessions.update': true,
  'paymentInstruments.vault': true,
  'paymentInstruments.setDefault': true,
  'paymentInstruments.list': true,
  'paymentInstruments.delete': true,
  'observability.payments.create': true,
  'observability.payments.update': true,
  'loyalty.transactions.create': true,
  'loyalty.transactions.list': true,
  'loyalty.customers.get': true,
} satisfies Record<OperationName, true>)

const fields: readonly Field[] = [
  { name: 'operation', label: 'Operation', options: ['', ...operations] },
  {
    name: 'times',
    label: 'Times',
    placeholder: '1',
    hint: 'Number of affected requests. Infinity lasts until Clear faults',
    read: (text) => (text === 'Infinity' ? text : Number(text)),
  },
  {
    name: 'at',
    label: 'At',
    options: ['before', 'after'],
    isOpen: true,
    placeholder: 'before',
    hint: 'before or after the operation takes effect, or a number of response bytes',
    read: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  },
  { name: 'status', label: 'Status', kind: 'number', placeholder: '500' },
  {
    name: 'headers',
    label: 'Headers',
    placeholder: '{ "retry-after": "1" }',
    hint: 'A JSON object',
    read: (text) => {
      const headers = parsed(text)
      if (headers === undefined) throw new Error('Headers must be valid JSON, with double quotes')
      return headers
    },
  },
  {
    name: 'body',
    label: 'Body',
    kind: 'long',
    hint: 'A JSON object, or any text, such as incomplete JSON',
    read: (text) => (text.trim().startsWith('{') ? (parsed(text) ?? text) : text),
  },
  { name: 'delay', label: 'Delay', kind: 'number', hint: 'Milliseconds of real time' },
  { name: 'hang', label: 'Hang', kind: 'checkbox', hint: 'Never responds' },
  { name: 'reset', label: 'Reset', kind: 'checkbox', hint: 'Resets the connection' },
]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const columns: readonly Column<QueuedFault>[] = [
  { title: 'Operation', kind: 'main', cell: ({ operation }) => operation ?? 'Any operation' },
  { title: 'Left', kind: 'num', cell: ({ times }) => String(times ?? 1) },
  { title: 'Fault', cell: (fault) => <span class="break">{describe(fault)}</span> },
]

function describe({
  id: _,
  operation: __,
  times: ___,
  at = 'before',
  status,
  hang,
  reset,
  delay,
  ...rest
}: QueuedFault): string {
  const effects = [
    status !== undefined && `responds ${status}`,
    delay !== undefined && `waits ${delay} ms`,
    hang && 'never responds',
    reset && 'resets the connection',
    ...Object.entries(rest).map(([name, value]) => `${name}: ${pretty(value).replace(/\s+/g, ' ')}`),
  ]
  return `${at}: ${effects.filter(Boolean).join(', ')}`
}

export function FaultsView() {
  const pages = usePages<QueuedFault>({ path: 'state/faults', keyOf: ({ id }) => id }, ['fault'])
  return (
    <>
      <Heading>Faults</Heading>
      <div class="columns">
        <div class="main-column">
          <Rows
            label="Faults"
            columns={columns}
            pages={pages}
            empty={
              <Empty title="No faults are queued">
                <p>Add a fault to test how your application handles errors, delays and lost responses.</p>
              </Empty>
            }
          />
          <ActionForm title="Clear faults" action="clearFaults" success="All faults were cleared." />
        </div>
        <aside>
          <Card title="New fault">
            <ActionForm
              title="Add fault"
              action="addFault"
              fields={fields}
              success="The fault was added. It affects the next matching request."
            />
          </Card>
        </aside>
      </div>
    </>
  )
}
