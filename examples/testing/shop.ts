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

/** Take the money for an order. What is `unclear` is settled by asking again: the key makes that safe. */
export async function pay(client: PaymentsClient, order: Order): Promise<Verdict> {
  const { id, amount, paymentMethodToken, tries = 0 } = order
  try {
    const payment = await client.payments.create(
      { paymentMethodToken, orderId: id, currencyCode: 'EUR', amount },
      { idempotencyKey: `pay-${id}-${tries}` },
    )
    return verdictOn(payment)
  } catch (error) {
    const earlier = paymentUnderThisKey(error)
    if (earlier !== undefined) return verdictOn(await client.payments.get(earlier))
    const isUnclear = error instanceof PaymentsError && (error.outcome === 'unknown' || error.outcome === 'accepted')
    if (isUnclear) return 'unclear'
    throw error
  }
}

function verdictOn({ status }: Payment): Verdict {
  return status === 'AUTHORIZED' ? 'paid' : 'declined'
}

/** Some services answer a used key with a conflict: an earlier call took effect, and this is its payment. */
function paymentUnderThisKey(error: unknown): string | undefined {
  const wasUsed = error instanceof ApiError && error.errorId?.endsWith('IdempotencyKeyAlreadyExists')
  return wasUsed ? error.paymentId : undefined
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
