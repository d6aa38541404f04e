import type { Call } from '../call.js'
import * as operations from '../contract/payments.js'
import type { ApiVersion, TypeIn } from '../contract/version.js'
import type { IdempotentRequestOptions, RequestOptions } from '../options.js'
import type { PagedList } from '../pagination/paged-list.js'
import type {
  AdjustAuthorizationBody,
  AuthorizeBody,
  CancelBody,
  PaymentStatus,
  PaymentSummary,
  RefundBody,
  ResumeBody,
} from '../schemas/payment.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'
import type { Transport } from '../transport/transport.js'
import { listOf } from './lists.js'
import { attach, transportOf } from './namespace.js'
import { type ReconcileQuery, type Reconciliation, reconcile } from './reconcile.js'
import { type WaitOptions, waitFor } from './wait.js'

/**
 * Creates, retrieves and changes payments. Specification: Endpoints, `/payments`.
 *
 * The methods take the `id` of a payment. To search by your own `orderId`, use `list` or `reconcile`.
 */
export class Payments<V extends ApiVersion = '2021-09-27'> {
  /** @internal */
  constructor(transport: Transport<V>) {
    attach(this, transport)
  }

  /**
   * Creates and authorizes a payment.
   *
   * The call also succeeds if the payment is declined: check `status`. The service takes omitted fields from the
   * token's client session.
   *
   * @param body The payment: `orderId`, `currencyCode`, `amount` in minor units, and `paymentMethodToken` from the
   * checkout or from a saved payment method.
   * @param options `idempotencyKey`, `allowSecondPayment`, timeouts, retries, headers and abort signal for this call.
   * @throws {BadRequestError} The amount, the currency or the order ID is missing from both the body and the client
   * session.
   * @throws {OperationError} The client has a journal, and the order has another open payment.
   * @example
   * const payment = await client.payments.create({ paymentMethodToken, orderId: 'order-17', currencyCode: 'EUR', amount: 700 })
   * if (payment.status === 'DECLINED') console.log(payment.statusReason)
   */
  create(body: TypeIn<V, 'CreatePaymentBody'>, options?: IdempotentRequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.create, { body }, options)
  }

  /**
   * Returns a payment.
   *
   * @param id The `id` of the payment.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @throws {NotFoundError} There is no payment with this `id`.
   * @example
   * const { status } = await client.payments.get(payment.id)
   */
  get(id: string, options?: RequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.get, { params: { id } }, options)
  }

  /**
   * Lists summaries of the payments that match all filters, in the service's order. A new payment may be missing for up
   * to a minute.
   *
   * @param params Filters, and `limit`, the number of payments per page (1 to 100). Iteration reads all pages
   * regardless of `limit`.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * for await (const { id, amount } of client.payments.list({ status: ['SETTLED', 'SETTLING'], fromDate })) …
   */
  list(params?: ListPaymentsParams, options?: RequestOptions): PagedList<PaymentSummary> {
    return listOf(transportOf<V>(this), operations.list, params, options)
  }

  /**
   * Authorizes a payment with the given processor, outside any workflow.
   *
   * @param id The `id` of the payment.
   * @param body The processor, by its merchant ID.
   * @param options `idempotencyKey`, timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.payments.authorize(payment.id, { processor: { processorMerchantId: 'merchant-1' } })
   */
  authorize(id: string, body: AuthorizeBody, options?: IdempotentRequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.authorize, { params: { id }, body }, options)
  }

  /**
   * Captures all or part of an authorized payment.
   *
   * The payment becomes `SETTLING` or `SETTLED`, depending on its payment method type. `processor.amountCaptured` is
   * the amount captured so far. Specification: States and transitions.
   *
   * @param id The `id` of the payment.
   * @param body `amount` in minor units, and `final` for the last capture. If the argument is undefined, the service
   * captures the full amount. @default the full authorized amount
   * @param options `idempotencyKey`, timeouts, retries, headers and abort signal for this call.
   * @throws {ApiError} The service rejected the capture, for example after a final capture.
   * @example
   * await client.payments.capture(payment.id, { amount: 2000 })
   */
  capture(id: string, body?: TypeIn<V, 'CaptureBody'>, options?: IdempotentRequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.capture, { params: { id }, body }, options)
  }

  /**
   * Voids a payment that is not yet `SETTLED`. The payment becomes `CANCELLED`, and the hold on the customer's funds is
   * released.
   *
   * @param id The `id` of the payment.
   * @param body The `reason`, for your records. @default none
   * @param options `idempotencyKey`, timeouts, retries, headers and abort signal for this call.
   * @throws {ApiError} The service rejected the cancellation, for example because the payment is settled.
   * @example
   * await client.payments.cancel(payment.id, { reason: 'Out of stock' })
   */
  cancel(id: string, body?: CancelBody, options?: IdempotentRequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.cancel, { params: { id }, body }, options)
  }

  /**
   * Refunds all or part of the captured amount.
   *
   * The refund is a separate transaction. `latestRefund(payment)` returns it, and a `PAYMENT.REFUND` event reports its
   * final state.
   *
   * @param id The `id` of the payment.
   * @param body `amount` in minor units, and `reason`. If the argument is undefined, the service refunds the full
   * remaining amount. @default the captured amount that is not yet refunded
   * @param options `idempotencyKey`, timeouts, retries, headers and abort signal for this call.
   * @throws {ApiError} The service rejected the refund, for example because the amount exceeds the refundable amount.
   * @example
   * await client.payments.refund(payment.id, { amount: 500, reason: 'Returned goods' })
   */
  refund(id: string, body?: RefundBody, options?: IdempotentRequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.refund, { params: { id }, body }, options)
  }

  /**
   * Adjusts the amount of an authorization that was created with `authorizationType: 'ESTIMATED'`. Never retried if the
   * service may already have processed it.
   *
   * @param id The `id` of the payment.
   * @param body The final amount to charge, in minor units.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @throws {ApiError} The service rejected the adjustment, for example because the authorization is not estimated.
   * @example
   * await client.payments.adjustAuthorization(payment.id, { amount: 6000 })
   */
  adjustAuthorization(id: string, body: AdjustAuthorizationBody, options?: RequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.adjustAuthorization, { params: { id }, body }, options)
  }

  /**
   * Resumes a payment after its `requiredAction`, for example 3-D Secure. Never retried if the service may already
   * have processed it.
   *
   * @param id The `id` of the payment.
   * @param body The `resumeToken` from the checkout.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.payments.resume(payment.id, { resumeToken })
   */
  resume(id: string, body: ResumeBody, options?: RequestOptions): Call<TypeIn<V, 'Payment'>> {
    return transportOf<V>(this).send(operations.resume, { params: { id }, body }, options)
  }

  /**
   * Polls a payment with increasing delays until it has one of the given statuses.
   *
   * @param id The `id` of the payment.
   * @param statuses One status, or an array of statuses.
   * @param options `timeout` in milliseconds (@default 120000) and a signal that ends the wait.
   * @throws {WaitError} The wait timed out, or the payment reached another final status.
   * @example
   * const settled = await client.payments.waitFor(payment.id, 'SETTLED')
   */
  waitFor(
    id: string,
    statuses: PaymentStatus | readonly PaymentStatus[],
    options?: WaitOptions,
  ): Promise<TypeIn<V, 'Payment'>> {
    return waitFor((signal) => this.get(id, { signal }), statuses, options, transportOf<V>(this).settings.runtime)
  }

  /**
   * Determines whether a payment was created, after an error with the outcome `unknown`.
   *
   * A new payment may be missing from the list for up to a minute. Until this minute has passed according to the
   * service's `Date` header, the result is `not_found_yet`. Your clock may be at most one minute ahead of the service's
   * clock, but not behind it.
   *
   * @param query Your `orderId`; `since`, a time before the first attempt; and `until`, 90 seconds after the last call
   * ended, because a request may take effect that late.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * const result = await client.payments.reconcile({ orderId: 'order-17', since, until })
   * if (result.status === 'not_found') await orders.markAsUnpaid('order-17')
   */
  reconcile(query: ReconcileQuery, options?: RequestOptions): Promise<Reconciliation> {
    return reconcile((params) => this.list(params, options), query, transportOf<V>(this).settings.totalTimeout)
  }
}
