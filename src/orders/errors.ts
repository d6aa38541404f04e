import { PaymentsError } from '../core/errors.js'

const messages = {
  changed: 'the order or id was used before with another amount or currency: retry the call with the same values',
  exceeds: 'the amount is larger than the amount that is left',
  unknown_order: 'the order does not exist: call orders.pay first',
  no_payment: 'the order has no payment that this call can change: check the order with orders.get',
  capture_open: 'the order has a capture without a result: retry the final capture when its result is known',
  cancelled: 'the order was cancelled: pass reopen: true to pay for it again',
}

/**
 * The reason for an `OrderError`:
 *
 * - `changed`: an earlier call for the same order or `id` had another amount or currency.
 * - `exceeds`: more would be captured than authorized, or more refunded than captured.
 * - `unknown_order`: the tables do not contain the order.
 * - `no_payment`: the order has no payment that the call can resume, capture, refund or cancel.
 * - `capture_open`: `final` is set while another capture has no result.
 * - `cancelled`: the order was cancelled, and `reopen` is not set.
 */
export type OrderErrorReason = keyof typeof messages

/** The call contradicts the order. Nothing was stored or sent. */
export class OrderError extends PaymentsError {
  override readonly name = 'OrderError'
  readonly code = 'ERR_ORDER'
  readonly reason: OrderErrorReason

  constructor(reason: OrderErrorReason, operation: string, retry: 'no' | 'same-key' = 'no') {
    super(messages[reason], { operation, outcome: 'not_sent', retry })
    this.reason = reason
  }
}
