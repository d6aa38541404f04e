import * as z from 'zod'
import { isDateTime } from '../internal/calendar.js'
import { isValidDate } from '../internal/foreign.js'
import { type PaymentStatus, type PaymentSummary, PaymentSummarySchema } from './payment.js'
import type { PaymentMethodType } from './payment-method.js'
import {
  absent,
  anyValue,
  type CurrencyCode,
  currencyCode,
  identifier,
  integerFrom,
  type ObjectSchema,
  object,
  signedMinorUnits,
} from './schema.js'

/** Optional filters for listing payments. A listed payment matches every filter. */
export interface ListPaymentsParams {
  /** One status, or an array of statuses. A payment matches if it has any of them. */
  status?: PaymentStatus | readonly PaymentStatus[]
  paymentMethodType?: PaymentMethodType
  /** Name of the processor. */
  processor?: string
  currencyCode?: CurrencyCode
  /** Lists payments created at or after this time. */
  fromDate?: Date | string
  /** Lists payments created at or before this time. */
  toDate?: Date | string
  orderId?: string
  /** Minimum amount in minor units, inclusive. */
  minAmount?: number
  /** Maximum amount in minor units, inclusive. */
  maxAmount?: number
  /** Your identifier for the customer. */
  customerId?: string
  /** Identifier of the merchant. */
  merchantId?: string
  customerEmailAddress?: string
  /** Last four digits of the card. */
  last4Digits?: string
  /** E-mail address of the payment's first third-party wallet account. */
  partneraEmail?: string
  /** E-mail address of the payment's second third-party account. */
  partnerbEmail?: string
  /** Payments per page, 1 to 100. */
  limit?: number
  /** The page to start from: `nextCursor` or `prevCursor` of an earlier page. */
  cursor?: string
}

/** A `Date` or a datetime string. A string is sent unchanged. */
const instant = /* @__PURE__ */ anyValue<Date | string>((value) =>
  isValidDate(value) || isDateTime(value)
    ? undefined
    : { code: 'invalid_value', message: 'must be a valid Date or an ISO 8601 datetime' },
)

/** One status or a non-empty array. The service would treat an empty array as no filter, and return all payments. */
const statusFilter = /* @__PURE__ */ anyValue<PaymentStatus | readonly PaymentStatus[]>((value) => {
  const statuses = [value].flat()
  return statuses.length > 0 && statuses.every((status) => typeof status === 'string' && status !== '')
    ? undefined
    : { code: 'invalid_value', message: 'must be a status or a non-empty array of statuses' }
})

export const ListPaymentsParamsSchema: ObjectSchema<ListPaymentsParams> = object({
  status: absent(statusFilter),
  paymentMethodType: absent(z.string()),
  processor: absent(z.string()),
  currencyCode: absent(currencyCode),
  fromDate: absent(instant),
  toDate: absent(instant),
  orderId: absent(z.string()),
  minAmount: absent(signedMinorUnits),
  maxAmount: absent(signedMinorUnits),
  customerId: absent(z.string()),
  merchantId: absent(z.string()),
  customerEmailAddress: absent(z.string()),
  last4Digits: absent(z.string()),
  partneraEmail: absent(z.string()),
  partnerbEmail: absent(z.string()),
  limit: absent(integerFrom(1, 100)),
  cursor: absent(identifier),
})

export interface PaymentsPage {
  data: PaymentSummary[]
  nextCursor?: string
  prevCursor?: string
}

export const PaymentsPageSchema: ObjectSchema<PaymentsPage> = object({
  data: z.array(PaymentSummarySchema),
  nextCursor: absent(z.string()),
  prevCursor: absent(z.string()),
})
