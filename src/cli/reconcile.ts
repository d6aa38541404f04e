import type { Command } from '@commander-js/extra-typings'
import { hasFailed, isPaid } from '../core/helpers/payment-facts.js'
import { isDateTime, parsePrecisely } from '../core/internal/calendar.js'
import { counted } from '../core/internal/plural.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { addServiceCommand, createClient } from './client.js'
import { CommandFailed, checked, UsageError } from './command.js'
import { parseCsv, withoutApostrophe } from './csv.js'
import { beforeOption, fromDate, instant, splitFilters } from './filters.js'
import { readText } from './input-file.js'
import { valueAt } from './payments.js'
import { createTable } from './table.js'
import type { Terminal } from './terminal.js'

/** Maximum number of payments that the command fetches at the same time. */
const concurrentReads = 10

export function addReconcileCommand(program: Command, terminal: Terminal): void {
  addServiceCommand(
    program,
    'reconcile',
    'Compare your orders with the payments of the service',
    'reconcile --orders march.csv --from 2026-03-01 --before 2026-04-01',
  )
    .requiredOption('--orders <file>', 'CSV file with the columns orderId, amount, currency (- for standard input)')
    .addOption(fromDate('--from <datetime>').argParser(checked(instant)))
    .addOption(beforeOption)
    .addHelpText('after', notes)
    .action(async ({ json, orders: file, from, before, apiVersion }) => {
      const table = readOrders(await readText(terminal, file, '--orders'))
      const { params, period } = splitFilters({ ...(from && { fromDate: from }), ...(before && { before }) })
      const client = createClient(terminal, { apiVersion }, { maxConnections: concurrentReads })
      const signal = terminal.interrupted
      const payments: PaymentCore[] = []
      for await (const page of client.payments.list({ ...params, limit: 100 }, { signal }).pages()) {
        const listed = page.data.filter(({ date }) => period.includes(date))
        // Fetches the payments whose summary lacks an amount that is compared.
        const complete = (payment: PaymentCore) =>
          isPaid(payment) && captureAmounts.some((path) => valueAt(payment, path) === undefined)
            ? client.payments.get(payment.id, { signal })
            : payment
        payments.push(...(await Promise.all(listed.map(complete))))
      }
      const { orders } = table
      const columns = comparable(table, payments)
      const idColumn = columns.includes('id') ? 'id' : 'paymentId'
      // Excludes the price and the payment ID, which are compared separately.
      const others = columns.filter((path) => ![idColumn, 'amount', 'currencyCode'].includes(path))
      const differences = compare(orders, payments, idColumn, others)
      const rows = differences.map((each) => [each.difference, each.orderId, each.paymentId, each.file, each.service])
      if (json) terminal.print(...differences.map((difference) => JSON.stringify(difference)))
      else if (rows.length > 0)
        terminal.print(...createTable('DIFFERENCE', 'ORDER', 'PAYMENT', 'FILE', 'SERVICE')(rows))
      const ignored = table.columns.filter((path) => !columns.includes(path) && orders.some((order) => order.has(path)))
      if (ignored.length > 0 && payments.length > 0)
        terminal.note(`Not compared, because payments lack these columns: ${ignored.join(', ')}`)
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
Amounts are in minor units. Also compares the columns paymentId, status, amountCaptured, amountRefunded, and every other
field of a payment. The exit code is 1 if there are differences.`

const captureAmounts = ['processor.amountCaptured', 'processor.amountRefunded'] as const
const amounts: readonly string[] = ['amount', ...captureAmounts]

/** Paths of the payment fields whose column has another name. */
const paths = new Map([['currency', 'currencyCode'], ...captureAmounts.map((path) => [nameOf(path), path] as const)])

/** The non-empty cells of a row, keyed by the path of the payment field, or by `paymentId` for the payment's ID. */
type Order = ReadonlyMap<string, string>

interface Table {
  readonly columns: readonly string[]
  readonly orders: readonly Order[]
}

function nameOf(path: string): string {
  return path.split('.').at(-1) as string
}

function readOrders(text: string): Table {
  const fail = (problem: string) => new UsageError(`--orders: ${problem}`)
  const [header, ...rows] = parseCsv(text, '--orders')
  const columns = (header?.cells ?? []).map((cell) => paths.get(cell.trim()) ?? cell.trim())
  const missing = ['orderId', 'amount', 'currencyCode'].filter((path) => !columns.includes(path))
  if (missing.length > 0) {
    throw fail(`the first line must name the columns ${missing.join(', ').replace('currencyCode', 'currency')}`)
  }
  const repeated = columns.find((path, index) => columns.indexOf(path) < index)
  if (repeated !== undefined) throw fail(`the first line names the column ${nameOf(repeated)} twice`)
  const orders = rows.map(({ line, cells }) => readOrder(cells, columns, (problem) => fail(`line ${line} ${problem}`)))
  return { columns, orders }
}

function readOrder(cells: readonly string[], columns: readonly string[], fail: (problem: string) => Error): Order {
  if (cells.length !== columns.length) {
    throw fail(`has ${counted(cells.length, 'cell')}, but the first line has ${columns.length}`)
  }
  const entries = columns.map((path, index) => [path, withoutApostrophe((cells[index] as string).trim())] as const)
  const order = new Map(entries.filter(([, cell]) => cell !== ''))
  if (!order.has('orderId')) throw fail('has no orderId')
  for (const path of amounts) {
    const amount = order.get(path) ?? (path === 'amount' ? '' : '0')
    if (!/^\d+$/.test(amount)) throw fail(`has no integer in minor units in the column ${nameOf(path)}`)
  }
  return order
}

/** Returns only the columns that payments have. Other columns cannot be compared. */
function comparable({ columns, orders }: Table, payments: readonly PaymentCore[]): string[] {
  const ids = new Set<string | undefined>(payments.map(({ id }) => id))
  return columns.filter((path) => {
    if (['paymentId', 'orderId', 'amount', 'currencyCode', 'status'].includes(path)) return true
    // Exported payments have their ID in the column `id`. In other files, that column may be an ID of the shop.
    if (path === 'id') return !columns.includes('paymentId') && orders.some((order) => ids.has(order.get('id')))
    return payments.some((payment) => valueAt(payment, path) !== undefined)
  })
}

interface Difference {
  /** The name of the column whose values differ, or the problem. */
  readonly difference: string
  readonly orderId?: string | undefined
  readonly paymentId?: string | undefined
  readonly file?: string | undefined
  readonly service?: string | undefined
}

/** Compares each order with one payment. Ignores failed payments of an order that has another payment. */
function compare(
  orders: readonly Order[],
  payments: readonly PaymentCore[],
  idColumn: string,
  columns: readonly string[],
): Difference[] {
  const matches = match(orders, payments, idColumn)
  const matched = new Set(matches.values())
  const ids = new Set<string | undefined>(payments.map(({ id }) => id))
  const paidOrders = new Set(payments.map(({ orderId }) => orderId))
  const found = orders.flatMap((order): Difference[] => {
    const payment = matches.get(order)
    if (payment !== undefined) return differencesBetween(order, payment, columns)
    const [orderId, paymentId] = [order.get('orderId'), order.get(idColumn)]
    const isDuplicate = paymentId === undefined ? paidOrders.has(orderId) : ids.has(paymentId)
    const difference = isDuplicate ? 'duplicate in the file' : 'missing at the service'
    const file = ['amount', 'currencyCode', 'status'].flatMap((path) => order.get(path) ?? []).join(' ')
    return [{ difference, orderId, ...(paymentId && { paymentId }), file }]
  })
  const ordered = new Set(orders.map((order) => order.get('orderId')))
  const others = payments.filter(
    (payment) => !matched.has(payment) && !(hasFailed(payment) && ordered.has(payment.orderId)),
  )
  return [
    ...found,
    ...others.map(({ id, orderId, amount, currencyCode, status }): Difference => {
      const service = `${amount} ${currencyCode} ${status}`
      return { difference: 'missing in the file', orderId, paymentId: id, service }
    }),
  ]
}

/** The values by which an order and a payment are matched. */
interface Keys {
  readonly orderId: string | undefined
  readonly status: string | undefined
  readonly price: string
  readonly isFailed: boolean
}

/** The values that must be equal for a match. The strictest comparison is first. */
const similarities: readonly ((keys: Keys) => unknown[])[] = [
  ({ orderId, status, price }) => [orderId, status, price],
  ({ orderId, status }) => [orderId, status],
  ({ orderId, isFailed, price }) => [orderId, isFailed, price],
  ({ orderId, isFailed }) => [orderId, isFailed],
  ({ orderId, price }) => [orderId, price],
  ({ orderId }) => [orderId],
]

/**
 * Returns the payment of each order: the payment with the order's payment ID or, if the order has no payment ID, the
 * most similar payment that no other row has. Each payment belongs to at most one row.
 */
function match(orders: readonly Order[], payments: readonly PaymentCore[], idColumn: string): Map<Order, PaymentCore> {
  const matches = new Map<Order, PaymentCore>()
  const rest = new Map(payments.map((payment) => [payment.id, payment]))
  let open: Order[] = []
  for (const order of orders) {
    const id = order.get(idColumn)
    const payment = id === undefined ? undefined : rest.get(id)
    if (id === undefined) open.push(order)
    if (payment !== undefined) take(order, payment)
  }
  for (const similarity of similarities) {
    const groups = new Map<string, PaymentCore[]>()
    for (const payment of rest.values()) {
      const key = JSON.stringify(similarity(keysOfPayment(payment)))
      const group = groups.get(key)
      if (group) group.push(payment)
      else groups.set(key, [payment])
    }
    // Reversed, so that `pop` returns the first payment of a group.
    for (const group of groups.values()) group.reverse()
    open = open.filter((order) => {
      const payment = groups.get(JSON.stringify(similarity(keysOfOrder(order))))?.pop()
      if (payment !== undefined) take(order, payment)
      return payment === undefined
    })
  }
  return matches

  function take(order: Order, payment: PaymentCore): void {
    matches.set(order, payment)
    rest.delete(payment.id)
  }
}

function keysOfPayment(payment: PaymentCore): Keys {
  const { orderId, status, amount, currencyCode } = payment
  return { orderId, status, price: `${amount} ${currencyCode}`, isFailed: hasFailed(payment) }
}

function keysOfOrder(order: Order): Keys {
  const [orderId, status] = [order.get('orderId'), order.get('status')]
  return {
    orderId,
    status: status ?? '',
    price: `${order.get('amount')} ${order.get('currencyCode') ?? ''}`,
    isFailed: false,
  }
}

/** Compares every column. Also reports a failure, a partial capture or a refund that the order does not contain. */
function differencesBetween(order: Order, payment: PaymentCore, columns: readonly string[]): Difference[] {
  const differences: Difference[] = []
  const report = (difference: string, file: unknown, service: unknown) =>
    differences.push({
      difference,
      orderId: order.get('orderId'),
      paymentId: payment.id,
      ...(file !== undefined && { file: String(file) }),
      ...(service !== undefined && { service: String(service) }),
    })
  const { price: orderPrice } = keysOfOrder(order)
  const { price, isFailed } = keysOfPayment(payment)
  if (orderPrice !== price) report('amount', orderPrice, price)
  for (const path of columns) {
    const [cell, value] = [order.get(path), textAt(payment, path)]
    if (cell !== undefined && !isSame(cell, value)) report(paths.has(nameOf(path)) ? nameOf(path) : path, cell, value)
  }
  if (isFailed && !order.has('status')) report('status', undefined, payment.status)
  const { amountCaptured, amountRefunded = 0 } = payment.processor ?? {}
  const isPartial = amountCaptured !== undefined && amountCaptured !== payment.amount && isPaid(payment)
  const isExpected = order.has('processor.amountCaptured') || order.get('status') === 'PARTIALLY_SETTLED'
  if (isPartial && !isExpected) report('amountCaptured', payment.amount, amountCaptured)
  if (amountRefunded > 0 && !order.has('processor.amountRefunded')) report('amountRefunded', 0, amountRefunded)
  return differences
}

function textAt(payment: PaymentCore, path: string): string | undefined {
  // The service may omit an amount of 0.
  const value = valueAt(payment, path) ?? (amounts.includes(path) ? 0 : undefined)
  return typeof value === 'object' ? JSON.stringify(value) : value === undefined ? undefined : String(value)
}

/** Compares datetimes as times, because their formats may differ. */
function isSame(cell: string, value: string | undefined): boolean {
  return cell === value || (isDateTime(cell) && isDateTime(value) && parsePrecisely(cell) === parsePrecisely(value))
}
