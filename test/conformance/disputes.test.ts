import { expect, it } from 'vitest'
import type { DisputeStatusEvent } from '../../src/core/schemas/event.js'
import type { Payment } from '../../src/core/schemas/payment.js'
import type { DisputeFields } from '../../src/testing/index.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

async function startWithDispute(start: Start, fields?: DisputeFields) {
  const service = await start()
  const payment = await service.client.payments.create(aPayment())
  await service.client.payments.capture(payment.id)
  const disputeId = service.sandbox.disputes.open(payment.id, fields)
  const disputeEvents = async () =>
    (await service.events()).filter((event): event is DisputeStatusEvent => event.eventType === 'DISPUTE.STATUS')
  return { ...service, payment, disputeId, disputeEvents }
}

describeService('DISPUTE.STATUS (open beta)', (start) => {
  it('the service sends the same dispute fields for every kind and processor', async () => {
    const { client, sandbox, disputeEvents, payment } = await startWithDispute(start, { type: 'RETRIEVAL' })
    const other = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))
    await client.payments.authorize(other.id, { processor: { name: 'OTHER', processorMerchantId: 'merchant-b' } })
    sandbox.disputes.open(payment.id, { type: 'DISPUTE' })
    sandbox.disputes.open(other.id, { type: 'PREARBITRATION' })

    const sent = await disputeEvents()

    expect(sent.map(({ type }) => type)).toEqual(['RETRIEVAL', 'DISPUTE', 'PREARBITRATION'])
    expect(new Set(sent.map(({ processor }) => processor)).size).toBe(2)
    expect(new Set(sent.map((event) => Object.keys(event).join())).size).toBe(1)
  })

  it.each<[title: string, expected: (payment: Payment) => object]>([
    ['the service sends the event type DISPUTE.STATUS', () => ({ eventType: 'DISPUTE.STATUS' })],
    ['the service sends the dispute type DISPUTE by default', () => ({ type: 'DISPUTE' })],
    ['the service sends the id of the merchant’s account in an event', () => ({ primerAccountId: expect.any(String) })],
    [
      'the service sends the IDs of transaction, order and payment in an event',
      ({ id, orderId, transactions: [sale] = [] }) => ({
        transactionId: sale?.processorTransactionId,
        orderId,
        paymentId: id,
      }),
    ],
    [
      'the service sends the payment method in an event',
      () => ({ paymentMethod: { paymentMethodType: 'PAYMENT_CARD', paymentMethodData: { network: 'Visa' } } }),
    ],
    [
      'the service sends the processor and the merchant ID of the payment in an event',
      ({ processor }) => ({ processor: processor?.name, merchantId: processor?.processorMerchantId }),
    ],
  ])('%s', async (_, expected) => {
    const { events, payment } = await startWithDispute(start)

    expect((await events()).at(-1)).toMatchObject(expected(payment))
  })

  it('the service opens a dispute with the status OPEN, and changes the status later', async () => {
    const { sandbox, disputeId, disputeEvents } = await startWithDispute(start)

    sandbox.disputes.move(disputeId, 'WON')

    expect((await disputeEvents()).map(({ status }) => status)).toEqual(['OPEN', 'WON'])
  })

  it('the service sends the same id in every event of a dispute', async () => {
    const { sandbox, disputeId, disputeEvents, payment } = await startWithDispute(start, { type: 'RETRIEVAL' })
    sandbox.disputes.move(disputeId, 'CHALLENGED')
    sandbox.disputes.move(disputeId, 'OPEN', { type: 'DISPUTE' })
    const other = sandbox.disputes.open(payment.id)

    const sent = await disputeEvents()

    expect(sent.map(({ type }) => type)).toEqual(['RETRIEVAL', 'RETRIEVAL', 'DISPUTE', 'DISPUTE'])
    expect(sent.map(({ processorDisputeId }) => processorDisputeId)).toEqual([disputeId, disputeId, disputeId, other])
    expect(other).not.toBe(disputeId)
  })

  it('the service sends the time at which the processor reported the change', async () => {
    const { sandbox, disputeId, disputeEvents } = await startWithDispute(start)
    await sandbox.clock.advance('1h')
    sandbox.disputes.move(disputeId, 'LOST')

    expect((await disputeEvents()).map(({ receivedAt }) => receivedAt)).toEqual([
      '2026-01-31T12:00:00.000Z',
      '2026-01-31T13:00:00.000Z',
    ])
  })

  it('the service sends the challenge deadline if the processor provides one', async () => {
    const { sandbox, disputeEvents, payment } = await startWithDispute(start, {
      challengeRequiredBy: '2026-02-14T12:00:00Z',
    })
    sandbox.disputes.open(payment.id, { challengeRequiredBy: undefined })

    const [first, second] = await disputeEvents()

    expect(first?.challengeRequiredBy).toBe('2026-02-14T12:00:00Z')
    expect(second).not.toHaveProperty('challengeRequiredBy')
  })

  it('the service sends a standardized reason, a code, and the processor’s reason', async () => {
    const { sandbox, disputeEvents, payment } = await startWithDispute(start)
    sandbox.disputes.open(payment.id, { processorReason: 'Fraude' })

    const [first, second] = await disputeEvents()

    expect(first).toMatchObject({ reason: expect.any(String), reasonCode: expect.any(String) })
    expect([second?.reason, second?.reasonCode]).toEqual([first?.reason, first?.reasonCode])
    expect([first?.processorReason, second?.processorReason]).toEqual([expect.any(String), 'Fraude'])
  })

  it('the service sends the disputed amount, which may be part of the payment', async () => {
    const { sandbox, disputeEvents, payment } = await startWithDispute(start)
    sandbox.disputes.open(payment.id, { amount: 700 })

    expect(await disputeEvents()).toMatchObject([
      { amount: 5000, currency: 'EUR' },
      { amount: 700, currency: 'EUR' },
    ])
  })
})
