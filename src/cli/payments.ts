import type { Command } from '@commander-js/extra-typings'
import { PaymentsError, RequestValidationError } from '../core/errors.js'
import { formatAmount } from '../core/helpers/money.js'
import type { PaymentSummary } from '../core/schemas/payment.js'
import { addServiceCommand, createClient } from './client.js'
import { integerFrom } from './command.js'
import { addExport } from './export.js'
import { asUsageError, filters, noteUnknownStatuses, splitFilters } from './filters.js'
import { createTable, describeFields } from './table.js'
import type { Terminal } from './terminal.js'

export function addPaymentsCommands(program: Command, terminal: Terminal): void {
  const payments = program.command('payments').description('Show and export payments')
  addGet(payments, terminal)
  addList(payments, terminal)
  addExport(payments, terminal)
}

function addGet(payments: Command, terminal: Terminal): void {
  addServiceCommand(payments, 'get', 'Show a payment', 'payments get pay_123')
    .argument('<id>', 'ID of the payment')
    .action(async (id, { json, ...connection }) => {
      const payment = await createClient(terminal, connection).payments.get(id, { signal: terminal.interrupted })
      terminal.print(...(json ? [JSON.stringify(payment)] : describeFields(payment)))
    })
}

function addList(payments: Command, terminal: Terminal): void {
  const command = addServiceCommand(payments, 'list', 'List payments', 'payments list --status SETTLED --limit 20')
    .option('--limit <number>', 'Show at most this many payments (default: all)', integerFrom(1))
    .option('--cursor <cursor>', 'Start at this position in the list (default: its beginning)')
  for (const filter of filters) command.addOption(filter)
  command.action(async ({ limit = Infinity, cursor, json, apiVersion, proxy, ...options }) => {
    const { params, accepts } = splitFilters(options)
    noteUnknownStatuses(params.status, terminal)
    const list = createClient(terminal, { apiVersion, proxy }).payments.list(
      { ...params, cursor, limit: Math.min(limit, 100) },
      { signal: terminal.interrupted },
    )
    const table = createTable('ID', 'DATE', 'STATUS', 'ORDER', 'AMOUNT')
    let remaining = limit
    try {
      for await (const page of list.pages()) {
        const rows = page.data.filter(accepts).slice(0, remaining)
        terminal.print(...(json ? rows.map((row) => JSON.stringify(row)) : table(rows.map(cellsOf))))
        remaining -= rows.length
        if (remaining === 0) break
      }
    } catch (error) {
      if (error instanceof RequestValidationError) throw asUsageError(error)
      const reached = error instanceof PaymentsError ? error.cursor : undefined
      if (reached !== undefined && reached !== cursor) terminal.note(`Continue with --cursor ${reached}`)
      throw error
    }
  })
}

function cellsOf({ id, date, status, orderId, amount, currencyCode }: PaymentSummary): unknown[] {
  return [id, date, status, orderId, formattedAmount(amount, currencyCode)]
}

function formattedAmount(amount: number | undefined, currencyCode: string | undefined): unknown {
  const canFormat = amount !== undefined && /^[A-Za-z]{3}$/.test(currencyCode ?? '')
  return canFormat ? formatAmount(amount, currencyCode as string) : amount
}
