import { expect, it } from 'vitest'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService } from './service.js'

describeService('What the service does', (start) => {
  it('service.sessions: the service creates a client token, with which a checkout leads to a payment', async () => {
    const { client, sandbox } = await start()

    const { clientToken } = await client.clientSessions.create({ orderId: 'order-17', currencyCode: 'EUR', amount: 1 })
    const payment = await client.payments.create({ paymentMethodToken: sandbox.tokenize({ clientToken }) })

    expect(payment).toMatchObject({ orderId: 'order-17', currencyCode: 'EUR', amount: 1, status: 'AUTHORIZED' })
  })

  it('service.payments: the service processes a payment from authorization to refund', async () => {
    const { client, sandbox } = await start()
    const { tokens } = sandbox
    const paymentMethod = { authorizationType: 'ESTIMATED' }

    const estimated = await client.payments.create(aPayment({ paymentMethodToken: tokens.estimated, paymentMethod }))
    await client.payments.adjustAuthorization(estimated.id, { amount: 4000 })
    await client.payments.capture(estimated.id, { amount: 3000 })
    const refunded = await client.payments.refund(estimated.id)
    const paused = await client.payments.create(aPayment({ paymentMethodToken: tokens.requires3ds }))
    await client.payments.resume(paused.id, { resumeToken: sandbox.completeAction(paused.id) })
    const cancelled = await client.payments.cancel(paused.id)

    expect(refunded).toMatchObject({ amount: 4000, processor: { amountCaptured: 3000, amountRefunded: 3000 } })
    expect(cancelled.status).toBe('CANCELLED')
    expect(await client.payments.get(refunded.id)).toEqual(refunded)
    expect((await client.payments.list()).data.map(({ id }) => id)).toEqual([refunded.id, cancelled.id])
  })

  it('service.vault: the service saves, lists and deletes a customer’s payment methods', async () => {
    const { client, sandbox } = await start()
    const customerId = 'customer-1'

    const card = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId })
    const wallet = await client.paymentInstruments.vault(sandbox.tokens.paypal, { customerId })
    await client.paymentInstruments.setDefault(wallet.token)
    await client.paymentInstruments.delete(card.token)

    expect(await client.paymentInstruments.list({ customerId })).toEqual([{ ...wallet, default: true }])
  })

  it('service.external-payments: the service records payments made outside the service', async () => {
    const { client, sandbox } = await start()

    expect(await client.observability.payments.create(leastExternalPayment)).toEqual(leastExternalPayment)
    expect(sandbox.ledger).toMatchObject([{ operation: 'observability.payments.create', resourceId: 'external-1' }])
  })

  it('service.loyalty: the service redeems and refunds points, lists transactions and returns the balance', async () => {
    const { client, sandbox } = await start()
    const member = { connectionId: 'connection-1', customerId: 'member-1' }
    sandbox.loyalty.setBalance(member.connectionId, member.customerId, 100)

    const redemption = await client.loyalty.transactions.create({
      ...member,
      orderId: 'order-17',
      value: 30,
      type: 'REDEMPTION',
    })
    const refund = await client.loyalty.transactions.create({
      ...member,
      orderId: 'order-17',
      value: 10,
      type: 'REFUND',
    })

    expect((await client.loyalty.transactions.list(member)).data).toEqual([redemption, refund])
    expect(await client.loyalty.customers.get('member-1', { connectionId: 'connection-1' })).toMatchObject({
      balance: 80,
    })
  })

  it('service.webhooks: the service sends signed events for payments, refunds and disputes', async () => {
    const { client, sandbox, events } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.instantRefund }))
    await client.payments.capture(id)
    await client.payments.refund(id)
    sandbox.disputes.open(id)

    const sent = await events()

    expect(sent.map(({ eventType }) => eventType)).toEqual([
      'PAYMENT.STATUS',
      'PAYMENT.STATUS',
      'PAYMENT.REFUND',
      'DISPUTE.STATUS',
    ])
  })
})
