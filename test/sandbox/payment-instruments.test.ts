import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

const customerId = 'customer-1'

describe('paymentInstruments.vault', () => {
  it('saves a payment method that can be paid with again and again', async () => {
    const { client, sandbox } = startSandbox()

    const saved = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId })
    const payments = [
      await client.payments.create(aPayment({ paymentMethodToken: saved.token })),
      await client.payments.create(aPayment({ paymentMethodToken: saved.token })),
    ]

    expect(saved).toMatchObject({
      tokenType: 'MULTI_USE',
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: { last4Digits: '1111' },
      customerId,
      default: false,
      isVerified: false,
      createdAt: '2026-01-31T12:00:00.000000',
      deleted: false,
    })
    expect(payments).toMatchObject(
      Array(2).fill({ status: 'AUTHORIZED', paymentMethod: { paymentMethodToken: saved.token, isVaulted: true } }),
    )
  })

  it('keeps the way the payment method goes', async () => {
    const { client, sandbox } = startSandbox()
    const { token } = await client.paymentInstruments.vault(sandbox.tokens.softDecline, { customerId })

    const payment = await client.payments.create(aPayment({ paymentMethodToken: token }))

    expect(payment.status).toBe('DECLINED')
  })

  it('returns the existing token when the payment method is saved already', async () => {
    const { client, sandbox } = startSandbox()
    const single = sandbox.tokenize()

    const first = await client.paymentInstruments.vault(single, { customerId })
    const again = await client.paymentInstruments.vault(single, { customerId })
    const saved = await client.paymentInstruments.vault(first.token, { customerId })

    expect([again, saved]).toEqual([first, first])
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('saves a scenario’s token for each customer on their own', async () => {
    const { client, sandbox } = startSandbox()

    const one = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })
    const other = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-2' })

    expect(other.token).not.toBe(one.token)
    expect(await refusal(client.paymentInstruments.vault(one.token, { customerId: 'customer-2' }))).toMatchObject({
      status: 409,
      errorId: 'PaymentMethodTokenVaulted',
    })
  })

  it('verifies first when asked to, and saves nothing if that fails', async () => {
    const { client, sandbox } = startSandbox()

    const verified = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId, verify: true })
    const error = await refusal(
      client.paymentInstruments.vault(sandbox.tokens.verificationFails, { customerId, verify: true }),
    )

    expect(verified.isVerified).toBe(true)
    expect(error).toMatchObject({ status: 422, errorId: 'VerificationFailed' })
    expect(await client.paymentInstruments.list({ customerId })).toEqual([verified])
  })

  it('uses up a single-use token, for a payment as for the vault', async () => {
    const { client, sandbox } = startSandbox()
    const [saved, paid] = [sandbox.tokenize(), sandbox.tokenize()]
    await client.paymentInstruments.vault(saved, { customerId })
    await client.payments.create(aPayment({ paymentMethodToken: paid }))

    const errors = [
      await refusal(client.payments.create(aPayment({ paymentMethodToken: saved }))),
      await refusal(client.paymentInstruments.vault(paid, { customerId })),
    ]

    expect(errors.map(({ errorId }) => errorId)).toEqual(['PaymentMethodTokenUsed', 'PaymentMethodTokenUsed'])
  })

  it('needs a customer, and a token that exists', async () => {
    const { client, sandbox } = startSandbox()

    const nobody = await send(sandbox, 'POST', `/payment-instruments/${sandbox.tokens.card}/vault`, { body: {} })
    const nothing = await refusal(client.paymentInstruments.vault('tok_unknown', { customerId }))

    expect(nobody).toMatchObject({
      status: 400,
      json: { error: { validationErrors: [{ errors: [{ path: '$.customerId' }] }] } },
    })
    expect(nothing).toMatchObject({ status: 404, errorId: 'PaymentMethodTokenNotFound' })
  })
})

