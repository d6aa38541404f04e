import { cartOf } from '../../contract/version.js'
import type { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from '../../schemas/event.js'
import type { VirtualClock } from '../internal/clock.js'
import type { PaymentRecord } from '../store/records.js'
import { fromOrder } from './fields.js'

export class Events {
  constructor(
    private readonly clock: VirtualClock,
    private readonly emit: (event: object) => void,
  ) {}

  paymentStatus(record: PaymentRecord): void {
    this.emit({ eventType: 'PAYMENT.STATUS', ...this.#fieldsOf(record) } satisfies PaymentStatusEvent)
  }

  paymentRefund(record: PaymentRecord): void {
    this.emit({ eventType: 'PAYMENT.REFUND', ...this.#fieldsOf(record) } satisfies PaymentRefundEvent)
  }

  dispute(event: DisputeStatusEvent): void {
    this.emit(event)
  }

  #fieldsOf({ payment, apiVersion, vaultedToken }: PaymentRecord) {
    const now = this.clock.now()
    const { paymentMethod } = payment
    return {
      date: now.toISOString(),
      signedAt: String(Math.floor(now.getTime() / 1000)),
      notificationConfig: { id: 'sandbox', description: 'Sandbox' },
      version: apiVersion,
      payment: fromOrder(cartOf(apiVersion), {
        ...payment,
        paymentMethod: { ...paymentMethod, ...(vaultedToken && { vaultedPaymentMethodToken: vaultedToken }) },
      }),
    }
  }
}
