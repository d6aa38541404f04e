import type { Call } from '../call.js'
import * as operations from '../contract/observability.js'
import type { ResendableRequestOptions } from '../options.js'
import type { CreateExternalPaymentBody, ExternalPayment, ExternalPaymentChanges } from '../schemas/external-payment.js'
import type { Transport } from '../transport/transport.js'
import type { Methods } from './methods.js'

/** Payments made outside the service, for the dashboards (beta). Specification: Endpoints, `/observability/payments`. */
export class Observability {
  readonly payments: ExternalPayments

  /** @internal */
  constructor(transport: Transport) {
    this.payments = new ExternalPayments(transport)
  }
}

/** Records of payments made outside the service (beta). */
export class ExternalPayments implements Methods<typeof operations.payments> {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Record a payment made outside the service. Payments made through the service are recorded automatically.
   *
   * @param body.amount Minor units, at least 0.
   * @throws {ApiError} The service rejected the request, for example because the `paymentId` is already recorded.
   */
  create(body: CreateExternalPaymentBody, options?: ResendableRequestOptions): Call<ExternalPayment> {
    return this.#transport.send(operations.payments.create, { body }, options)
  }

  /**
   * Change some fields of a record. Nested fields can change one by one. `createdAt` cannot change.
   */
  update(
    paymentId: string,
    changes: ExternalPaymentChanges,
    options?: ResendableRequestOptions,
  ): Call<ExternalPayment> {
    return this.#transport.send(operations.payments.update, { params: { paymentId }, body: changes }, options)
  }
}
