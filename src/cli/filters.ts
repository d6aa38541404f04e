import { Option } from '@commander-js/extra-typings'
import type { Except } from 'type-fest'
import { list as operation } from '../core/contract/payments.js'
import type { RequestValidationError } from '../core/errors.js'
import { isDateTime, parseDatetime } from '../core/internal/calendar.js'
import { describeIssues, unknownKey } from '../core/internal/issues.js'
import { custom } from '../core/internal/validation.js'
import type { ListPaymentsParams } from '../core/schemas/payments-list.js'
import { checked, integerFrom, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

export function fromDate<Flags extends string>(flags: Flags) {
  return new Option(flags, 'Only payments created at or after this ISO 8601 time')
}

/** Rejects times with microseconds, which a `Date` cannot represent. */
export const instant = custom<string>(
  (value) => isDateTime(value) && !/\.\d{3}\d*[1-9]/.test(String(value)),
  'must be an ISO 8601 time without microseconds',
)

export const beforeOption = new Option(
  '--before <datetime>',
  'Only payments created before this ISO 8601 time, such as the start of a month',
).argParser(checked(instant))

/** Options that filter the list. Commander converts their names to parameter names. */
export const filters = [
  new Option('--status <status,…>', 'One or more statuses, separated by commas, e.g. SETTLED,DECLINED').argParser(
    (value) => value.split(','),
  ),
  new Option('--payment-method-type <type>', 'Payment method type, e.g. PAYMENT_CARD'),
  new Option('--processor <name>', 'Name of the processor'),
  new Option('--currency-code <code>', 'Currency, e.g. EUR'),
  fromDate('--from-date <datetime>'),
  new Option('--to-date <datetime>', 'Only payments created at or before this ISO 8601 time').conflicts('before'),
  beforeOption,
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

export interface Period {
  /** The start of the period, in milliseconds since 1970. */
  readonly start: number
  /** Returns whether a datetime is in the period. Returns true for a missing or invalid datetime. */
  includes(datetime: string | undefined): boolean
}

export type Filters = Except<ListPaymentsParams, 'limit' | 'cursor'> & { before?: string }

/** Returns the parameters of the list request, and the period that they describe. */
export function splitFilters({ before, ...params }: Filters): { params: ListPaymentsParams; period: Period } {
  const start = params.fromDate === undefined ? -Infinity : parseDatetime(params.fromDate)
  const last = params.toDate === undefined ? Infinity : parseDatetime(params.toDate)
  const end = before === undefined ? Infinity : parseDatetime(before)
  // Unlike `before`, `toDate` includes payments created at exactly that time.
  return {
    params: before === undefined ? params : { ...params, toDate: new Date(end) },
    period: {
      start,
      // Negates the comparisons, so that a missing time (NaN) counts as included.
      includes: (datetime) => {
        const time = parseDatetime(datetime)
        return !(time < start) && !(time > last) && !(time >= end)
      },
    },
  }
}

/** Warns about unknown statuses, which are probably misspelled and match no payment. */
export function noteUnknownStatuses(statuses: ListPaymentsParams['status'], terminal: Terminal): void {
  const known = operation.query?.knownValues?.status ?? []
  for (const status of [statuses ?? []].flat().filter((status) => status !== '' && !known.includes(status))) {
    terminal.note(`--status ${status}: ${unknownKey([status], known, 'known status').message}`)
  }
}

/** Converts a validation error so that its message shows option names instead of parameter names. */
export function asUsageError({ issues }: RequestValidationError): UsageError {
  const renamed = issues.map(({ path: [name, ...rest], ...issue }) => {
    const option = operation.query!.names[name as keyof ListPaymentsParams].replaceAll('_', '-')
    return { ...issue, path: [`--${option}`, ...rest] }
  })
  return new UsageError(describeIssues(renamed))
}
