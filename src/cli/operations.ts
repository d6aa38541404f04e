import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { PaymentsClient } from '../client.js'
import { parseDatetime } from '../core/internal/calendar.js'
import type { Journal } from '../core/options.js'
import { finalStates, type OperationRecord, openStates } from '../operations/record.js'
import { type Duration, isDuration, milliseconds } from '../testing/sandbox/internal/clock.js'
import { apiVersionOption, createClient, variables } from './client.js'
import { addGroup, CommandFailed, checked, integerFrom } from './command.js'
import { instant } from './filters.js'
import { addJournalCommand, withJournal } from './journal.js'
import { createTable, describeFields } from './table.js'
import type { Terminal } from './terminal.js'

export function addOperationsCommands(program: Command, terminal: Terminal): void {
  const operations = addGroup(
    program,
    'operations',
    'Show, finish and resolve the operations in a journal',
    'operations recover --database postgres://localhost/shop',
  )
  addList(operations, terminal)
  addShow(operations, terminal)
  addRecover(operations, terminal)
  addResolve(operations, terminal)
}

function addList(operations: Command, terminal: Terminal): void {
  addJournalCommand(
    operations,
    'list',
    'List operations, oldest first',
    'operations list --database postgres://localhost/shop --state needs_review',
  )
    .addOption(new Option('--state <state>', 'Only operations in this state').choices([...openStates, ...finalStates]))
    .option('--payment-id <id>', 'Only operations of this payment')
    .option('--before <datetime>', 'Only operations stored before this ISO 8601 time', toDate)
    .action(async ({ json, state, paymentId, before, ...location }) => {
      const filter = { ...(state && { state }), ...(paymentId && { paymentId }), ...(before && { before }) }
      const records = await withJournal(terminal, location, {}, (journal) => reader(journal).list(filter))
      const table = createTable('KEY', 'OPERATION', 'STATE', 'CREATED', 'ATTEMPTS', 'PAYMENT', 'ACKNOWLEDGED', 'REASON')
      // Lists omit the request bodies, because these contain personal data.
      const lines = json ? records.map(({ body, ...record }) => JSON.stringify(record)) : table(records.map(cellsOf))
      terminal.print(...lines)
    })
}

function cellsOf(record: OperationRecord): unknown[] {
  const { key, operation, state, createdAt, attempts, id, paymentId = id, acknowledgedAt, reason } = record
  return [key, operation, state, createdAt.toISOString(), attempts, paymentId, acknowledgedAt?.toISOString(), reason]
}

function addShow(operations: Command, terminal: Terminal): void {
  addJournalCommand(
    operations,
    'show',
    'Show an operation, including its request body',
    'operations show refund-return-381 --database shop.db',
  )
    .argument('<key>', 'Idempotency key of the operation')
    .action(async (key, { json, ...location }) => {
      const record = await withJournal(terminal, location, {}, (journal) => reader(journal).get(key))
      if (record === undefined) {
        terminal.note('The journal has no operation with this key')
        throw new CommandFailed()
      }
      const text = JSON.stringify(record)
      terminal.print(...(json ? [text] : describeFields(JSON.parse(text))))
    })
}

function addRecover(operations: Command, terminal: Terminal): void {
  addJournalCommand(
    operations,
    'recover',
    'Finish the operations that a crash or an outage interrupted',
    'operations recover --database postgres://localhost/shop',
  )
    .alias('settle')
    .option('--limit <number>', 'Maximum number of operations (default: 1000)', integerFrom(1))
    .option('--concurrency <number>', 'Maximum number of operations at a time (default: 4)', integerFrom(1, 1000))
    .option('--key-lifetime <duration>', 'Must not exceed the keyLifetime in your code (default: 24h)', toMilliseconds)
    .addOption(apiVersionOption)
    .addHelpText('after', `${recoverNotes}\n${variables}`)
    .action(async ({ json, limit, concurrency, keyLifetime, apiVersion, ...location }) => {
      const options = keyLifetime === undefined ? {} : { keyLifetime }
      const report = await withJournal(terminal, location, options, (journal) =>
        createClient(terminal, { apiVersion }, { journal }).operations.recover({
          ...(limit !== undefined && { limit }),
          ...(concurrency !== undefined && { concurrency }),
          signal: terminal.interrupted,
        }),
      )
      terminal.print(...(json ? [JSON.stringify(report)] : describeFields(report)))
      if (report.needsReview > 0 || terminal.interrupted.aborted) throw new CommandFailed()
    })
}

const recoverNotes = `
Does not call your function onSettled. The next recover() in your code calls onSettled with these results.
The exit code is 1 if operations need a review, and 2 if open operations belong to another base URL.`

function addResolve(operations: Command, terminal: Terminal): void {
  addJournalCommand(
    operations,
    'resolve',
    'Store whether an operation that needs a review took effect',
    'operations resolve refund-return-381 --outcome succeeded --transaction-id re_1 --database shop.db',
  )
    .argument('<key>', 'Idempotency key of the operation')
    .addOption(
      new Option('--outcome <outcome>', 'Whether the operation took effect')
        .choices(['succeeded', 'not_executed'] as const)
        .makeOptionMandatory(),
    )
    .option('--payment-id <id>', 'Payment that the operation created')
    .option('--transaction-id <id>', 'Transaction of the refund')
    .addHelpText('after', '\nThe next recover() in your code calls onSettled with the new state.')
    .action(async (key, { json, outcome, paymentId, transactionId, ...location }) => {
      const ids = { ...(paymentId && { paymentId }), ...(transactionId && { transactionId }) }
      const record = await withJournal(terminal, location, {}, (journal) =>
        reader(journal).resolve(key, { outcome, ...ids }),
      )
      const text = JSON.stringify(record)
      terminal.print(...(json ? [text] : describeFields(JSON.parse(text))))
    })
}

/** Returns the operations of a journal, for commands that send no requests and so need no API key. */
function reader(journal: Journal) {
  return new PaymentsClient({ apiKey: 'unused', baseUrl: 'https://service.invalid', journal }).operations
}

function toDate(value: string): Date {
  return new Date(parseDatetime(checked(instant)(value)))
}

function toMilliseconds(value: string): number {
  const duration = value as Duration
  if (isDuration(duration) && milliseconds(duration) > 0) return milliseconds(duration)
  throw new InvalidArgumentError('It must be a duration, such as 24h or 90m.')
}
