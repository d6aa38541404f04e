import { PaymentsClient } from '../client.js'
import { list as operation } from '../contract/payments.js'
import { ConfigurationError, PaymentsError, RequestValidationError } from '../errors.js'
import { describeIssues, unknownKey } from '../internal/issues.js'
import { integer } from '../internal/options.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'
import { defineCommand, type Option, requiredVariable, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

const notes = ['Reads the environment variables PAYMENTS_BASE_URL and PAYMENTS_API_KEY.']

/** `payments-client payments get <id>` */
export const paymentsGet = defineCommand({
  summary: 'Print a payment as JSON',
  operands: ['<id>'],
  options: {},
  notes,
  async run({ operands: [id = ''] }, terminal) {
    const payment = await createClient(terminal).payments.get(id, { signal: terminal.interrupted })
    terminal.print(JSON.stringify(payment))
    return 0
  },
})

type Filter = Exclude<keyof ListPaymentsParams, 'limit' | 'cursor'>

const filters: Readonly<Record<Filter, Option>> = {
  status: { value: 'status,…', help: 'One or more statuses, separated by commas, e.g. SETTLED,DECLINED' },
  paymentMethodType: { value: 'type', help: 'Payment method type, e.g. PAYMENT_CARD' },
  processor: { value: 'name', help: 'Name of the processor' },
  currencyCode: { value: 'code', help: 'Currency, e.g. EUR' },
  fromDate: { value: 'datetime', help: 'Only payments created at or after this ISO 8601 time' },
  toDate: { value: 'datetime', help: 'Only payments created at or before this ISO 8601 time' },
  orderId: { value: 'id', help: 'ID of the order' },
  minAmount: { value: 'amount', help: 'Minimum amount in minor units', number: true, rule: integer(0) },
  maxAmount: { value: 'amount', help: 'Maximum amount in minor units', number: true, rule: integer(0) },
  customerId: { value: 'id', help: 'ID of the customer' },
  merchantId: { value: 'id', help: 'ID of the merchant at the processor' },
  customerEmailAddress: { value: 'address', help: 'E-mail address of the customer' },
  last4Digits: { value: 'digits', help: 'Last four digits of the card' },
  partneraEmail: { value: 'address', help: 'E-mail address of the wallet account of partner A' },
  partnerbEmail: { value: 'address', help: 'E-mail address of the account of partner B' },
}

const filterNames = Object.keys(filters) as Filter[]

/** `payments-client payments list` */
export const paymentsList = defineCommand({
  summary: 'Print payments as JSON, one per line',
  options: {
    limit: { value: 'number', help: 'Print at most this many payments (default: all)', number: true, rule: integer(1) },
    cursor: { value: 'cursor', help: 'Start at this position of the list (default: its beginning)' },
    ...(Object.fromEntries(filterNames.map((name) => [optionName(name), filters[name]])) as object),
  },
  notes,
  async run({ values }, terminal) {
    const { limit = Infinity, cursor } = values
    const params = { ...readFilters(values), cursor, limit: Math.min(limit, 100) }
    noteUnknownStatuses(params.status, terminal)
    const list = createClient(terminal).payments.list(params, { signal: terminal.interrupted })
    let printed = 0
    try {
      for await (const payment of list) {
        terminal.print(JSON.stringify(payment))
        printed += 1
        if (printed === limit) break
      }
    } catch (error) {
      if (error instanceof RequestValidationError) throw asUsageError(error)
      if (error instanceof PaymentsError && error.cursor) terminal.note(`Continue with --cursor ${error.cursor}`)
      throw error
    }
    return 0
  },
})

/** Returns the option name for a query parameter, for example `last-4-digits`. */
function optionName(parameter: keyof ListPaymentsParams): string {
  return operation.query!.names[parameter].replaceAll('_', '-')
}

function readFilters(values: Readonly<Record<string, string | number | undefined>>): ListPaymentsParams {
  const params = Object.fromEntries(filterNames.map((name) => [name, values[optionName(name)]]))
  return { ...params, status: params['status']?.toString().split(',') }
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
    return { ...issue, path: [`--${optionName(name as keyof ListPaymentsParams)}`, ...rest] }
  })
  return new UsageError(describeIssues(renamed))
}

function createClient(terminal: Terminal): PaymentsClient {
  const apiKey = requiredVariable(terminal, 'PAYMENTS_API_KEY')
  const baseUrl = requiredVariable(terminal, 'PAYMENTS_BASE_URL')
  try {
    return new PaymentsClient({ apiKey, baseUrl })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new UsageError(`${error.message} (apiKey comes from PAYMENTS_API_KEY, baseUrl from PAYMENTS_BASE_URL)`)
  }
}
