import { describe, expect, it } from 'vitest'
import { disputeDeadline, refundOutcome } from '../../../src/index.js'
import type { DisputeStatusEvent, PaymentRefundEvent } from '../../../src/webhooks/index.js'

const aRefundEvent = (transactions?: object[]) =>
  ({ eventType: 'PAYMENT.REFUND', payment: { id: 'pay_1', transactions } }) as PaymentRefundEvent
const aRefund = (processorStatus: string | undefined, date?: string) => ({
  transactionType: 'REFUND',
  processorStatus,
  date,
})

describe('refundOutcome', () => {
  it.each([
    ['SETTLED', 'succeeded'],
    ['FAILED', 'failed'],
    ['DECLINED', 'failed'],
    ['CANCELLED', 'failed'],
    ['PENDING', 'pending'],
    ['SOMETHING_NEW', 'pending'],
    [undefined, 'pending'],
  ])('maps the refund status %s to %s', (status, expected) => {
    expect(refundOutcome(aRefundEvent([aRefund(status)]))).toBe(expected)
  })

  it('uses the most recent refund if there are several', () => {
    const transactions = [
      aRefund('SETTLED', '2026-01-02T00:00:00Z'),
      aRefund('FAILED', '2026-01-01T00:00:00Z'),
      { transactionType: 'SALE', processorStatus: 'FAILED', date: '2026-01-03T00:00:00Z' },
    ]

    expect(refundOutcome(aRefundEvent(transactions))).toBe('succeeded')
  })

  it.each([undefined, [], [{ transactionType: 'SALE' }]])(
    'returns undefined if the transactions %j contain no refund',
    (transactions) => {
      expect(refundOutcome(aRefundEvent(transactions))).toBeUndefined()
    },
  )
})

describe('disputeDeadline', () => {
  it('reads challengeRequiredBy as UTC', () => {
    const event: DisputeStatusEvent = { eventType: 'DISPUTE.STATUS', challengeRequiredBy: '2026-03-01T12:00:00' }

    expect(disputeDeadline(event)).toEqual(new Date('2026-03-01T12:00:00Z'))
  })

  it.each([undefined, 'soon'])('returns undefined if challengeRequiredBy is %s', (challengeRequiredBy) => {
    expect(disputeDeadline({ eventType: 'DISPUTE.STATUS', challengeRequiredBy })).toBeUndefined()
  })
})
