import { describe, expect, it } from 'vitest'
import { aClient, sent } from '../support/clients.js'
import { deletedCard, savedCard, savedCards } from '../support/responses/payment-instruments.js'

describe('paymentInstruments.vault', () => {
  it('saves the payment method behind a token for a customer', async () => {
    const { client, requests } = aClient([savedCard])
    const body = { customerId: 'customer-1', verify: true }

    const saved = await client.paymentInstruments.vault('tok_1', body)

    expect(requests).toEqual([sent('POST /payment-instruments/tok_1/vault', { body })])
    expect(saved).toEqual(savedCard)
  })

  it('is the same in version 2.1', async () => {
    const { client, requests } = aClient([savedCard], { apiVersion: '2.1' })
    const body = { customerId: 'customer-1' }

    await client.paymentInstruments.vault('tok/1', body)

    expect(requests).toEqual([sent('POST /payment-instruments/tok%2F1/vault', { body, version: '2.1' })])
  })
})

describe('paymentInstruments.setDefault', () => {
  it('sends no body', async () => {
    const { client, requests } = aClient([savedCard])

    const card = await client.paymentInstruments.setDefault('tok_vaulted_1')

    expect(requests).toEqual([sent('POST /payment-instruments/tok_vaulted_1/default')])
    expect(card).toEqual(savedCard)
  })
})

describe('paymentInstruments.list', () => {
  it('returns the saved payment methods as a plain array', async () => {
    const { client, requests } = aClient([savedCards])

    const cards = await client.paymentInstruments.list({ customerId: 'customer 1' })

    expect(requests).toEqual([sent('GET /payment-instruments?customer_id=customer%201')])
    expect(cards).toEqual([savedCard, deletedCard])
    expect(Array.isArray(cards)).toBe(true)
  })

  it('returns the details of the response', async () => {
    const { client } = aClient([savedCards])

    const { data, response } = await client.paymentInstruments.list({ customerId: 'customer-1' }).withResponse()

    expect(data).toEqual([savedCard, deletedCard])
    expect(response.status).toBe(200)
  })
})

describe('paymentInstruments.delete', () => {
  it('returns the deleted payment method', async () => {
    const { client, requests } = aClient([deletedCard])

    const card = await client.paymentInstruments.delete('tok_vaulted_1')

    expect(requests).toEqual([sent('DELETE /payment-instruments/tok_vaulted_1')])
    expect(card).toEqual(deletedCard)
  })
})
