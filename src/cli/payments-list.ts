import type { PaymentsClient } from '../client.js'
import { list as operation } from '../contract/payments.js'
import { PaymentsError, RequestValidationError } from '../errors.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'
import { clientOf } from './client.js'
import { defineCommand, type Option, UsageError, wholeNumber } from './command.js'
import type { Terminal } from './terminal.js'

type Filter = Exclude<keyof ListPaymentsParams, 'limit' | 'cursor'>

/** What each filter takes, and what it finds. */
const filters: Readonly<Record<Filter, readonly [value: string, help: string]>> = {
  status: ['status,…', 'Any of these, e.g. SETTLED,DECLINED'],
  paymentMethodType: ['type', 'e.g. PAYMENT_CARD'],
  processor: ['name', 'Name of the processor'],
  currencyCode: ['code', 'e.g. EUR'],
  fromDate: ['datetime', 'Created then or later, ISO 8601'],
  toDate: ['datetime', 'Created then or earlier, ISO 8601'],
  orderId: ['id', 'Of this order'],
  minAmount: ['amount', 'At least, in minor units'],
  maxAmount: ['amount', 'At most, in minor units'],
  customerId: ['id', 'Of this customer'],
  merchantId: ['id', 'Of this merchant'],
  customerEmailAddress: ['address', 'Of the customer with this address'],
  last4Digits: ['digits', 'Last four digits of the card'],
  partneraEmail: ['address', 'Of a first third-party wallet account'],
  partnerbEmail: ['address', 'Of a second third-party account'],
}

const filterNames = Object.keys(filters) as Filter[]

/** `payments-client payments list` */
export const paymentsList = defineCommand({
  summary: 'Print payments as JSON, one a line',
  options: {
    ...Object.fromEntries(filterNames.map((filter) => [flagOf(filter), optionOf(filter)])),
    limit: { value: 'number', help: 'Print at most so many (default: all)' },
    cursor: { value: 'cursor', help: 'Start here instead of at the beginning' },
  },
  notes: 'The environment says where and who: PAYMENTS_BASE_URL, PAYMENTS_API_KEY.',
  async run({ values }, terminal) {
    const { limit, cursor } = values
    const most = limit === undefined ? Infinity : wholeNumber('--limit', limit, 1)
    const params = { ...filtersIn(values), cursor, limit: Math.min(most, 100) }
    await printAll(clientOf(terminal), params, most, terminal)
    return 0
  },
})

/** The service's spelling, with dashes: `--last-4-digits`. */
function flagOf(filter: keyof ListPaymentsParams): string {
  return operation.query!.names[filter].replaceAll('_', '-')
}

function optionOf(filter: Filter): Option {
  const [value, help] = filters[filter]
  return { value, help }
}

function filtersIn(values: Readonly<Record<string, string | undefined>>): ListPaymentsParams {
  const given = filterNames.flatMap((filter) => {
    const flag = flagOf(filter)
    const text = values[flag]
    return text === undefined ? [] : [[filter, read(filter, flag, text)] as const]
  })
  return Object.fromEntries(given)
}

function read(filter: Filter, flag: string, text: string): string | string[] | number {
  if (filter === 'status') return text.split(',')
  return filter.endsWith('Amount') ? wholeNumber(`--${flag}`, text, 0) : text
}

async function printAll(client: PaymentsClient, params: ListPaymentsParams, most: number, terminal: Terminal) {
  let printed = 0
  try {
    for await (const payment of client.payments.list(params, { signal: terminal.interrupted })) {
      terminal.print(JSON.stringify(payment))
      printed += 1
      if (printed === most) break
    }
  } catch (error) {
    if (error instanceof RequestValidationError) throw asUsageError(error)
    if (error instanceof PaymentsError && error.cursor) terminal.note(`Continue with --cursor ${error.cursor}`)
    throw error
  }
}

/** What the client says of its parameters, said of the options they were given as. */
function asUsageError({ issues }: RequestValidationError): UsageError {
  const problems = issues.map(({ path: [name], message }) => `--${flagOf(name as keyof ListPaymentsParams)} ${message}`)
  return new UsageError(problems.join('; '))
}
