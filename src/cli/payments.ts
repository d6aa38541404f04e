import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { PaymentsClient } from '../client.js'
import { RequestValidationError } from '../core/errors.js'
import { formatAmount } from '../core/helpers/money.js'
import { parseDatetime } from '../core/internal/calendar.js'
import { counted } from '../core/internal/plural.js'
import type { PaymentCore, PaymentSummary } from '../core/schemas/payment.js'
import { type Duration, isDuration, milliseconds } from '../testing/sandbox/internal/clock.js'
import { addServiceCommand, createClient } from './client.js'
import { addGroup, integerFrom, UsageError } from './command.js'
import { csvRow } from './csv.js'
import { asUsageError, filters, instant, noteUnknownStatuses, type Period, splitFilters } from './filters.js'
import { createTable, describeFields } from './table.js'
import { escapeControls, type Terminal } from './terminal.js'

export function addPaymentsCommands(program: Command, terminal: Terminal): void {
  const payments = addGroup(
    program,
    'payments',
    'Show and list payments',
    'payments list --format csv --from-date 2026-03-01 --before 2026-04-01 > march.csv',
  )
  addGet(payments, terminal)
  addList(payments, terminal)
}

function addGet(payments: Command, terminal: Terminal): void {
  addServiceCommand(payments, 'get', 'Show a payment', 'payments get pay_123')
    .argument('<id>', 'ID of the payment')
    .action(async (id, { json, ...connection }) => {
      const payment = await createClient(terminal, connection).payments.get(id, { signal: terminal.interrupted })
      terminal.print(...(json ? [JSON.stringify(payment)] : describeFields(payment)))
    })
}

const progressIntervalMs = 10_000
/** Maximum number of payments that `--transactions` fetches at the same time. */
const concurrentReads = 10

function addList(payments: Command, terminal: Terminal): void {
  const command = addServiceCommand(
    payments,
    'list',
    'List payments or their transactions',
    'payments list --format csv --from-date 2026-03-01 --before 2026-04-01 > march.csv',
  )
    .addOption(
      new Option('--format <format>', 'Format of the output. --json is the same as ndjson')
        .choices(['table', 'csv', 'ndjson', 'json'])
        .default('table' as const)
        .conflicts('json'),
    )
    .option('--transactions', 'List the transactions of the period, also those of older payments')
    .option(
      '--created-since <time>',
      'With --transactions, search payments created since this ISO 8601 time, or this long before --from-date ' +
        '(default: 180d)',
      checkedSince,
    )
    .option('--limit <number>', 'Maximum number of rows (default: all)', integerFrom(1))
    .option('--cursor <cursor>', 'Start at this position in the list (default: its beginning)')
    .addHelpText('after', listNotes)
  for (const filter of filters) command.addOption(filter)
  command.action(
    async ({
      limit = Infinity,
      cursor,
      json,
      format: formatName,
      transactions,
      createdSince,
      apiVersion,
      ...options
    }) => {
      if (createdSince !== undefined && !transactions) throw new UsageError('--created-since needs --transactions')
      const { params, period } = splitFilters(options)
      noteUnknownStatuses(params.status, terminal)
      const client = createClient(terminal, { apiVersion }, { maxConnections: concurrentReads })
      const kind: Kind = transactions ? transactionRows : paymentRows
      const fromDate = transactions ? searchStart(createdSince, period) : params.fromDate
      const list = client.payments.list(
        { ...params, fromDate, cursor, limit: Math.min(limit, 100) },
        { signal: terminal.interrupted },
      )
      const { head = '', rows: format, tail = '' } = formats[json ? 'ndjson' : formatName](kind, terminal)
      let count = 0
      // The position of the first page that is not printed yet.
      let next = cursor
      const showProgress = () => terminal.note(`${counted(count, kind.noun)} listed`)
      const timer = terminal.redraw && setInterval(showProgress, progressIntervalMs)
      try {
        // Omits the header when an export is continued, because the file already has one.
        if (cursor === undefined) await terminal.write(head)
        for await (const page of list.pages()) {
          const found = await kind.rowsOf(page.data, period, client, terminal.interrupted)
          const rows = found.slice(0, limit - count)
          await terminal.write(format(rows, count === 0))
          count += rows.length
          next = rows.length === found.length ? page.nextCursor : undefined
          if (count === limit) break
        }
        await terminal.write(tail)
      } catch (error) {
        throw error instanceof RequestValidationError ? asUsageError(error) : error
      } finally {
        clearInterval(timer)
        if (next !== undefined && next !== cursor) terminal.note(`Continue with --cursor ${next}`)
      }
    },
  )
}

const listNotes = `
Writes the rows to standard output while it reads the list. If it stops early, it prints the --cursor that continues the
list to standard error.`

