import { expect, it } from 'vitest'
import { authorizedPayment } from '../support/responses/payments.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService } from './service.js'

const customerId = 'customer-1'

describeService('PaymentMethod (in a payment)', (start) => {
  it('the service reports whether the payment method was already saved', async () => {
    const { client, sandbox } = await start()
    const { token } = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId })

    const saved = await client.payments.create(aPayment({ paymentMethodToken: token }))
    const other = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokenize() }))

    expect([saved, other].map(({ paymentMethod }) => paymentMethod?.isVaulted)).toEqual([true, false])
  })

  it('the service returns one analytics ID for a payment and its saved payment method', async () => {
    const { client, sandbox } = await start()
    const saved = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId })

    const { paymentMethod } = await client.payments.create(aPayment({ paymentMethodToken: saved.token }))

    expect(paymentMethod?.analyticsId).toEqual(expect.any(String))
    expect(paymentMethod?.analyticsId).toBe(saved.analyticsId)
  })

  it('the service returns PAYMENT_CARD for a card, and another type for a wallet', async () => {
    const { client, sandbox } = await start()

    const card = await client.payments.create(aPayment())
    const wallet = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.paypal }))

    expect(card.paymentMethod?.paymentMethodType).toBe('PAYMENT_CARD')
    expect(wallet.paymentMethod?.paymentMethodType).toBe('PAYPAL')
  })

  it('the service accepts vaultOnSuccess and payment method options in requests', async () => {
    const { client, requests } = await start()
    const paymentMethod = { vaultOnSuccess: true, options: { PAYMENT_CARD: { surcharge: { amount: 140 } } } }

    const payment = await client.payments.create(aPayment({ customerId, paymentMethod }))
    const session = await client.clientSessions.create({ paymentMethod })

    expect(payment.status).toBe('AUTHORIZED')
    expect(session.paymentMethod).toEqual(paymentMethod)
    expect(await requests[0]?.json()).toMatchObject({ paymentMethod })
  })

  it('the service returns the data that identifies the card', async () => {
    const { client } = await start()

    const { paymentMethod } = await client.payments.create(aPayment())

    const texts = ['expirationMonth', 'expirationYear', 'cardholderName', 'network', 'first6Digits', 'last4Digits']
    expect(paymentMethod?.paymentMethodData).toEqual({
      ...Object.fromEntries(texts.map((name) => [name, expect.any(String)])),
      isNetworkTokenized: false,
      binData: expect.any(Object),
    })
  })

  it('the service returns the bank and product that the card’s first digits identify', async () => {
    const { client } = await start()
    const { binData } = authorizedPayment.paymentMethod.paymentMethodData

    const { paymentMethod } = await client.payments.create(aPayment())

    const sent = paymentMethod?.paymentMethodData?.binData ?? {}
    expect(Object.keys(sent).sort()).toEqual(Object.keys(binData).sort())
    expect(sent).toMatchObject({ accountNumberType: 'PRIMARY_ACCOUNT_NUMBER', productUsageType: 'CONSUMER' })
  })

  it('the service returns the result of 3-D Secure', async () => {
    const { client, sandbox } = await start()
    const { threeDSecureAuthentication } = authorizedPayment.paymentMethod
    sandbox.faults.add({ operation: 'payments.get', status: 200, body: authorizedPayment })

    const unchecked = await client.payments.create(aPayment())
    const checked = await client.payments.get('pay_1')

    expect(unchecked.paymentMethod?.threeDSecureAuthentication).toMatchObject({ responseCode: 'NOT_PERFORMED' })
    expect(checked.paymentMethod?.threeDSecureAuthentication).toEqual(threeDSecureAuthentication)
  })
})

describeService('Payment types', (start) => {
  it('the service accepts each of the six payment types', async () => {
    const { client, sandbox } = await start()
    const types = ['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED', 'MOTO', 'IN_STORE']
    const { token } = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId })

    const payments = types.map((paymentType) =>
      client.payments.create(aPayment({ paymentMethodToken: token, paymentMethod: { paymentType } })),
    )

    expect((await Promise.all(payments)).map(({ paymentMethod }) => paymentMethod?.paymentType)).toEqual(types)
  })

  it('the service returns FIRST_PAYMENT for a payment that saves its payment method', async () => {
    const { client, sandbox } = await start()

    const { paymentMethod } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokenize(), customerId, paymentMethod: { vaultOnSuccess: true } }),
    )

    expect(paymentMethod?.paymentType).toBe('FIRST_PAYMENT')
    expect(await client.paymentInstruments.list({ customerId })).toHaveLength(1)
  })
})
