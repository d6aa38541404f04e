import { expect, it } from 'vitest'
import type { CreateExternalPaymentBody, ExternalPaymentChanges } from '../../src/core/schemas/external-payment.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { externalPayment as response } from '../support/responses/observability.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

async function startWithRecord(start: Start, changes: Partial<CreateExternalPaymentBody> = {}) {
  const service = await start()
  const { client, sandbox } = service
  const record = await client.observability.payments.create({ ...leastExternalPayment, ...changes })
  /** Parses a response that contains every specified field. */
  const readWholeResponse = () => {
    sandbox.faults.add({ operation: 'observability.payments.update', status: 200, body: response })
    return client.observability.payments.update(record.paymentId as string, {})
  }
  return { ...service, record, readWholeResponse }
}

describeService('External payment', (start) => {
  it('the service accepts each external payment id only once', async () => {
    const { client, sandbox } = await startWithRecord(start)

    const error = await refusal(client.observability.payments.create({ ...leastExternalPayment, amount: 1 }))

    expect(error.outcome).toBe('rejected')
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('the service requires seven fields of an external payment', async () => {
    const { client, ask, record } = await startWithRecord(start)
    const names = Object.keys(leastExternalPayment)

    const rejected = await Promise.all(
      names.map(async (name) => {
        const body = { ...leastExternalPayment, paymentId: 'external-2', [name]: undefined }
        const error = await refusal(client.observability.payments.create(body))
        const asked = await ask('POST', '/observability/payments', body)
        return [error.outcome, asked.fields]
      }),
    )

    expect(record).toEqual(leastExternalPayment)
    expect(rejected).toEqual(names.map((name) => ['not_sent', [`$.${name}`]]))
  })

  it('the service requires the payment’s creation time in UTC, and never changes it', async () => {
    const { client, ask } = await startWithRecord(start)
    const createdAt = '2026-01-30T08:00:00+02:00'

    const zoned = await refusal(
      client.observability.payments.create({ ...leastExternalPayment, paymentId: 'external-2', createdAt }),
    )
    const changes = { createdAt: leastExternalPayment.createdAt } as unknown as ExternalPaymentChanges
    const changed = await refusal(client.observability.payments.update('external-1', changes))
    const asked = await ask('PATCH', '/observability/payments/external-1', changes)

    expect([zoned, changed]).toMatchObject(Array(2).fill({ outcome: 'not_sent', issues: [{ path: ['createdAt'] }] }))
    expect(asked).toMatchObject({ status: 400, fields: ['$.createdAt'] })
  })

  it.each<[title: string, field: 'processor' | 'order' | 'paymentMethod', given: object]>([
    ['the service returns the processor, and the merchant ID of the request', 'processor', { name: 'SOME' }],
    ['the service returns the order ID, and the country of the request', 'order', { id: 'order-18' }],
    [
      'the service returns the payment method type, and any further fields',
      'paymentMethod',
      { paymentMethodType: 'PAYPAL' },
    ],
    ['the service returns the card data in a response', 'paymentMethod', { paymentMethodType: 'PAYMENT_CARD' }],
    ['the service returns the result of 3-D Secure', 'paymentMethod', { paymentMethodType: 'KLARNA' }],
  ])('%s', async (_, field, given) => {
    const { record, readWholeResponse } = await startWithRecord(start, { [field]: given })

    expect(record[field]).toEqual(given)
    expect((await readWholeResponse())[field]).toEqual(response[field])
  })

  it('the service accepts the optional fields status, type and descriptor', async () => {
    const { status, statusReason, paymentType, descriptor } = response
    const facts = { status, statusReason, paymentType, descriptor }

    const { record } = await startWithRecord(start, facts)

    expect(record).toEqual({ ...leastExternalPayment, ...facts })
  })
})

describeService('POST /observability/payments (beta)', (start) => {
  it('the service records the payment that the request describes', async () => {
    const { client, sandbox } = await startWithRecord(start)

    expect(sandbox.ledger).toMatchObject([
      { operation: 'observability.payments.create', resourceId: 'external-1', amount: 5000 },
    ])
    expect((await client.payments.list()).data).toEqual([])
  })

  it('the service rejects the id of a payment that it processed itself', async () => {
    const { client } = await start()
    const { id } = await client.payments.create(aPayment())

    const error = await refusal(client.observability.payments.create({ ...leastExternalPayment, paymentId: id }))

    expect(error).toMatchObject({ outcome: 'rejected', paymentId: id })
  })
})

describeService('PATCH /observability/payments/:paymentId (beta)', (start) => {
  it('the service updates the record of the payment whose id is in the path', async () => {
    const { client } = await startWithRecord(start)
    await client.observability.payments.create({ ...leastExternalPayment, paymentId: 'external-2' })

    const { paymentId } = await client.observability.payments.update('external-2', { status: 'SETTLED' })
    const unknown = await refusal(client.observability.payments.update('external-3', { status: 'SETTLED' }))
    const { status } = await client.observability.payments.update('external-1', {})

    expect(paymentId).toBe('external-2')
    expect(unknown.httpStatus).toBe(404)
    expect(status).toBeUndefined()
  })

  it('the service changes only the fields in the request, including nested fields', async () => {
    const { client, requests } = await startWithRecord(start, { metadata: { shop: 'berlin', till: 4 } })
    const changes = { processor: { name: 'OTHER' }, amount: 700, metadata: { till: 5 } }

    const updated = await client.observability.payments.update('external-1', changes)

    expect(updated).toEqual({ ...leastExternalPayment, ...changes, metadata: { shop: 'berlin', till: 5 } })
    expect(await requests[1]?.json()).toEqual(changes)
  })

  it('the service returns the whole record after an update', async () => {
    const { client } = await startWithRecord(start)

    const updated = await client.observability.payments.update('external-1', { descriptor: 'KETTLES' })

    expect(updated).toEqual({ ...leastExternalPayment, descriptor: 'KETTLES' })
  })
})
