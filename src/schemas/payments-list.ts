import { isDateTime } from '../internal/calendar.js'
import { type PaymentStatus, PaymentSummary } from './payment.js'
import type { PaymentMethodType } from './payment-method.js'
import {
  type CurrencyCode,
  currencyCode,
  identifier,
  integer,
  integerFrom,
  list,
  object,
  openEnum,
  required,
  type Schema,
  text,
} from './schema.js'

/** The payments to list. All filters are optional; a payment must match all that are set. */
export interface ListPaymentsParams {
  /** One status, or several of which any may match. */
  status?: PaymentStatus | PaymentStatus[]
  paymentMethodType?: PaymentMethodType
  /** Name of the processor. */
  processor?: string
  currencyCode?: CurrencyCode
  /** Created at this instant or later. */
  fromDate?: Date | string
  /** Created at this instant or earlier. */
  toDate?: Date | string
  orderId?: string
  /** Minor units, inclusive. */
  minAmount?: number
  /** Minor units, inclusive. */
  maxAmount?: number
  /** Your identifier of the customer. */
  customerId?: string
  /** Merchant involved. */
  merchantId?: string
  customerEmailAddress?: string
  /** Last four digits of the card. */
  last4Digits?: string
  /** E-mail address of a first third-party wallet account on the payment. */
  partneraEmail?: string
  /** E-mail address of a second third-party account on the payment. */
  partnerbEmail?: string
  /** Payments per page, 1 to 100. */
  limit?: number
  /** The page to start from: `nextCursor` or `prevCursor` of an earlier page. */
  cursor?: string
}

/** A string is sent as it is. */
const instant: Schema<Date | string> = {
  type: 'any',
  rule: (value) =>
    (value instanceof Date ? !Number.isNaN(value.getTime()) : isDateTime(value))
      ? undefined
      : { code: 'invalid_value', message: 'must be a valid Date or an ISO 8601 datetime' },
}

/** An empty array is invalid: the service would read it as no filter. */
const statusFilter: Schema<PaymentStatus | PaymentStatus[]> = {
  type: 'any',
  rule: (value) => {
    const statuses = [value].flat()
    return statuses.length > 0 && statuses.every((status) => typeof status === 'string' && status !== '')
      ? undefined
      : { code: 'invalid_value', message: 'must be a status or a non-empty array of statuses' }
  },
}

export const ListPaymentsParams = object<ListPaymentsParams>(() => ({
  status: statusFilter,
  paymentMethodType: openEnum,
  processor: text,
  currencyCode,
  fromDate: instant,
  toDate: instant,
  orderId: text,
  minAmount: integer,
  maxAmount: integer,
  customerId: text,
  merchantId: text,
  customerEmailAddress: text,
  last4Digits: text,
  partneraEmail: text,
  partnerbEmail: text,
  limit: integerFrom(1, 100),
  cursor: identifier,
}))

export interface PaymentsPage {
  data: PaymentSummary[]
  nextCursor?: string
  prevCursor?: string
}

export const PaymentsPage = object<PaymentsPage>(() => ({
  data: required(list(PaymentSummary)),
  nextCursor: text,
  prevCursor: text,
}))
