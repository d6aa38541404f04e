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
   * Look at `status` before you ship: a declined payment is a success of this call, with `status: 'DECLINED'` and a
   * `statusReason`. Fields left out are taken from the client session that the token belongs to.
   *
   * @param body.amount Minor units of `currencyCode`, at least 0.
   * @throws {ApiError} The service refused, for example because an amount was given neither here nor in the session.
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
   * @param params.limit Payments per page, 1 to 100. All pages are read whatever it is.
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
   * The payment becomes `SETTLING` or `SETTLED`, depending on its payment method type; `processor.amountCaptured` says
   * how much was captured.
   *
   * @param body.amount Minor units of the payment's currency. @default everything authorized
   * @throws {ApiError} The service refused, for example after a final capture.
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
   * @throws {ApiError} The service refused, for example because the payment is settled already.
   */
  cancel(
    id: string,
    body?: CancelBody,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.cancel, { params: { id }, body }, options)
  }

  /**
   * Refund all or part of what was captured.
   *
   * The refund is a transaction of its own; `latestRefund(payment)` tells how it stands, and a `PAYMENT.REFUND` event
   * comes when it is final.
   *
   * @param body.amount Minor units of the payment's currency. @default what is captured and not refunded yet
   * @throws {ApiError} The service refused, for example because less is left to refund.
   */
  refund(
    id: string,
    body?: RefundBody,
    options?: IdempotentRequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.refund, { params: { id }, body }, options)
  }

  /**
   * Adjust the amount of an authorization that was created as `ESTIMATED`. Never sent twice.
   *
   * @param body.amount The final amount to charge, in minor units.
   * @throws {ApiError} The service refused, for example because the authorization is not an estimated one.
   */
  adjustAuthorization(
    id: string,
    body: AdjustAuthorizationBody,
    options?: RequestOptions,
  ): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.adjustAuthorization, { params: { id }, body }, options)
  }

  /**
   * Resume a payment that waited for the customer (3-D Secure, say) or for a third party. Never sent twice.
   *
   * @param body.resumeToken What the checkout handed over.
   */
  resume(id: string, body: ResumeBody, options?: RequestOptions): Call<InVersion<V, VersionTypes['Payment']>> {
    return this.#transport.send(operations.resume, { params: { id }, body }, options)
  }

  /**
   * Read a payment again and again, ever more slowly, until it has one of these statuses.
   *
   * @param options.timeout Milliseconds. @default 120000
   * @throws {WaitError} Time ran out, or the payment reached a final status that is not among them.
   */
  waitFor(
    id: string,
    statuses: PaymentStatus | readonly PaymentStatus[],
    options?: WaitOptions,
  ): Promise<InVersion<V, VersionTypes['Payment']>> {
    return waitFor((signal) => this.get(id, { signal }), statuses, options)
  }

  /**
   * Find out whether a payment was made, after an unknown outcome.
   *
   * A new payment can be missing from the list for up to a minute: within that time the answer is `not_found_yet`. Your clock
   * and the service's may differ by a minute, no more.
   *
   * @param query.since When you first tried to create it.
   */
  reconcile(query: ReconcileQuery, options?: RequestOptions): Promise<Reconciliation> {
    return reconcile((params) => this.list(params, options), query, this.#transport.settings.totalTimeout)
  }
}
