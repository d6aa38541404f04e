import { describe, expect, it } from 'vitest'
import type { ScenarioName } from '../../src/sandbox/index.js'
import { aPayment, startSandbox } from '../support/start-sandbox.js'

async function pay(scenario: ScenarioName) {
  const { client, sandbox } = startSandbox()
  const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
  return { client, payment, sandbox }
}

describe('the sandbox scenario', () => {
  it('card creates payments with complete card data', async () => {
    const { payment } = await pay('card')

    expect(payment.paymentMethod).toMatchObject({ analyticsId: 'card_card', paymentMethodType: 'PAYMENT_CARD' })
    const { binData, ...card } = payment.paymentMethod?.paymentMethodData ?? {}
    expect(card).toMatchObject({ first6Digits: '411111', last4Digits: '1111', isNetworkTokenized: false })
    expect(binData).toMatchObject({ network: 'VISA', accountFundingType: 'CREDIT' })
    expect(Object.values({ ...card, ...binData })).not.toContain('')
  })

  it.each<[ScenarioName, status: string, last4Digits: string]>([
    ['card', 'AUTHORIZED', '1111'],
    ['declined', 'DECLINED', '0002'],
    ['softDecline', 'DECLINED', '9995'],
    ['failed', 'FAILED', '0119'],
    ['requires3ds', 'PENDING', '3220'],
    ['fails3ds', 'PENDING', '1629'],
    ['pending', 'PENDING', '7726'],
    ['slowSettlement', 'AUTHORIZED', '0077'],
    ['estimated', 'AUTHORIZED', '0259'],
    ['failsOnCapture', 'AUTHORIZED', '0341'],
    ['fullCaptureOnly', 'AUTHORIZED', '5556'],
    ['cancelFails', 'AUTHORIZED', '0028'],
    ['refundFails', 'AUTHORIZED', '5126'],
    ['instantRefund', 'AUTHORIZED', '4242'],
    ['verificationFails', 'AUTHORIZED', '0101'],
  ])('%s creates %s payments with a card ending in %s', async (scenario, status, last4Digits) => {
    const { client, payment, sandbox } = await pay(scenario)

    const paymentMethod = { analyticsId: `card_${scenario}`, paymentMethodData: { last4Digits, network: 'Visa' } }
    expect(payment).toMatchObject({ status, paymentMethod })
    for (const paymentMethodToken of [sandbox.tokens[scenario], sandbox.tokenize({ scenario })]) {
      expect(await client.payments.create(aPayment({ paymentMethodToken }))).toMatchObject({ status, paymentMethod })
    }
  })

  it.each<[ScenarioName, paymentMethodType: string, paymentMethodData: object]>([
    ['paypal', 'PAYPAL', { externalPayerInfo: { email: 'wallet@example.com' } }],
    ['klarna', 'KLARNA', { sessionData: { billingAddress: { email: 'later@example.com' } } }],
  ])('%s authorizes a payment without a card', async (scenario, paymentMethodType, paymentMethodData) => {
    const { payment } = await pay(scenario)

    expect(payment).toMatchObject({ status: 'AUTHORIZED', paymentMethod: { paymentMethodType } })
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
  ])('%s sets the payment’s status reason', async (scenario, reason) => {
    const { payment } = await pay(scenario)

    expect(payment.statusReason).toEqual(reason)
    expect(payment.transactions?.[0]?.processorStatusReason).toEqual(reason)
  })

  it('failsOnCapture sets a status reason after a failed capture', async () => {
    const { client, payment } = await pay('failsOnCapture')

    expect((await client.payments.capture(payment.id)).statusReason).toEqual(technical)
  })

  it('refundFails sets a status reason for a failed refund', async () => {
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
