import {
  AdjustAuthorizationBody,
  AuthorizeBody,
  CancelBody,
  CaptureBody,
  CaptureBodyV21,
  CreatePaymentBody,
  CreatePaymentBodyV21,
  Payment,
  PaymentV21,
  RefundBody,
  ResumeBody,
} from '../schemas/payment.js'
import { ListPaymentsParams, PaymentsPage } from '../schemas/payments-list.js'
import { answer, answers, bodies, body, defineOperation } from './operation.js'

const payment = answers(Payment, PaymentV21)

export const get = defineOperation({
  name: 'payments.get',
  summary: 'Get a payment',
  method: 'GET',
  path: '/payments/:id',
  paymentParam: 'id',
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
  readBack: get,
  identifiedBy: ['orderId', 'currencyCode', 'amount'],
  lookup: 'look for it with payments.reconcile (a new payment may be missing from the list for up to a minute)',
  body: bodies(CreatePaymentBody, CreatePaymentBodyV21),
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
    schema: ListPaymentsParams,
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
  },
  response: answer(PaymentsPage),
})

export const authorize = defineOperation({
  name: 'payments.authorize',
  summary: 'Authorize a payment with a given processor',
  method: 'POST',
  path: '/payments/:id/authorize',
  paymentParam: 'id',
  scope: 'transactions:authorize',
  class: 'keyed',
  readBack: get,
  body: body(AuthorizeBody),
  response: payment,
})

export const capture = defineOperation({
  name: 'payments.capture',
  summary: 'Capture all or part of an authorized payment',
  method: 'POST',
  path: '/payments/:id/capture',
  paymentParam: 'id',
  scope: 'transactions:capture',
  class: 'keyed',
  readBack: get,
  body: bodies(CaptureBody, CaptureBodyV21),
  bodyOptional: true,
  response: payment,
})

export const cancel = defineOperation({
  name: 'payments.cancel',
  summary: 'Void a payment and release the hold on the customer’s funds',
  method: 'POST',
  path: '/payments/:id/cancel',
  paymentParam: 'id',
  scope: 'transactions:cancel',
  class: 'keyed',
  readBack: get,
  body: body(CancelBody),
  bodyOptional: true,
  response: payment,
})

export const refund = defineOperation({
  name: 'payments.refund',
  summary: 'Refund all or part of what was captured',
  method: 'POST',
  path: '/payments/:id/refund',
  paymentParam: 'id',
  scope: 'transactions:refund',
  class: 'keyed',
  readBack: get,
  body: body(RefundBody),
  bodyOptional: true,
  response: payment,
})

export const adjustAuthorization = defineOperation({
  name: 'payments.adjustAuthorization',
  summary: 'Adjust the amount of an estimated authorization',
  method: 'POST',
  path: '/payments/:id/adjust-authorization',
  paymentParam: 'id',
  class: 'once',
  body: body(AdjustAuthorizationBody),
  response: payment,
})

export const resume = defineOperation({
  name: 'payments.resume',
  summary: 'Resume a payment that waited for the customer or a third party',
  method: 'POST',
  path: '/payments/:id/resume',
  paymentParam: 'id',
  class: 'once',
  body: body(ResumeBody),
  response: payment,
})
