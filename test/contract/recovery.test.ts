import type { PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aClient, errorResponse, failureOf, payment, retryAtOnce } from '../support/clients.js'

type Send = (client: PaymentsClient) => PromiseLike<unknown>

const capture =
  (amount?: number): Send =>
  ({ payments }) =>
    payments.capture('pay_1', amount === undefined ? undefined : { amount })

const refund =
  (amount?: number): Send =>
  ({ payments }) =>
    payments.refund('pay_1', amount === undefined ? undefined : { amount })

/** A settled payment of 700, with one refund for each amount. */
const refunded = (...amounts: number[]) => ({
  ...captured(700),
  transactions: [
    { transactionType: 'SALE', amount: 700 },
    ...amounts.map((amount) => ({ transactionType: 'REFUND', amount, processorStatus: 'PENDING' })),
  ],
})
const captured = (amountCaptured: number) => ({ ...payment, status: 'SETTLED', processor: { amountCaptured } })
const failedRefund = (amount: number) => ({ transactionType: 'REFUND', amount, processorStatus: 'FAILED' })

/** Creates a client for a call whose response is lost, and whose retry gets the error "key already used". */
const clientFinding = (found: object) => {
  retryAtOnce()
  const unavailable = new Response('', { status: 503 })
  const conflict = errorResponse(409, { errorId: 'PaymentIdempotencyKeyAlreadyExists' })
  return aClient([unavailable, conflict, found], { maxRetries: 1 }).client
}

describe('recovery after a lost response', () => {
  it.each<[string, Send, object]>([
    ['a refund of the requested amount', refund(300), refunded(100, 300)],
    ['a failed refund of the requested amount', refund(300), { ...captured(700), transactions: [failedRefund(300)] }],
    ['a refund of the full amount', refund(), refunded(700)],
    ['a refund of the rest', refund(), refunded(100, 600)],
    [
      'a failed refund of the rest',
      refund(),
      { ...refunded(100), transactions: [failedRefund(600), ...refunded(100).transactions] },
    ],
    ['a refund of the full amount, without the captured amount', refund(), { ...refunded(700), processor: {} }],
    ['a refund of the captured part', refund(), { ...refunded(200), processor: { amountCaptured: 200 } }],
    ['a capture of the requested amount', capture(300), captured(300)],
    ['several captures of a larger amount', capture(300), captured(400)],
    ['a capture of the full amount', capture(), captured(700)],
    ['a full capture, without the captured amount', capture(700), { ...payment, status: 'SETTLING' }],
    ['a full capture, whose amount is not reported yet', capture(), { ...captured(0), status: 'SETTLING' }],
    ['failed because of the capture', capture(300), { ...captured(0), status: 'FAILED' }],
  ])('N33 returns the payment if it has %s', async (_, send, found) => {
    await expect(send(clientFinding(found))).resolves.toEqual(found)
  })

  it.each<[string, Send, object]>([
    ['a refund of another amount, because the key was used before', refund(300), refunded(100)],
    ['several refunds with the requested sum', refund(300), refunded(100, 200)],
    ['a refund of a part instead of the rest', refund(), refunded(100)],
    [
      'a refund of the authorized amount, of which only a part was captured',
      refund(),
      { ...refunded(100), processor: {} },
    ],
    [
      'a refunded amount, but no refund transaction',
      refund(),
      { ...payment, processor: { amountCaptured: 700, amountRefunded: 700 } },
    ],
    ['a captured amount that is too small', capture(300), captured(100)],
    ['a captured amount that is not the full amount', capture(), captured(300)],
    ['the status SETTLED, but no captured amount', capture(300), { ...payment, status: 'SETTLED' }],
    ['the status SETTLED, but a captured amount of 0', capture(300), captured(0)],
    ['the status CANCELLED', capture(300), { ...captured(0), status: 'CANCELLED' }],
    ['the status SETTLED, but no amounts', capture(), { id: 'pay_1', status: 'SETTLED' }],
  ])('N33 throws the conflict error with the outcome "unknown" if the payment has %s', async (_, send, found) => {
    const error = await failureOf(send(clientFinding(found)))

    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown' })
  })
})
