import type { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from '../../schemas/event.js'
import type { VirtualClock } from '../clock.js'
import type { PaymentRecord } from '../store/records.js'

/** The version whose shapes the events have. */
const version = '2021-09-27'

/** Writes the events, and hands them to whoever delivers them. */
export class Events {
  readonly #clock: VirtualClock
  readonly #emit: (event: object) => void

  constructor(clock: VirtualClock, emit: (event: object) => void) {
    this.#clock = clock
    this.#emit = emit
  }

  /** The status of a payment changed. */
  paymentStatus(record: PaymentRecord): void {
    this.#emit({ eventType: 'PAYMENT.STATUS', ...this.#about(record) } satisfies PaymentStatusEvent)
  }

  /** A refund reached its final state. */
  paymentRefund(record: PaymentRecord): void {
    this.#emit({ eventType: 'PAYMENT.REFUND', ...this.#about(record) } satisfies PaymentRefundEvent)
  }

  /** A dispute was opened, or it moved. */
  dispute(event: DisputeStatusEvent): void {
    this.#emit(event)
  }

  #about({ payment, vaultedToken }: PaymentRecord) {
    const now = this.#clock.now()
    return {
      date: now.toISOString(),
      signedAt: String(Math.floor(now.getTime() / 1000)),
      notificationConfig: { id: 'sandbox', description: 'Sandbox' },
      version,
      payment: {
        ...payment,
        paymentMethod: {
          ...payment.paymentMethod,
          ...(vaultedToken && { vaultedPaymentMethodToken: vaultedToken }),
        },
      },
    }
  }
}
