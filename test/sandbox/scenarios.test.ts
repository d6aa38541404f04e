import { describe, expect, it } from 'vitest'
import type { ScenarioName } from '../../src/sandbox/index.js'
import { aPayment, startSandbox } from '../support/start-sandbox.js'

async function pay(scenario: ScenarioName) {
  const { client, sandbox } = startSandbox()
  const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
  return { client, payment }
}

describe('a scenario', () => {
  it('has complete card data', async () => {
    const { payment } = await pay('card')

    expect(payment.paymentMethod).toMatchObject({ analyticsId: 'card_card', paymentMethodType: 'PAYMENT_CARD' })
    const { binData, ...card } = payment.paymentMethod?.paymentMethodData ?? {}
    expect(card).toMatchObject({ first6Digits: '411111', last4Digits: '1111', isNetworkTokenized: false })
    expect(binData).toMatchObject({ network: 'VISA', accountFundingType: 'CREDIT' })
    expect(Object.values({ ...card, ...binData })).not.toContain('')
  })

  it.each<[ScenarioName, last4Digits: string]>([
    ['declined', '0002'],
    ['softDecline', '9995'],
    ['failed', '0119'],
    ['requires3ds', '3220'],
    ['fails3ds', '1629'],
    ['pending', '7726'],
    ['slowSettlement', '0077'],
    ['estimated', '0259'],
    ['failsOnCapture', '0341'],
    ['fullCaptureOnly', '5556'],
    ['cancelFails', '0028'],
    ['refundFails', '5126'],
    ['instantRefund', '4242'],
    ['verificationFails', '0101'],
  ])('%s has the card digits %s', async (scenario, last4Digits) => {
    const { payment } = await pay(scenario)

    expect(payment.paymentMethod).toMatchObject({
      analyticsId: `card_${scenario}`,
      paymentMethodData: { last4Digits, network: 'Visa' },
    })
  })

  it.each<[ScenarioName, paymentMethodType: string, paymentMethodData: object]>([
    ['paypal', 'PAYPAL', { externalPayerInfo: { email: 'wallet@example.com' } }],
    ['klarna', 'KLARNA', { sessionData: { billingAddress: { email: 'later@example.com' } } }],
  ])('%s has no card', async (scenario, paymentMethodType, paymentMethodData) => {
    const { payment } = await pay(scenario)

    expect(payment.paymentMethod).toMatchObject({ paymentMethodType })
    expect(payment.paymentMethod?.paymentMethodData).toEqual(paymentMethodData)
  })

  const technical = { type: 'APPLICATION_ERROR', code: 'ERROR', message: 'The processor could not handle the request.' }

  it.each<[ScenarioName, reason: object]>([
    [
      'declined',
      {
        type: 'ISSUER_DECLINED',
        declineType: 'HARD_DECLINE',
        code: 'DO_NOT_HONOR',
        message: 'The issuer declined the payment.',
      },
    ],
    [
      'softDecline',
      {
        type: 'ISSUER_DECLINED',
        declineType: 'SOFT_DECLINE',
        code: 'INSUFFICIENT_FUNDS',
        message: 'The issuer declined the payment for now.',
      },
    ],
    ['failed', technical],
  ])('%s has a status reason', async (scenario, reason) => {
    const { payment } = await pay(scenario)

    expect(payment.statusReason).toEqual(reason)
    expect(payment.transactions?.[0]?.processorStatusReason).toEqual(reason)
  })

  it('has a status reason after a failed capture', async () => {
    const { client, payment } = await pay('failsOnCapture')

    expect((await client.payments.capture(payment.id)).statusReason).toEqual(technical)
  })

  it('has a reason for a failed refund', async () => {
    const { client, payment } = await pay('refundFails')
    await client.payments.capture(payment.id)

    const { transactions } = await client.payments.refund(payment.id)

    expect(transactions?.[1]?.processorStatusReason).toEqual({
      type: 'APPLICATION_ERROR',
      code: 'ERROR',
      message: 'The processor could not refund the payment.',
    })
  })
})
