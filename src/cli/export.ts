import { existsSync, statSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { type Command, Option } from '@commander-js/extra-typings'
import type { PaymentsClient } from '../client.js'
import { ApiError, RequestValidationError } from '../core/errors.js'
import { counted } from '../core/internal/plural.js'
import type { PaymentSummary } from '../core/schemas/payment.js'
import type { ListPaymentsParams } from '../core/schemas/payments-list.js'
import { addServiceCommand, createClient } from './client.js'
import { UsageError } from './command.js'
import { ExportFile } from './export-file.js'
import { type ExportFormat, exportFormats } from './export-format.js'
import { asUsageError, filters, noteUnknownStatuses, splitFilters } from './filters.js'
import type { Terminal } from './terminal.js'

export function addExport(payments: Command, terminal: Terminal): void {
  const command = addServiceCommand(
    payments,
    'export',
    'Export payments to a file',
    'payments export --format csv --out march.csv --from-date 2026-03-01 --before 2026-04-01',
  )
    .addOption(
      new Option('--format <format>', 'Format of the file').choices(['csv', 'ndjson', 'json']).makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'File to write. It is replaced when the export is complete')
    .option('--resume', 'Continue an interrupted export. Pass the same options as before')
    .addHelpText('after', notes)
  for (const filter of filters) command.addOption(filter)
  command.action(async ({ format: formatName, out, resume, json, apiVersion, proxy, ...options }) => {
    if (out === '') throw new UsageError('--out is empty: pass the name of the file to write')
    if (existsSync(out) && statSync(out).isDirectory()) throw new UsageError('--out must be a file, not a folder')
    const { params, accepts } = splitFilters(options)
    noteUnknownStatuses(params.status, terminal)
    const client = createClient(terminal, { apiVersion, proxy })
    const format = exportFormats[formatName]
    const settings = { format: formatName, baseUrl: terminal.env['PAYMENTS_BASE_URL'], apiVersion, ...options }
    const file = await ExportFile.open(out, settings, format.head, resume)
    if (resume && !file.isResumed) terminal.note(`Found no interrupted export to ${out}: starting from the beginning`)
    const progress = showProgress(file, terminal)
    limitMemory()
    try {
      await exportPayments(client, params, accepts, format, file, terminal.interrupted)
      file.finish(format.tail)
    } catch (error) {
      if (file.ids.size === 0 && !terminal.interrupted.aborted) file.discard()
      else {
        file.suspend()
        progress.stop()
        terminal.note(`Stopped after ${counted(file.ids.size, 'payment')}. To continue, run the command with --resume`)
      }
      throw error instanceof RequestValidationError ? asUsageError(error) : error
    } finally {
      progress.stop()
    }
    const payments = file.ids.size
    const { durationMs } = progress
    terminal.print(
      json ? JSON.stringify({ file: out, payments, durationMs }) : `Exported ${counted(payments, 'payment')} to ${out}`,
    )
  })
}

/**
 * Makes V8 collect garbage early. By default, Node keeps up to 100 MB of short-lived objects. The flag is safe at run
 * time, because it affects only garbage collection. Bun does not support it.
 */
function limitMemory(): void {
  if (!process.versions['bun']) setFlagsFromString('--optimize-for-size')
}

const notes = `
The payments are written to FILE.partial, which is renamed at the end. After an interruption or a failure, pass --resume.`

/** Statuses with which the service may reject an expired cursor. */
const cursorRejections = [400, 404, 410, 422]

/**
 * Writes each payment in the list exactly once.
 *
 * At the end of the list, starts again from the beginning, until a page contains no new payment. If the list is sorted
 * newest first, this finds payments that were created during the export.
 *
 * Also starts again if the service rejects the cursor.
 */
async function exportPayments(
  client: PaymentsClient<string>,
  params: ListPaymentsParams,
  accepts: (payment: PaymentSummary) => boolean,
  format: ExportFormat,
  file: ExportFile,
  signal: AbortSignal,
): Promise<void> {
  let sizeAtRestart = -1
  while (true) {
    const { cursor } = file.progress
    try {
      for await (const { data, nextCursor } of client.payments
        .list({ ...params, cursor, limit: 100 }, { signal })
        .pages()) {
        const { isListed } = file.progress
        const ids: string[] = []
        let text = ''
        for (const payment of data) {
          if (file.ids.has(payment.id) || !accepts(payment)) continue
          text += format.row(payment, file.ids.size === 0)
          file.ids.add(payment.id)
          ids.push(payment.id)
        }
        file.add(ids, text, { cursor: nextCursor, isListed: isListed || nextCursor === undefined })
        if (isListed && (ids.length === 0 || nextCursor === undefined)) return
      }
    } catch (error) {
      const isExpired =
        error instanceof ApiError && error.cursor !== undefined && cursorRejections.includes(error.httpStatus)
      // Another restart from the beginning would not help if the previous restart found no new payment.
      if (!isExpired || file.ids.size === sizeAtRestart) throw error
      sizeAtRestart = file.ids.size
      file.progress = { isListed: file.progress.isListed }
    }
  }
}

/** Shows the number of payments, their rate and the elapsed time. Without a terminal, prints a line every 10 s. */
function showProgress({ ids }: ExportFile, { redraw, note }: Terminal) {
  const startedAt = performance.now()
  const before = ids.size
  const show = () => {
    const seconds = (performance.now() - startedAt) / 1_000
    const rate = Math.round((ids.size - before) / seconds)
    const elapsed = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
    const line = `${counted(ids.size, 'payment')}  ${rate.toLocaleString('en')}/s  ${elapsed}`
    if (redraw) redraw(line)
    else note(line)
  }
  const timer = setInterval(show, redraw ? 100 : 10_000)
  return {
    get durationMs() {
      return Math.round(performance.now() - startedAt)
    },
    stop() {
      clearInterval(timer)
      redraw?.('')
    },
  }
}
