// Takes payments that survive a crash, with any database and without `payments-client/orders`.
import type { CreatePaymentBody, PaymentCore, PaymentsClient } from 'payments-client'

/** A payment that was started. Its body and key never change. */
export interface Attempt {
  orderId: string
  idempotencyKey: string
  body: CreatePaymentBody
  firstSentAt: Date
  lastSentAt: Date
}

/** Your own functions. Each runs in one transaction of your database. */
export interface Attempts {
  /**
   * Stores a new attempt, or sets `lastSentAt` of the open attempt to the current time and returns it. Throws if the open
   * attempt's `firstSentAt` is more than 60 seconds ago, or if a payment of the order has not failed.
   */
  start(orderId: string, paymentMethodToken: string): Promise<Attempt>

  /**
   * Stores the order's payments, unless a newer status is stored. The attempt failed if all payments of the order have
   * failed. Otherwise, it was successful.
   */
  finish(orderId: string, payments: readonly PaymentCore[]): Promise<void>

  /** Returns the open attempts. */
  unfinished(): Promise<readonly Attempt[]>

  /** Marks an attempt as failed. The next attempt gets the next number. */
  giveUp(orderId: string): Promise<void>
}

/** Pays for an order. If this function throws, call it again while the customer waits. */
export async function pay(client: PaymentsClient, attempts: Attempts, orderId: string, paymentMethodToken: string) {
  const { idempotencyKey, body, lastSentAt } = await attempts.start(orderId, paymentMethodToken)
  if (Date.now() - lastSentAt.getTime() > 60_000) throw new Error('The process was paused after attempts.start')
  const payment = await client.payments.create(body, { idempotencyKey })
  await attempts.finish(orderId, [payment])
  return payment
}

/** Finds the payments of open attempts, but never sends a payment again. Call this function every minute. */
export async function finishAttempts(client: PaymentsClient, attempts: Attempts): Promise<void> {
  for (const { orderId, firstSentAt, lastSentAt } of await attempts.unfinished()) {
    // The call starts up to 60 s after lastSentAt and takes up to 120 s (totalTimeout). After the call has ended, its
    // request may still take effect for 90 s.
    const until = new Date(lastSentAt.getTime() + 60_000 + 120_000 + 90_000)
    const result = await client.payments.reconcile({ orderId, since: firstSentAt, until })
    if (result.status === 'found') await attempts.finish(orderId, result.payments)
    if (result.status === 'not_found') await attempts.giveUp(orderId) // the customer was not charged
  }
}
