// Functions that a shop could write around the client. The other files in this folder test them.
import {
  isFinal,
  isNewer,
  isPaymentsError,
  type Payment,
  type PaymentsClient,
  type PaymentsErrorFields,
  refundsOf,
  webhooks,
} from 'payments-client'

export interface Order {
  id: string
  /** Minor units. */
  amount: number
  paymentMethodToken: string
  /** Number of the customer's attempt, starting at 1. A new card needs a new number. */
  attempt?: number
}

type Verdict = 'paid' | 'declined' | 'unclear'

/**
 * Creates the payment for an order.
 *
 * An `unclear` payment may still succeed. While the customer waits, call this function again with the same order. Later,
 * wait for the webhook. Do not ask the customer for another card.
 *
 * @throws {PaymentsError} The service rejected the order. Increase `attempt` only if no earlier call was `unclear`.
 */
export async function pay(client: PaymentsClient, order: Order): Promise<Verdict> {
  const { id, amount, paymentMethodToken, attempt = 1 } = order
  try {
    const payment = await client.payments.create(
      { paymentMethodToken, orderId: id, currencyCode: 'EUR', amount },
      { idempotencyKey: `pay-${id}-${attempt}` },
    )
    return verdictOn(payment)
  } catch (error) {
    if (isUsedKey(error)) return verdictOnEarlier(client, error.paymentId)
    // Returns `unclear` also after a 401 or a 429, because an earlier call with this key may have created the payment.
    if (isPaymentsError(error) && error.retry === 'same-key') return 'unclear'
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
    default: // PENDING or a new status. With another card, the customer could pay twice.
      return 'unclear'
  }
}

/** Returns whether an earlier call with the key took effect. */
function isUsedKey(error: unknown): error is PaymentsErrorFields {
  return isPaymentsError(error) && error.errorId?.endsWith('IdempotencyKeyAlreadyExists') === true
}

/** Returns whether the payment that an earlier call created is paid, declined or unclear. */
async function verdictOnEarlier(client: PaymentsClient, paymentId: string | undefined): Promise<Verdict> {
  if (paymentId === undefined) return 'unclear'
  return client.payments.get(paymentId).then(verdictOn, () => 'unclear')
}

/** The latest status of each payment, and of each refund by its transaction ID. */
export type Books = Map<string, { status?: Payment['status'] | undefined; dateUpdated?: string | undefined }>

/**
 * Returns a webhook handler that records statuses in `books`. An event that arrives late does not replace a newer
 * status, and a final status never changes.
 */
export function bookkeeper(secret: string, books: Books): webhooks.WebhookHandler {
  return webhooks.createHandler({
    secret,
    on: {
      'PAYMENT.STATUS': ({ payment }) => {
        const { id, status, dateUpdated } = payment
        const known = books.get(id) ?? {}
        const isOutdated = isFinal(known.status) || isNewer(known, payment)
        if (isFinal(status) || !isOutdated) books.set(id, { status, dateUpdated })
      },
      'PAYMENT.REFUND': ({ payment }) => {
        for (const { transactionId = '', status } of refundsOf(payment)) {
          if (isFinal(status) || !isFinal(books.get(transactionId)?.status)) books.set(transactionId, { status })
        }
      },
    },
  })
}
