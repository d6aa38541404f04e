import { describe, expect, it } from 'vitest'
import type { ScenarioName } from '../../../src/testing/index.js'
import { aPayment, startSandbox } from '../../support/start-sandbox.js'

async function pay(scenario: ScenarioName) {
  const { client, sandbox } = startSandbox()
  const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
  return { client, payment, sandbox }
}

describe('the sandbox scenario', () => {
  it.each<[ScenarioName, status: string, last4Digits: string]>([
    ['card', 'AUTHORIZED', '1111'],
    ['declined', 'DECLINED', '0002'],
    ['softDecline', 'DECLINED', '9995'],
    ['requires3ds', 'PENDING', '3220'],
    ['fails3ds', 'PENDING', '1629'],
    ['pending', 'PENDING', '7726'],
    ['cancelFails', 'AUTHORIZED', '0028'],
  ])('%s creates %s payments with a card ending in %s', async (scenario, status, last4Digits) => {
    const { client, payment, sandbox } = await pay(scenario)

    const paymentMethod = { analyticsId: `card_${scenario}`, paymentMethodData: { last4Digits, network: 'Visa' } }
    expect(payment).toMatchObject({ status, paymentMethod })
    for (const paymentMethodToken of [sandbox.tokens[scenario], sandbox.tokenize({ scenario })]) {
      expect(await client.payments.create(aPayment({ paymentMethodToken }))).toMatchObject({ status, paymentMethod })
    }
  })

  it.each<[ScenarioName, code: string, message: string, act?: 'capture' | 'refund']>([
    ['declined', 'ISSUER_DECLINED HARD_DECLINE DO_NOT_HONOR', 'The issuer declined the payment.'],
    ['softDecline', 'ISSUER_DECLINED SOFT_DECLINE INSUFFICIENT_FUNDS', 'The issuer declined the payment for now.'],
    ['failed', 'APPLICATION_ERROR ERROR', 'The processor could not handle the request.'],
    ['failsOnCapture', 'APPLICATION_ERROR ERROR', 'The processor could not handle the request.', 'capture'],
    ['refundFails', 'APPLICATION_ERROR ERROR', 'The processor could not refund the payment.', 'refund'],
  ])('%s sets the status reason %s', async (scenario, codes, message, act) => {
    const { client, payment } = await pay(scenario)
    if (act !== undefined) await client.payments.capture(payment.id)
    if (act === 'refund') await client.payments.refund(payment.id)

    const { processor, statusReason, transactions } = await client.payments.get(payment.id)

    const reason = transactions?.at(-1)?.processorStatusReason
    const { type, declineType, code } = reason ?? {}
    expect([type, declineType, code].filter(Boolean).join(' ')).toBe(codes)
    expect(reason?.message).toBe(message)
    expect(processor?.amountCaptured).toBe(act === 'refund' ? 5000 : 0)
    expect(statusReason).toEqual(act === 'refund' ? undefined : reason)
  })
})
