import { describe, expect, it } from 'vitest'
import { aClient, sent } from '../support/clients.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { externalPayment } from '../support/responses/observability.js'

describe('observability.payments.create', () => {
  it('records a payment with all fields', async () => {
    const { client, requests } = aClient([externalPayment])
    const body = {
      ...leastExternalPayment,
      status: 'DECLINED',
      statusReason: { type: 'APPLICATION_ERROR', declineType: 'SOFT_DECLINE', code: 'ERROR', message: 'Try again' },
      metadata: { shop: 'berlin', till: 4 },
      paymentType: 'IN_STORE',
      descriptor: 'KETTLES AND MORE',
    }

    const recorded = await client.observability.payments.create(body)

    expect(requests).toEqual([sent('POST /observability/payments', { body })])
    expect(recorded).toEqual(externalPayment)
  })

  it('records a payment with the amount 0 and only the required fields in version 2.1', async () => {
    const { client, requests } = aClient([externalPayment], { apiVersion: '2.1' })
    const body = { ...leastExternalPayment, amount: 0 }

    await client.observability.payments.create(body)

    expect(requests).toEqual([sent('POST /observability/payments', { body, version: '2.1' })])
  })
})

describe('observability.payments.update', () => {
  it('sends only the changed fields, including nested fields', async () => {
    const { client, requests } = aClient([externalPayment])
    const changes = { processor: { name: 'PROCESSOR_C' }, status: 'SETTLED' }

    const updated = await client.observability.payments.update('external/1', changes)

    expect(requests).toEqual([sent('PATCH /observability/payments/external%2F1', { body: changes })])
    expect(updated).toEqual(externalPayment)
  })
})
