import type { PaymentSummary } from '../core/schemas/payment.js'

export interface ExportFormat {
  readonly head: string
  row(payment: PaymentSummary, isFirst: boolean): string
  readonly tail: string
}

/** Spreadsheets run a cell that starts with one of these characters as a formula. A leading apostrophe prevents this. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/

/** The columns of CSV files: paths of payment fields. */
const columns = [
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
]

export const exportFormats: Readonly<Record<'csv' | 'ndjson' | 'json', ExportFormat>> = {
  csv: { head: csvRow(columns), row: (payment) => csvRow(columns.map((path) => valueAt(payment, path))), tail: '' },
  ndjson: { head: '', row: (payment) => `${JSON.stringify(payment)}\n`, tail: '' },
  json: {
    head: '[',
    row: (payment, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(payment)}`,
    tail: '\n]\n',
  },
}

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, key) => Object(value)[key], object)
}

/** Formats a row as RFC 4180 specifies. */
function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Removes the apostrophe that an export adds before a formula. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell
}
