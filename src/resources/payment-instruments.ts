import { type Call, mapCall } from '../call.js'
import * as operations from '../contract/payment-instruments.js'
import type { RequestOptions } from '../options.js'
import type { ListPaymentInstrumentsParams, PaymentInstrument, VaultBody } from '../schemas/payment-instrument.js'
import type { Transport } from '../transport/transport.js'
import type { Methods } from './methods.js'

/** Saved payment methods of your customers. Specification: Endpoints, `/payment-instruments`. */
export class PaymentInstruments implements Methods<typeof operations> {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Save the payment method behind a single-use token for a customer.
   *
   * Saving a token again returns the payment method that is already saved. With `verify`, the service verifies the payment
   * method first and saves it only on success; such a call is never retried after an ambiguous failure.
   */
  vault(paymentMethodToken: string, body: VaultBody, options?: RequestOptions): Call<PaymentInstrument> {
    return this.#transport.send(operations.vault, { params: { paymentMethodToken }, body }, options)
  }

  /**
   * Make a saved payment method the customer's default.
   */
  setDefault(paymentMethodToken: string, options?: RequestOptions): Call<PaymentInstrument> {
    return this.#transport.send(operations.setDefault, { params: { paymentMethodToken } }, options)
  }

  /**
   * List the saved payment methods of a customer. The result has no pages.
   */
  list(params: ListPaymentInstrumentsParams, options?: RequestOptions): Call<PaymentInstrument[]> {
    return mapCall(this.#transport.send(operations.list, { query: params }, options), ({ data }) => data)
  }

  /**
   * Delete a saved payment method. Returns it with `deleted: true`.
   */
  delete(paymentMethodToken: string, options?: RequestOptions): Call<PaymentInstrument> {
    return this.#transport.send(operations.delete, { params: { paymentMethodToken } }, options)
  }
}
