import { PaymentSchema, PaymentSummarySchema } from 'payments-client/schemas'
import { pageIn, paymentIn } from '../fixtures/formats.mjs'

/** Returns functions that parse responses with and without validation. */
export function open() {
  const payments = Array.from({ length: 400 }, (_, index) => paymentIn.ours(index))
  const pages = Array.from({ length: 40 }, (_, page) =>
    JSON.stringify(pageIn.ours(Array.from({ length: 100 }, (_, index) => 100 * page + index))),
  )
  const parsePayment = (index) => JSON.parse(payments[index % payments.length])
  const parsePage = (index) => JSON.parse(pages[index % pages.length])
  return {
    'parse payment': parsePayment,
    'validate payment': (index) => PaymentSchema.parse(parsePayment(index)),
    'parse page': parsePage,
    'validate page': (index) => parsePage(index).data.map((row) => PaymentSummarySchema.parse(row)),
  }
}
