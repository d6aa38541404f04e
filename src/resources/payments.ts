import type { Call } from '../call.js'
import * as operations from '../contract/payments.js'
import type { ApiVersion, InVersion, VersionTypes } from '../contract/version.js'
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
import { cursorList } from './lists.js'
import type { Methods } from './methods.js'
import { type ReconcileQuery, type Reconciliation, reconcile } from './reconcile.js'
import { type WaitOptions, waitFor } from './wait.js'

/** Payments: creation, lifecycle, retrieval. Specification: Endpoints, `/payments`. */
export class Payments<V extends ApiVersion = '2021-09-27'> implements Methods<typeof operations> {
  readonly #transport: Transport<V>

  /** @internal */
  constructor(transport: Transport<V>) {
    this.#transport = transport
  }

  /**
   * Create and authorize a payment.
   *
   * Check `status` before you ship: a declined payment is a successful call, with `status: 'DECLINED'` and a
   * `statusReason`. Omitted fields are taken from the client session of the token.
   *
   * @param body.amount Minor units of `currencyCode`, at least 0.
   * @throws {ApiError} The service rejected the request, for example because neither it nor the session has an amount.
   */
  create(
    body: InVersion<V, VersionTypes['CreatePaymentBody']>,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.create, { body }, options)
  }

  /**
   * Get a payment.
   *
   * @throws {NotFoundError} There is no such payment.
   */
  get(id: string, options?: RequestOptions): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.get, { params: { id } }, options)
  }

  /**
   * Search and list payments, in the service's order. Rows are summarized.
   *
   * A new payment may take up to a minute to appear.
   *
   * @param params.limit Payments per page, 1 to 100. Iteration covers all pages regardless of it.
   */
  list(params?: ListPaymentsParams, options?: RequestOptions): PagedList<PaymentSummary> {
    return cursorList(this.#transport, operations.list, params, options)
  }

  /**
   * Authorize a payment with a given processor, outside any workflow.
   */
  authorize(
    id: string,
    body: AuthorizeBody,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.authorize, { params: { id }, body }, options)
  }

  /**
   * Capture all or part of an authorized payment.
   *
   * The payment becomes `SETTLING` or `SETTLED`, depending on its payment method type; `processor.amountCaptured` is
   * the captured amount.
   *
   * @param body.amount Minor units of the payment's currency. @default everything authorized
   * @throws {ApiError} The service rejected the request, for example after a final capture.
   */
  capture(
    id: string,
    body?: InVersion<V, VersionTypes['CaptureBody']>,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.capture, { params: { id }, body }, options)
  }

  /**
   * Void a payment that has not reached `SETTLED`: it becomes `CANCELLED`, and the hold on the customer's funds is
   * released.
   *
   * @throws {ApiError} The service rejected the request, for example because the payment is already settled.
   */
  cancel(
    id: string,
    body?: CancelBody,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.cancel, { params: { id }, body }, options)
  }

  /**
   * Refund all or part of the captured amount.
   *
   * The refund is a separate transaction. `latestRefund(payment)` returns it, and the service sends a `PAYMENT.REFUND`
   * event when it is final.
   *
   * @param body.amount Minor units of the payment's currency. @default the captured amount that is not refunded yet
   * @throws {ApiError} The service rejected the request, for example because the amount exceeds the rest.
   */
  refund(
    id: string,
    body?: RefundBody,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.refund, { params: { id }, body }, options)
  }

  /**
   * Adjust the amount of an authorization that was created as `ESTIMATED`. Never retried after an ambiguous failure.
   *
   * @param body.amount The final amount to charge, in minor units.
   * @throws {ApiError} The service rejected the request, for example because the authorization is not estimated.
   */
  adjustAuthorization(
    id: string,
    body: AdjustAuthorizationBody,
    options?: RequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.adjustAuthorization, { params: { id }, body }, options)
  }

  /**
   * Resume a payment that waited for the customer (3-D Secure, say) or for a third party. Never retried after an ambiguous failure.
   *
   * @param body.resumeToken The token from the checkout.
   */
  resume(id: string, body: ResumeBody, options?: RequestOptions): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.resume, { params: { id }, body }, options)
  }

  /**
   * Poll a payment with increasing delays until it has one of these statuses.
   *
   * @param options.timeout Milliseconds. @default 120000
   * @throws {WaitError} The time ran out, or the payment reached another final status.
   */
  waitFor(
    id: string,
    statuses: PaymentStatus | readonly PaymentStatus[],
    options?: WaitOptions,
  ): Promise<InVersion<V, VersionTypes['Payment']>> {
    return waitFor((signal) => this.get(id, { signal }), statuses, options)
  }

  /**
   * Find out whether a payment was created, after an unknown outcome.
   *
   * A new payment can be missing from the list for up to a minute. Until then the result is `not_found_yet`. Your clock
   * and the service's may differ by one minute at most.
   *
   * @param query.since The time of the first attempt, taken before the call.
   */
  reconcile(query: ReconcileQuery, options?: RequestOptions): Promise<Reconciliation> {
    return reconcile((params) => this.list(params, options), query, this.#transport.settings.totalTimeout)
  }
}
