import { type Command, Option } from '@commander-js/extra-typings'
import { PaymentsClient } from '../client.js'
import { parseDatetime } from '../core/internal/calendar.js'
import { createOrders, type Order, type Orders } from '../orders/index.js'
import { orderStates } from '../orders/types.js'
import { apiVersionOption, createClient, variables } from './client.js'
import { addGroup, CommandFailed, checked, integerFrom } from './command.js'
import { instant } from './filters.js'
import { addJournalCommand, type JournalLocation, withDatabase } from './journal.js'
import { createTable, describeFields } from './table.js'
import type { Terminal } from './terminal.js'

export function addOrdersCommands(program: Command, terminal: Terminal): void {
  const orders = addGroup(
    program,
    'orders',
    'Show, finish and review the orders of a shop',
    'orders show order-17 --database shop.db',
  )
  addShow(orders, terminal)
  addList(orders, terminal)
  addReview(orders, terminal)
  addResolve(orders, terminal)
  addRecover(orders, terminal)
  addSync(orders, terminal)
}

function addOrdersCommand<Usage extends string>(parent: Command, usage: Usage, summary: string, example: string) {
  return addJournalCommand(parent, usage, summary, example).option(
    '--key-prefix <prefix>',
    'The option keyPrefix in your code',
  )
}

type Location = JournalLocation & { readonly keyPrefix?: string | undefined }

/** Runs `work` with the orders of a database. The default client does not send requests, so it needs no API key. */
function withOrders<T>(
  terminal: Terminal,
  { keyPrefix, ...location }: Location,
  work: (orders: Orders) => Promise<T>,
  client = new PaymentsClient({ apiKey: 'unused', baseUrl: 'https://service.invalid' }),
): Promise<T> {
  const prefix = keyPrefix === undefined ? {} : { keyPrefix }
  return withDatabase(terminal, location, ({ database, names }) =>
    work(createOrders({ client, database, ...names, ...prefix }) as Orders),
  )
}

function addShow(parent: Command, terminal: Terminal): void {
  addOrdersCommand(parent, 'show', 'Show an order', 'orders show order-17 --database shop.db')
    .argument('<order>', 'ID of the order')
    .action(async (id, { json, ...location }) => {
      const order = await withOrders(terminal, location, (orders) => orders.get(id))
      if (order === undefined) {
        terminal.note('The tables do not contain this order')
        throw new CommandFailed()
      }
      terminal.print(...(json ? [JSON.stringify(order)] : describeFields(order)))
    })
}

function addList(parent: Command, terminal: Terminal): void {
  addOrdersCommand(parent, 'list', 'List orders, oldest change first', 'orders list --state paid --database shop.db')
    .addOption(new Option('--state <state>', 'Only orders in this state').choices(orderStates))
    .option('--updated-since <datetime>', 'Only orders that changed at this ISO 8601 time or later', toDate)
    .option('--limit <number>', 'Maximum number of orders (default: 100)', integerFrom(1, 1000))
    .option('--cursor <cursor>', 'Continues after the previous page')
    .action(async ({ json, state, updatedSince, limit, cursor, ...location }) => {
      const filter = { state, updatedSince, limit, cursor }
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
      const { data, nextCursor } = await withOrders(terminal, location, (orders) => orders.list(given))
      const table = createTable('ORDER', 'STATE', 'AMOUNT', 'CURRENCY', 'CAPTURED', 'REFUNDED', 'MAY SHIP', 'REVIEW')
      terminal.print(...(json ? data.map((order) => JSON.stringify(order)) : table(data.map(cellsOf))))
      if (nextCursor !== undefined) terminal.note(`More orders: --cursor '${nextCursor}'`)
    })
}

function cellsOf({ id, state, amount, currencyCode, captured, refunded, mayShip, needsReview }: Order): unknown[] {
  return [id, state, amount, currencyCode, captured, refunded, mayShip ? 'yes' : 'no', needsReview ? 'yes' : 'no']
}

function addReview(parent: Command, terminal: Terminal): void {
  const summary = 'List the decisions that need a person'
  addOrdersCommand(parent, 'review', summary, 'orders review --database shop.db').action(
    async ({ json, ...location }) => {
      const decisions = await withOrders(terminal, location, (orders) => orders.review())
      const table = createTable('KEY', 'ORDER', 'KIND', 'AMOUNT', 'REASON')
      const rows = decisions.map(({ key, orderId, kind, amount, reason }) => [key, orderId, kind, amount, reason])
      terminal.print(...(json ? decisions.map((decision) => JSON.stringify(decision)) : table(rows)))
    },
  )
}

function addResolve(parent: Command, terminal: Terminal): void {
  addOrdersCommand(
    parent,
    'resolve',
    'Store whether a decision that needs a review took effect',
    'orders resolve refund-17-1 --outcome succeeded --transaction-id re_1 --database shop.db',
  )
    .argument('<key>', 'Key of the decision')
    .addOption(
      new Option('--outcome <outcome>', 'Whether the decision took effect')
        .choices(['succeeded', 'not_executed'] as const)
        .makeOptionMandatory(),
    )
    .option('--payment-id <id>', 'Payment that the decision created')
    .option('--transaction-id <id>', 'Transaction of the refund')
    .addHelpText('after', notes)
    .action(async (key, { json, outcome, paymentId, transactionId, ...location }) => {
      const ids = { ...(paymentId && { paymentId }), ...(transactionId && { transactionId }) }
      const order = await withOrders(terminal, location, (orders) => orders.resolve(key, { outcome, ...ids }))
      terminal.print(...(json ? [JSON.stringify(order)] : describeFields(Object(order))))
    })
}

const notes = '\nDoes not call your function onChange. The next recover() in your code calls it.'

function addRecover(parent: Command, terminal: Terminal): void {
  addOrdersCommand(parent, 'recover', 'Finish interrupted decisions', 'orders recover --database shop.db')
    .option('--limit <number>', 'Maximum number of decisions (default: 1000)', integerFrom(1))
    .addOption(apiVersionOption)
    .addHelpText('after', `${notes}\nThe exit code is 1 if decisions need a review.\n${variables}`)
    .action(async ({ json, limit, apiVersion, ...location }) => {
      const options = { ...(limit !== undefined && { limit }), signal: terminal.interrupted }
      const client = createClient(terminal, { apiVersion }) as PaymentsClient
      const report = await withOrders(terminal, location, (orders) => orders.recover(options), client)
      terminal.print(...(json ? [JSON.stringify(report)] : describeFields(report)))
      if (report.needsReview > 0) throw new CommandFailed()
    })
}

function addSync(parent: Command, terminal: Terminal): void {
  addOrdersCommand(parent, 'sync', 'Store the states whose webhooks were lost', 'orders sync --database shop.db')
    .option('--from <datetime>', 'Reads from this ISO 8601 time, for example after restoring a backup', toDate)
    .addOption(apiVersionOption)
    .addHelpText('after', `${notes}\n${variables}`)
    .action(async ({ json, from, apiVersion, ...location }) => {
      const options = { ...(from !== undefined && { from }), signal: terminal.interrupted }
      const client = createClient(terminal, { apiVersion }) as PaymentsClient
      const report = await withOrders(terminal, location, (orders) => orders.sync(options), client)
      terminal.print(...(json ? [JSON.stringify(report)] : describeFields(report)))
    })
}

function toDate(value: string): Date {
  return new Date(parseDatetime(checked(instant)(value)))
}