describe('vaultOnSuccess', () => {
  const paymentMethod = { vaultOnSuccess: true }

  it('saves the payment method of a payment that succeeds, and flags it as the first of a series', async () => {
    const { client, sandbox, sentEvents } = startSandbox()

    const payment = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokenize(), customerId, paymentMethod }),
    )

    const [saved] = await client.paymentInstruments.list({ customerId })
    expect(payment.paymentMethod).toMatchObject({ isVaulted: true, paymentType: 'FIRST_PAYMENT' })
    expect(saved).toMatchObject({ tokenType: 'MULTI_USE', isVerified: true })
    expect((await sentEvents())[0]).toMatchObject({
      payment: { paymentMethod: { vaultedPaymentMethodToken: saved?.token } },
    })
  })

  it('leaves a payment type that was set', async () => {
    const { client } = startSandbox()

    const payment = await client.payments.create(
      aPayment({ customerId, paymentMethod: { ...paymentMethod, paymentType: 'SUBSCRIPTION' } }),
    )

    expect(payment.paymentMethod?.paymentType).toBe('SUBSCRIPTION')
  })

  it('saves nothing when the payment does not succeed', async () => {
    const { client, sandbox } = startSandbox()

    const payment = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens.declined, customerId, paymentMethod }),
    )

    expect(payment.paymentMethod).toMatchObject({ isVaulted: false })
    expect(payment.paymentMethod?.paymentType).toBeUndefined()
    expect(await client.paymentInstruments.list({ customerId })).toEqual([])
  })

  it('waits until the payment is authorized', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens.requires3ds, customerId, paymentMethod }),
    )

    const before = await client.paymentInstruments.list({ customerId })
    await client.payments.resume(id, { resumeToken: sandbox.completeAction(id) })

    expect(before).toEqual([])
    expect(await client.paymentInstruments.list({ customerId })).toHaveLength(1)
  })

  it('needs a customer, from the request or from the session', async () => {
    const { client, sandbox } = startSandbox()
    const { clientToken } = await client.clientSessions.create({ customerId, paymentMethod })
    const { paymentMethodToken: _, ...facts } = aPayment()

    const error = await refusal(client.payments.create(aPayment({ paymentMethod })))
    const payment = await client.payments.create({ ...facts, paymentMethodToken: sandbox.tokenize({ clientToken }) })

    expect(error.validationErrors).toMatchObject([{ errors: [{ path: '$.customerId' }] }])
    expect(payment).toMatchObject({ customerId, paymentMethod: { isVaulted: true } })
  })

  it('saves the same card once', async () => {
    const { client } = startSandbox()

    await client.payments.create(aPayment({ customerId, paymentMethod }))
    await client.payments.create(aPayment({ customerId, paymentMethod }))

    expect(await client.paymentInstruments.list({ customerId })).toHaveLength(1)
  })

  it('does not save a saved payment method again', async () => {
    const { client, sandbox } = startSandbox()
    const { token } = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })

    const payment = await client.payments.create(aPayment({ paymentMethodToken: token, customerId, paymentMethod }))

    expect(payment.paymentMethod?.paymentType).toBeUndefined()
    expect(await client.paymentInstruments.list({ customerId })).toHaveLength(1)
  })
})

describe('paymentInstruments.setDefault', () => {
  it('makes one payment method the default, and no other', async () => {
    const { client, sandbox } = startSandbox()
    const card = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })
    const paypal = await client.paymentInstruments.vault(sandbox.tokens.paypal, { customerId })
    await client.paymentInstruments.setDefault(card.token)

    const now = await client.paymentInstruments.setDefault(paypal.token)

    expect(now).toEqual({ ...paypal, default: true })
    expect(await client.paymentInstruments.list({ customerId })).toMatchObject([{ default: false }, { default: true }])
  })

  it('changes nothing the second time', async () => {
    const { client, sandbox } = startSandbox()
    const { token } = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })

    await client.paymentInstruments.setDefault(token)
    await client.paymentInstruments.setDefault(token)

    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual([
      'paymentInstruments.vault',
      'paymentInstruments.setDefault',
    ])
  })

  it('refuses tokens that are not saved', async () => {
    const { client, sandbox } = startSandbox()

    expect(await refusal(client.paymentInstruments.setDefault(sandbox.tokens.card))).toMatchObject({
      status: 404,
      errorId: 'PaymentMethodNotFound',
    })
  })
})

describe('paymentInstruments.delete', () => {
  it('revokes a saved payment method', async () => {
    const { client, sandbox } = startSandbox()
    const { token } = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })
    await client.paymentInstruments.setDefault(token)

    const deleted = await client.paymentInstruments.delete(token)

    expect(deleted).toMatchObject({ deleted: true, deletedAt: '2026-01-31T12:00:00.000000', default: false })
    expect(await client.paymentInstruments.list({ customerId })).toEqual([])
    expect((await refusal(client.payments.create(aPayment({ paymentMethodToken: token })))).status).toBe(400)
    expect((await refusal(client.paymentInstruments.setDefault(token))).status).toBe(404)
  })

  it('changes nothing the second time', async () => {
    const { client, sandbox } = startSandbox()
    const { token } = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })
    const deleted = await client.paymentInstruments.delete(token)
    await sandbox.clock.advance('1h')

    const again = await client.paymentInstruments.delete(token)

    expect(again).toEqual(deleted)
    expect(sandbox.ledger).toHaveLength(2)
  })

  it('lets the payment method be saved anew', async () => {
    const { client, sandbox } = startSandbox()
    const first = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })
    await client.paymentInstruments.delete(first.token)

    const second = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })

    expect(second.token).not.toBe(first.token)
    expect(await client.paymentInstruments.list({ customerId })).toEqual([second])
  })
})

describe('paymentInstruments.list', () => {
  it('shows a customer’s own payment methods', async () => {
    const { client, sandbox } = startSandbox()
    const mine = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId })
    await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-2' })

    expect(await client.paymentInstruments.list({ customerId })).toEqual([mine])
    expect(await client.paymentInstruments.list({ customerId: 'customer-3' })).toEqual([])
  })

  it('needs a customer', async () => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'GET', '/payment-instruments')

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe('$.customer_id')
  })
})
