import type { Call } from '../call.js'
import * as operations from '../contract/observability.js'
import type { ResendableRequestOptions } from '../options.js'
import type { CreateExternalPaymentBody, ExternalPayment, ExternalPaymentChanges } from '../schemas/external-payment.js'
import type { Transport } from '../transport/transport.js'
import { attach, transportOf } from './namespace.js'

/** Records of payments made outside the service (beta). Specification: Endpoints, `/observability/payments`. */
export class Observability {
  readonly payments: ExternalPayments

  /** @internal */
  constructor(transport: Transport) {
    this.payments = new ExternalPayments(transport)
  }
}

/** Records payments made outside the service, for the dashboards (beta). */
export class ExternalPayments {
  /** @internal */
  constructor(transport: Transport) {
    attach(this, transport)
  }

  /**
   * Records a payment made outside the service. Payments made through the service are recorded automatically.
   *
   * @param body The payment, with your own unique `paymentId`, and `amount` in minor units.
   * @param options `resend`, timeouts, retries, headers and abort signal for this call.
   * @throws {ApiError} The service rejected the record, for example because the `paymentId` already exists.
   * @example
   * await client.observability.payments.create({ ...facts, paymentId: 'terminal-81', currencyCode: 'EUR', amount: 700 })
   */
  create(body: CreateExternalPaymentBody, options?: ResendableRequestOptions): Call<ExternalPayment> {
    return transportOf(this).send(operations.payments.create, { body }, options)
  }

  /**
   * Changes fields of a recorded payment.
   *
   * @param paymentId The `paymentId` that you passed to `create`.
   * @param changes The fields to change, including single nested fields. `createdAt` cannot be changed.
   * @param options `resend`, timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.observability.payments.update('terminal-81', { status: 'SETTLED' })
   */
  update(
    paymentId: string,
    changes: ExternalPaymentChanges,
    options?: ResendableRequestOptions,
  ): Call<ExternalPayment> {
    return transportOf(this).send(operations.payments.update, { params: { paymentId }, body: changes }, options)
  }
}
