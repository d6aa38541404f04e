import { type Call, mapCall } from '../call.js'
import * as operations from '../contract/payment-instruments.js'
import type { RequestOptions } from '../options.js'
import type { ListPaymentInstrumentsParams, PaymentInstrument, VaultBody } from '../schemas/payment-instrument.js'
import type { Transport } from '../transport/transport.js'
import { attach, transportOf } from './namespace.js'

/** Saves and manages your customers' payment methods. Specification: Endpoints, `/payment-instruments`. */
export class PaymentInstruments {
  /** @internal */
  constructor(transport: Transport) {
    attach(this, transport)
  }

  /**
   * Saves the payment method of a single-use token for a customer. Returns the existing payment method if it was saved
   * before.
   *
   * With `verify`, the service verifies the payment method first, and saves it only on success. Such a call is never
   * retried if the service may already have processed it.
   *
   * @param paymentMethodToken The single-use token from the checkout.
   * @param body Your `customerId`, and whether to `verify`.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * const { token } = await client.paymentInstruments.vault(paymentMethodToken, { customerId: 'customer-1' })
   */
  vault(paymentMethodToken: string, body: VaultBody, options?: RequestOptions): Call<PaymentInstrument> {
    return transportOf(this).send(operations.vault, { params: { paymentMethodToken }, body }, options)
  }

  /**
   * Makes a saved payment method the customer's default.
   *
   * @param paymentMethodToken The `token` of a saved payment method.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.paymentInstruments.setDefault(token)
   */
  setDefault(paymentMethodToken: string, options?: RequestOptions): Call<PaymentInstrument> {
    return transportOf(this).send(operations.setDefault, { params: { paymentMethodToken } }, options)
  }

  /**
   * Returns all saved payment methods of a customer as an array, in no particular order. This endpoint has no pages.
   *
   * A payment method that was saved during a payment has the same `analyticsId` as the payment's `paymentMethod`.
   *
   * @param params Your `customerId`.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * const saved = await client.paymentInstruments.list({ customerId: 'customer-1' })
   */
  list(params: ListPaymentInstrumentsParams, options?: RequestOptions): Call<PaymentInstrument[]> {
    return mapCall(transportOf(this).send(operations.list, { query: params }, options), ({ data }) => data)
  }

  /**
   * Deletes a saved payment method. Returns it with `deleted: true`.
   *
   * @param paymentMethodToken The `token` of a saved payment method.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.paymentInstruments.delete(token)
   */
  delete(paymentMethodToken: string, options?: RequestOptions): Call<PaymentInstrument> {
    return transportOf(this).send(operations.delete, { params: { paymentMethodToken } }, options)
  }
}
