import { type Command, Option } from '@commander-js/extra-typings'
import { list as operation } from '../contract/payments.js'
import { PaymentsError, RequestValidationError } from '../errors.js'
import { formatAmount } from '../helpers/money.js'
import { describeIssues, unknownKey } from '../internal/issues.js'
import type { PaymentSummary } from '../schemas/payment.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'
import { apiVersion, createClient, variables } from './client.js'
import { addCommand, integerFrom, UsageError } from './command.js'
import { createTable, describeFields } from './table.js'
import type { Terminal } from './terminal.js'

/** Adds `payments-client payments get` and `list`. */
export function addPaymentsCommands(program: Command, terminal: Terminal): void {
  const payments = program.command('payments').description('Show payments')
  addGet(payments, terminal)
  addList(payments, terminal)
}

function addGet(payments: Command, terminal: Terminal): void {
  addCommand(payments, 'get', 'Show a payment', 'payments get pay_123')
    .argument('<id>', 'ID of the payment')
    .addOption(apiVersion())
    .addHelpText('after', variables)
    .action(async (id, { json, apiVersion }) => {
      const payment = await createClient(terminal, apiVersion).payments.get(id, { signal: terminal.interrupted })
      terminal.print(...(json ? [JSON.stringify(payment)] : describeFields(payment)))
    })
}

/** The options for the filters of the list. Commander converts their names to those of the parameters. */
const filters = [
  new Option('--status <status,…>', 'One or more statuses, separated by commas, e.g. SETTLED,DECLINED').argParser(
    (value) => value.split(','),
  ),
  new Option('--payment-method-type <type>', 'Payment method type, e.g. PAYMENT_CARD'),
  new Option('--processor <name>', 'Name of the processor'),
  new Option('--currency-code <code>', 'Currency, e.g. EUR'),
  new Option('--from-date <datetime>', 'Only payments created at or after this ISO 8601 time'),
  new Option('--to-date <datetime>', 'Only payments created at or before this ISO 8601 time'),
  new Option('--order-id <id>', 'ID of the order'),
  new Option('--min-amount <amount>', 'Minimum amount in minor units').argParser(integerFrom(0)),
  new Option('--max-amount <amount>', 'Maximum amount in minor units').argParser(integerFrom(0)),
  new Option('--customer-id <id>', 'ID of the customer'),
  new Option('--merchant-id <id>', 'ID of the merchant at the processor'),
  new Option('--customer-email-address <address>', 'E-mail address of the customer'),
  new Option('--last-4-digits <digits>', 'Last four digits of the card'),
  new Option('--partnera-email <address>', 'E-mail address of the wallet account of partner A'),
  new Option('--partnerb-email <address>', 'E-mail address of the account of partner B'),
]

function addList(payments: Command, terminal: Terminal): void {
  const command = addCommand(payments, 'list', 'List payments', 'payments list --status SETTLED --limit 20')
    .option('--limit <number>', 'Show at most this many payments (default: all)', integerFrom(1))
    .option('--cursor <cursor>', 'Start at this position of the list (default: its beginning)')
    .addOption(apiVersion())
    .addHelpText('after', variables)
  for (const filter of filters) command.addOption(filter)
  command.action(async ({ limit = Infinity, cursor, json, apiVersion, ...filters }) => {
    const params: ListPaymentsParams = { ...filters, cursor, limit: Math.min(limit, 100) }
    noteUnknownStatuses(params.status, terminal)
    const list = createClient(terminal, apiVersion).payments.list(params, { signal: terminal.interrupted })
    const table = createTable('ID', 'DATE', 'STATUS', 'ORDER', 'AMOUNT')
    let remaining = limit
    try {
      for await (const page of list.pages()) {
        const rows = page.data.slice(0, remaining)
        terminal.print(...(json ? rows.map((row) => JSON.stringify(row)) : table(rows.map(cellsOf))))
        remaining -= rows.length
        if (remaining === 0) break
      }
    } catch (error) {
      if (error instanceof RequestValidationError) throw asUsageError(error)
      if (error instanceof PaymentsError && error.cursor) terminal.note(`Continue with --cursor ${error.cursor}`)
      throw error
    }
  })
}

function cellsOf({ id, date, status, orderId, amount, currencyCode }: PaymentSummary): unknown[] {
  return [id, date, status, orderId, formattedAmount(amount, currencyCode)]
}

/** Formats an amount. Returns minor units if the currency is missing or not a valid code. */
function formattedAmount(amount: number | undefined, currencyCode: string | undefined): unknown {
  const canFormat = amount !== undefined && /^[A-Za-z]{3}$/.test(currencyCode ?? '')
  return canFormat ? formatAmount(amount, currencyCode as string) : amount
}

/** Explains statuses that are probably misspelt. No payment matches them. */
function noteUnknownStatuses(statuses: ListPaymentsParams['status'], terminal: Terminal): void {
  const known = operation.query?.knownValues?.status ?? []
  for (const status of [statuses ?? []].flat().filter((status) => status !== '' && !known.includes(status))) {
    terminal.note(`--status ${status}: ${unknownKey([status], known, 'known status').message}`)
  }
}

/** Converts a validation error so that its message shows option names instead of parameter names. */
function asUsageError({ issues }: RequestValidationError): UsageError {
  const renamed = issues.map(({ path: [name, ...rest], ...issue }) => {
    const option = operation.query!.names[name as keyof ListPaymentsParams].replaceAll('_', '-')
    return { ...issue, path: [`--${option}`, ...rest] }
  })
  return new UsageError(describeIssues(renamed))
}
