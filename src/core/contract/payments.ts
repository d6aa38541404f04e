import { isIneffective, paymentStatuses, remainingRefundable } from '../helpers/payment-facts.js'
import { agree } from '../internal/objects.js'
import {
  AdjustAuthorizationBodySchema,
  AuthorizeBodySchema,
  CancelBodySchema,
  CaptureBodySchema,
  CaptureBodyV21Schema,
  CreatePaymentBodySchema,
  CreatePaymentBodyV21Schema,
  type PaymentCore,
  PaymentSchema,
  PaymentV21Schema,
  RefundBodySchema,
  ResumeBodySchema,
  type Transaction,
} from '../schemas/payment.js'
import { ListPaymentsParamsSchema, PaymentsPageSchema } from '../schemas/payments-list.js'
import { bothCarts, defineOperation } from './operation.js'

const payment = { order: PaymentSchema, lineItems: PaymentV21Schema }

/** Returns the amount that could be refunded just before `refund`. Assumes that `refund` is the latest refund. */
function refundableBefore(refund: Transaction, payment: PaymentCore): number | undefined {
  const { amount, processor } = payment
  const amountCaptured = processor?.amountCaptured ?? amount
  const remaining = remainingRefundable({ ...payment, processor: { ...processor, amountCaptured } })
  return remaining === undefined || isIneffective(refund) ? remaining : remaining + (refund.amount ?? 0)
}

export const get = defineOperation({
  name: 'payments.get',
  summary: 'Get a payment',
  method: 'GET',
  path: '/payments/:id',
  scope: 'transactions:retrieve',
  class: 'safe',
  response: payment,
})

export const create = defineOperation({
  name: 'payments.create',
  summary: 'Create and authorize a payment',
  method: 'POST',
  path: '/payments',
  class: 'keyed',
  refetch: get,
  isConsistent: (payment, body) =>
    (['orderId', 'currencyCode', 'amount'] as const).every((field) => agree(payment[field], body?.[field])),
  lookup: 'look for it with payments.reconcile (a new payment may be missing from the list for up to a minute)',
  body: { order: CreatePaymentBodySchema, lineItems: CreatePaymentBodyV21Schema },
  response: payment,
})

export const list = defineOperation({
  name: 'payments.list',
  summary: 'Search and list payments, summarized',
  method: 'GET',
  path: '/payments',
  scope: 'transactions:retrieve',
  class: 'safe',
  query: {
    schema: ListPaymentsParamsSchema,
    names: {
      status: 'status',
      paymentMethodType: 'payment_method_type',
      processor: 'processor',
      currencyCode: 'currency_code',
      fromDate: 'from_date',
      toDate: 'to_date',
      orderId: 'order_id',
      minAmount: 'min_amount',
      maxAmount: 'max_amount',
      customerId: 'customer_id',
      merchantId: 'merchant_id',
      customerEmailAddress: 'customer_email_address',
      last4Digits: 'last_4_digits',
      partneraEmail: 'partnera_email',
      partnerbEmail: 'partnerb_email',
      limit: 'limit',
      cursor: 'cursor',
    },
    knownValues: {
      status: paymentStatuses,
    },
  },
  response: bothCarts(PaymentsPageSchema),
})

export const authorize = defineOperation({
  name: 'payments.authorize',
  summary: 'Authorize a payment with a given processor',
  method: 'POST',
  path: '/payments/:id/authorize',
  scope: 'transactions:authorize',
  class: 'keyed',
  refetch: get,
  isConsistent: ({ status }) => status !== 'PENDING',
  body: bothCarts(AuthorizeBodySchema),
  response: payment,
})

export const capture = defineOperation({
  name: 'payments.capture',
  summary: 'Capture all or part of an authorized payment',
  method: 'POST',
  path: '/payments/:id/capture',
  scope: 'transactions:capture',
  class: 'keyed',
  refetch: get,
  isConsistent: ({ status, amount, processor }, body) => {
    // A capture can make the payment fail, so the status FAILED is consistent with this request.
    if (status === 'FAILED') return true
    const requested = body?.amount ?? amount
    if (processor?.amountCaptured) return requested !== undefined && processor.amountCaptured >= requested
    // Without `amountCaptured`, the status alone can confirm only a capture of the full amount.
    return (status === 'SETTLING' || status === 'SETTLED') && requested !== undefined && requested === amount
  },
  body: { order: CaptureBodySchema, lineItems: CaptureBodyV21Schema },
  bodyOptional: true,
  response: payment,
})

export const cancel = defineOperation({
  name: 'payments.cancel',
  summary: 'Void a payment and release the hold on the customer’s funds',
  method: 'POST',
  path: '/payments/:id/cancel',
  scope: 'transactions:cancel',
  class: 'keyed',
  refetch: get,
  isConsistent: ({ status }) => status === 'CANCELLED',
  body: bothCarts(CancelBodySchema),
  bodyOptional: true,
  response: payment,
})

export const refund = defineOperation({
  name: 'payments.refund',
  summary: 'Refund all or part of the captured amount',
  method: 'POST',
  path: '/payments/:id/refund',
  scope: 'transactions:refund',
  class: 'keyed',
  refetch: get,
  isConsistent: (payment, body) =>
    payment.transactions?.some(
      (transaction) =>
        transaction.transactionType === 'REFUND' &&
        transaction.amount === (body?.amount ?? refundableBefore(transaction, payment)),
    ) === true,
  body: bothCarts(RefundBodySchema),
  bodyOptional: true,
  response: payment,
})

export const adjustAuthorization = defineOperation({
  name: 'payments.adjustAuthorization',
  summary: 'Adjust the amount of an estimated authorization',
  method: 'POST',
  path: '/payments/:id/adjust-authorization',
  class: 'once',
  body: bothCarts(AdjustAuthorizationBodySchema),
  response: payment,
})

export const resume = defineOperation({
  name: 'payments.resume',
  summary: 'Resume a payment that waited for the customer or a third party',
  method: 'POST',
  path: '/payments/:id/resume',
  class: 'once',
  body: bothCarts(ResumeBodySchema),
  response: payment,
})
