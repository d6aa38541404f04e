import type { Command } from '@commander-js/extra-typings'
import { hasFailed } from '../core/helpers/payment-facts.js'
import { counted } from '../core/internal/plural.js'
import type { PaymentSummary } from '../core/schemas/payment.js'
import { addServiceCommand, createClient } from './client.js'
import { CommandFailed, checked, UsageError } from './command.js'
import { parseCsv } from './csv.js'
import { withoutApostrophe } from './export-format.js'
import { beforeOption, fromDate, instant, splitFilters } from './filters.js'
import { createTable } from './table.js'
import type { Terminal } from './terminal.js'

export function addReconcileCommand(program: Command, terminal: Terminal): void {
  addServiceCommand(
    program,
    'reconcile',
    'Compare your orders with the payments of the service',
    'reconcile --orders march.csv --from 2026-03-01 --before 2026-04-01',
  )
    .requiredOption('--orders <file>', 'CSV file with the columns orderId, amount, currency, status, paymentId')
    .addOption(fromDate('--from <datetime>').argParser(checked(instant)))
    .addOption(beforeOption)
    .addHelpText('after', notes)
    .action(async ({ json, orders: file, from, before, ...connection }) => {
      const orders = readOrders(new TextDecoder().decode(await terminal.read(file)))
      const { params, accepts } = splitFilters({ ...(from && { fromDate: from }), ...(before && { before }) })
      const payments: PaymentSummary[] = []
      const client = createClient(terminal, connection)
      for await (const payment of client.payments.list({ ...params, limit: 100 }, { signal: terminal.interrupted })) {
        if (accepts(payment)) payments.push(payment)
      }
      const differences = compare(orders, payments)
      const table = createTable('DIFFERENCE', 'ORDER', 'PAYMENT', 'FILE', 'SERVICE')
      const rows = differences.map((each) => [each.difference, each.orderId, each.paymentId, each.file, each.service])
      if (json) terminal.print(...differences.map((difference) => JSON.stringify(difference)))
      else if (rows.length > 0) terminal.print(...table(rows))
      terminal.note(
        [
          counted(orders.length, 'order'),
          counted(payments.length, 'payment'),
          counted(differences.length, 'difference'),
        ].join(', '),
      )
      if (differences.length > 0) throw new CommandFailed()
    })
}

const notes = `
Amounts are in minor units. The columns status and paymentId are optional. The exit code is 1 if there are differences.`

interface Order {
  readonly orderId: string
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly paymentId: string
}

const requiredColumns = ['orderId', 'amount', 'currency'] as const

function readOrders(text: string): Order[] {
  const parsed = parseCsv(text)
  if (parsed === undefined) throw new UsageError('--orders: the file is not valid CSV, because a quote is misplaced')
  const [header = [], ...rows] = parsed
  // In exported files, the column of the currency has the name of the payment's field.
  if (!header.includes('currency') && header.includes('currencyCode'))
    header[header.indexOf('currencyCode')] = 'currency'
  const missing = requiredColumns.filter((column) => !header.includes(column))
  if (missing.length > 0) throw new UsageError(`--orders: the first line must name the columns ${missing.join(', ')}`)
  return rows.map((cells, index) => {
    const cellOf = (column: string) => withoutApostrophe(cells[header.indexOf(column)]?.trim() ?? '')
    const [orderId, amount] = [cellOf('orderId'), cellOf('amount')]
    if (cells.length !== header.length) {
      throw new UsageError(
        `--orders: row ${index + 2} has ${counted(cells.length, 'cell')}, but the first line has ${header.length}`,
      )
    }
    if (orderId === '') throw new UsageError(`--orders: row ${index + 2} has no orderId`)
    if (!/^\d+$/.test(amount)) {
      throw new UsageError(`--orders: the amount in row ${index + 2} must be an integer in minor units`)
    }
    const [currency, status, paymentId] = [cellOf('currency'), cellOf('status'), cellOf('paymentId')]
    return { orderId, amount: Number(amount), currency, status, paymentId }
  })
}

interface Difference {
  readonly difference: 'missing in the file' | 'missing at the service' | 'amount' | 'status'
  readonly orderId?: string | undefined
  readonly paymentId?: string | undefined
  readonly file?: string
  readonly service?: string
}

/**
 * Compares each order with one payment: the payment with its `paymentId`, or else the most similar payment with its
 * `orderId`. Ignores other failed payments of the order, such as a declined card before a successful one.
 */
function compare(orders: readonly Order[], payments: readonly PaymentSummary[]): Difference[] {
  const unmatched = new Map(payments.map((payment) => [payment.id, payment]))
  const byOrder = new Map<string | undefined, PaymentSummary[]>()
  for (const payment of payments) byOrder.set(payment.orderId, [...(byOrder.get(payment.orderId) ?? []), payment])
  // Matches orders with a payment ID first, so that no other order is matched with their payments.
  const sorted = [...orders].sort((a, b) => Number(a.paymentId === '') - Number(b.paymentId === ''))
  const found = sorted.flatMap((order): Difference[] => {
    const payment = paymentOf(order, byOrder.get(order.orderId), unmatched)
    const { orderId, paymentId } = order
    if (payment === undefined) {
      return [{ difference: 'missing at the service', orderId, ...(paymentId && { paymentId }), file: describe(order) }]
    }
    unmatched.delete(payment.id)
    return differencesBetween(order, payment)
  })
  const known = new Set(orders.map(({ orderId }) => orderId))
  const others = [...unmatched.values()].filter((payment) => !(hasFailed(payment) && known.has(payment.orderId ?? '')))
  return [
    ...found,
    ...others.map((payment): Difference => {
      const service = `${payment.amount} ${payment.currencyCode} ${payment.status}`
      return { difference: 'missing in the file', orderId: payment.orderId, paymentId: payment.id, service }
    }),
  ]
}

function paymentOf(
  order: Order,
  ofOrder: readonly PaymentSummary[] = [],
  unmatched: ReadonlyMap<string, PaymentSummary>,
): PaymentSummary | undefined {
  if (order.paymentId !== '') return unmatched.get(order.paymentId)
  const candidates = ofOrder.filter(({ id }) => unmatched.has(id))
  const similarity = (payment: PaymentSummary) =>
    4 * Number(payment.status === order.status) + 2 * Number(!hasFailed(payment)) + Number(hasAmount(payment, order))
  return candidates.sort((a, b) => similarity(b) - similarity(a))[0]
}

function hasAmount({ amount, currencyCode }: PaymentSummary, order: Order): boolean {
  return amount === order.amount && currencyCode === order.currency
}

function differencesBetween(order: Order, payment: PaymentSummary): Difference[] {
  const ids = { orderId: order.orderId, paymentId: payment.id }
  const differences: Difference[] = []
  if (!hasAmount(payment, order)) {
    const service = `${payment.amount} ${payment.currencyCode}`
    differences.push({ difference: 'amount', ...ids, file: `${order.amount} ${order.currency}`, service })
  }
  if (order.status !== '' && order.status !== payment.status) {
    differences.push({ difference: 'status', ...ids, file: order.status, service: String(payment.status) })
  }
  return differences
}

function describe({ amount, currency, status }: Order): string {
  return [amount, currency, status].filter((part) => part !== '').join(' ')
}
