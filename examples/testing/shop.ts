// What the tests in this folder test: a shop's own code around the client.
import { ApiError, latestRefund, type Payment, type PaymentsClient, PaymentsError, webhooks } from 'payments-client'

export interface Order {
  id: string
  /** Cents. */
  amount: number
  paymentMethodToken: string
  /** How often the customer tried before. */
  tries?: number
}

type Verdict = 'paid' | 'declined' | 'unclear'

/**
 * Take the money for an order. What is `unclear` may yet be paid, so nobody is asked for another card: asking again settles
 * it, which the key makes safe, or a webhook does.
 */
export async function pay(client: PaymentsClient, order: Order): Promise<Verdict> {
  const { id, amount, paymentMethodToken, tries = 0 } = order
  try {
    const payment = await client.payments.create(
      { paymentMethodToken, orderId: id, currencyCode: 'EUR', amount },
      { idempotencyKey: `pay-${id}-${tries}` },
    )
    return verdictOn(payment)
  } catch (error) {
    if (isUsedKey(error)) return verdictOnEarlier(client, error.paymentId)
    const isUnclear = error instanceof PaymentsError && (error.outcome === 'unknown' || error.outcome === 'accepted')
    if (isUnclear) return 'unclear'
    throw error
  }
}

function verdictOn({ status }: Payment): Verdict {
  switch (status) {
    case 'AUTHORIZED':
    case 'SETTLING':
    case 'PARTIALLY_SETTLED':
    case 'SETTLED':
      return 'paid'
    case 'DECLINED':
    case 'FAILED':
    case 'CANCELLED':
      return 'declined'
    default: // PENDING, or a status that is new: with another card the customer might pay twice.
      return 'unclear'
  }
}

/** Some services answer a used key with a conflict: an earlier call took effect. */
function isUsedKey(error: unknown): error is ApiError {
  return error instanceof ApiError && error.errorId?.endsWith('IdempotencyKeyAlreadyExists') === true
}

/** The payment was made, even where it is not named or cannot be read. */
async function verdictOnEarlier(client: PaymentsClient, paymentId: string | undefined): Promise<Verdict> {
  if (paymentId === undefined) return 'unclear'
  return client.payments.get(paymentId).then(verdictOn, () => 'unclear')
}

/** Receive webhooks, and keep the books. */
export function bookkeeper(secret: string, books: Map<string, string>): webhooks.WebhookHandler {
  return webhooks.createHandler({
    secret,
    on: {
      'PAYMENT.STATUS': ({ payment }) => books.set(payment.orderId ?? payment.id, payment.status ?? 'unknown'),
      'PAYMENT.REFUND': ({ payment }) => {
        if (latestRefund(payment)?.processorStatus === 'SETTLED') books.set(payment.orderId ?? payment.id, 'REFUNDED')
      },
    },
  })
}