function checkedSince(value: string): string {
  if (isDuration(value as Duration) || instant.safeParse(value).success) return value
  throw new InvalidArgumentError('It must be an ISO 8601 time, or a duration such as 365d.')
}

/** Returns the creation time of the oldest payments whose transactions may be in the period. */
function searchStart(createdSince = '180d', { start }: Period): Date | undefined {
  const duration = createdSince as Duration
  const time = isDuration(duration) ? start - milliseconds(duration) : parseDatetime(createdSince)
  return Number.isFinite(time) ? new Date(time) : undefined
}

type Row = object

/** A kind of row that the command can list. */
interface Kind {
  readonly noun: string
  /** Paths of the fields in CSV files. */
  readonly columns: readonly string[]
  readonly header: readonly string[]
  cellsOf(row: Row): unknown[]
  rowsOf(
    page: readonly PaymentSummary[],
    period: Period,
    client: PaymentsClient<string>,
    signal: AbortSignal,
  ): Row[] | Promise<Row[]>
}

export const paymentRows: Kind = {
  noun: 'payment',
  columns: [
    'id',
    'date',
    'dateUpdated',
    'status',
    'orderId',
    'currencyCode',
    'amount',
    'customerId',
    'processor.name',
    'processor.processorMerchantId',
    'processor.amountCaptured',
    'processor.amountRefunded',
    'metadata',
  ],
  header: ['ID', 'DATE', 'STATUS', 'ORDER', 'AMOUNT'],
  cellsOf({ id, date, status, orderId, amount, currencyCode }: PaymentSummary) {
    return [id, date, status, orderId, formattedAmount(amount, currencyCode)]
  },
  rowsOf: (page, period) => page.filter(({ date }) => period.includes(date)),
}

type TransactionRow = ReturnType<typeof transactionsOf>[number]

export const transactionRows: Kind = {
  noun: 'transaction',
  columns: [
    'paymentId',
    'orderId',
    'date',
    'transactionType',
    'processorStatus',
    'currencyCode',
    'amount',
    'processorTransactionId',
    'processorName',
    'processorMerchantId',
  ],
  header: ['PAYMENT', 'ORDER', 'DATE', 'TYPE', 'STATUS', 'AMOUNT', 'TRANSACTION'],
  cellsOf(row: TransactionRow) {
    const { paymentId, orderId, date, transactionType, processorStatus, processorTransactionId } = row
    const amount = formattedAmount(row.amount, row.currencyCode)
    return [paymentId, orderId, date, transactionType, processorStatus, amount, processorTransactionId]
  },
  async rowsOf(page, period, client, signal) {
    // Fetches each payment, because summaries usually lack the transactions.
    const payments = await Promise.all(page.map(({ id }) => client.payments.get(id, { signal })))
    return payments.flatMap(transactionsOf).filter(({ date }) => period.includes(date))
  },
}

function transactionsOf({ id, orderId, date, transactions = [] }: PaymentCore) {
  // A transaction without a date gets the payment's creation date.
  return transactions.map((transaction) => ({ paymentId: id, orderId, date, ...transaction }))
}

function formattedAmount(amount: number | undefined, currencyCode: string | undefined): unknown {
  const canFormat = amount !== undefined && /^[A-Za-z]{3}$/.test(currencyCode ?? '')
  return canFormat ? formatAmount(amount, currencyCode as string) : amount
}

interface Format {
  readonly head?: string
  rows(rows: readonly Row[], isFirst: boolean): string
  readonly tail?: string
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
const jsonOf = (row: Row): string => escapeControls(JSON.stringify(row))

const formats = {
  table({ header, cellsOf }: Kind): Format {
    const table = createTable(...header)
    return { rows: (rows) => linesOf(table(rows.map(cellsOf))) }
  },
  csv({ columns }: Kind, { columns: terminalWidth }: Terminal): Format {
    // Escapes control characters only on a terminal, because other programs need the exact data.
    const shown = (value: unknown) =>
      terminalWidth !== undefined && typeof value === 'string' ? escapeControls(value) : value
    return {
      head: csvRow(columns),
      rows: (rows) => rows.map((row) => csvRow(columns.map((path) => shown(valueAt(row, path))))).join(''),
    }
  },
  ndjson(): Format {
    return { rows: (rows) => linesOf(rows.map(jsonOf)) }
  },
  json(): Format {
    const row = (value: Row, isFirst: boolean) => `${isFirst ? '' : ','}\n${jsonOf(value)}`
    return {
      head: '[',
      rows: (rows, isFirst) => rows.map((value, index) => row(value, isFirst && index === 0)).join(''),
      tail: '\n]\n',
    }
  },
}

export function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, key) => Object(value)[key], object)
}
