import { describe, expect, it } from 'vitest'
import { aPayment, refusal, startSandbox } from '../../support/start-sandbox.js'

const customerId = 'customer-1'

function start() {
  const started = startSandbox()
  const { client, sandbox } = started
  return {
    ...started,
    vault: (token: string = sandbox.tokens.card) => client.paymentInstruments.vault(token, { customerId }),
    list: () => client.paymentInstruments.list({ customerId }),
  }
}

describe('paymentInstruments.vault', () => {
  it('applies the token’s scenario to later payments with the saved payment method', async () => {
    const { client, sandbox, vault } = start()
    const { token } = await vault(sandbox.tokens.softDecline)

    const payment = await client.payments.create(aPayment({ paymentMethodToken: token }))

    expect(payment.status).toBe('DECLINED')
  })

  it('saves a constant test token separately for each customer', async () => {
    const { client, sandbox, vault } = start()

    const { token } = await vault()
    const other = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-2' })

    expect(other.token).not.toBe(token)
    expect(await client.paymentInstruments.list({ customerId: 'customer-2' })).toEqual([other])
  })
})

describe('the payment field vaultOnSuccess', () => {
  const paymentMethod = { vaultOnSuccess: true }

  it('keeps the request’s paymentType, and saves one card for two payments', async () => {
    const { client, list } = start()
    const body = aPayment({ customerId, paymentMethod: { ...paymentMethod, paymentType: 'SUBSCRIPTION' } })

    const payments = [await client.payments.create(body), await client.payments.create(body)]

    expect(payments).toMatchObject(Array(2).fill({ paymentMethod: { paymentType: 'SUBSCRIPTION' } }))
    expect(await list()).toHaveLength(1)
  })

  it('saves the payment method when a pending payment is authorized', async () => {
    const { client, sandbox, list } = start()
    const { id } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens.requires3ds, customerId, paymentMethod }),
    )

    const before = await list()
    await client.payments.resume(id, { resumeToken: sandbox.completeAction(id) })

    expect(before).toEqual([])
    expect(await list()).toHaveLength(1)
  })

  it('does not save a payment method that is already saved', async () => {
    const { client, vault, list } = start()
    const { token } = await vault()

    const payment = await client.payments.create(aPayment({ paymentMethodToken: token, customerId, paymentMethod }))

    expect(payment.paymentMethod?.paymentType).toBeUndefined()
    expect(await list()).toHaveLength(1)
  })
})

describe('a payment method that was saved during a payment', () => {
  it('uses the payment’s analyticsId, and adds the token to the payment’s events', async () => {
    const { sandbox, client, list, sentEvents, vault } = start()
    await vault(sandbox.tokenize({ scenario: 'slowSettlement' }))

    const { paymentMethod } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokenize(), customerId, paymentMethod: { vaultOnSuccess: true } }),
    )

    const saved = (await list()).filter(({ analyticsId }) => analyticsId === paymentMethod?.analyticsId)
    expect(saved).toHaveLength(1)
    const vaulted = { vaultedPaymentMethodToken: saved[0]?.token }
    expect(await sentEvents()).toMatchObject([{ payment: { paymentMethod: vaulted } }])
  })
})

describe('paymentInstruments.setDefault and delete', () => {
  it('does not make a deleted payment method usable again', async () => {
    const { client, vault, list } = start()
    const { token } = await vault()
    await client.paymentInstruments.setDefault(token)

    const deleted = await client.paymentInstruments.delete(token)

    expect(deleted).toMatchObject({ deleted: true, deletedAt: '2026-01-31T12:00:00.000000', default: false })
    expect(await list()).toEqual([])
    expect((await refusal(client.payments.create(aPayment({ paymentMethodToken: token })))).httpStatus).toBe(400)
    expect((await refusal(client.paymentInstruments.setDefault(token))).httpStatus).toBe(404)
  })

  it('changes nothing if called again for the same payment method', async () => {
    const { client, sandbox, vault } = start()
    const { token } = await vault()
    await client.paymentInstruments.setDefault(token)
    await client.paymentInstruments.setDefault(token)
    const deleted = await client.paymentInstruments.delete(token)
    await sandbox.clock.advance('1h')

    expect(await client.paymentInstruments.delete(token)).toEqual(deleted)
    expect(sandbox.ledger).toHaveLength(3)
  })
})
