import { assertType, describe, expectTypeOf, it } from 'vitest'
import type { CreateExternalPaymentBody, ExternalPayment, PaymentsClient } from '../../src/index.js'
import { leastExternalPayment } from '../support/external-payment.js'

declare const client: PaymentsClient
declare const newer: PaymentsClient<'2.1'>

describe('the methods of client.observability.payments', () => {
  it('take and return the same types in every API version', () => {
    assertType<CreateExternalPaymentBody>({ ...leastExternalPayment, paymentType: 'MOTO', metadata: { till: 4 } })
    expectTypeOf(newer.observability).toEqualTypeOf(client.observability)
    expectTypeOf(client.observability.payments.create(leastExternalPayment)).resolves.toEqualTypeOf<ExternalPayment>()
    expectTypeOf(client.observability.payments.update('external-1', {})).resolves.toEqualTypeOf<ExternalPayment>()
    client.observability.payments.update('external-1', { processor: { name: 'PROCESSOR_C' } }, { resend: true })
  })

  it('reject a misspelled field', () => {
    const { amount, ...withoutAmount } = leastExternalPayment
    // @ts-expect-error The amount is required.
    client.observability.payments.create(withoutAmount)
    // @ts-expect-error Only responses have the field `merchantId`.
    assertType<CreateExternalPaymentBody['processor']>({ name: 'PROCESSOR_B', merchantId: 'm' })
    // @ts-expect-error The creation time cannot be changed.
    client.observability.payments.update('external-1', { createdAt: '2026-03-01T09:30:00Z' })
    // @ts-expect-error Misspelled.
    client.observability.payments.update('external-1', { state: 'SETTLED' })
  })

  it('reject a field of the wrong type', () => {
    // @ts-expect-error A datetime is a string, not a `Date`.
    client.observability.payments.create({ ...leastExternalPayment, createdAt: new Date() })
    // @ts-expect-error No field can be cleared.
    client.observability.payments.update('external-1', { descriptor: null })
    // @ts-expect-error Metadata cannot contain booleans.
    client.observability.payments.update('external-1', { metadata: { gift: true } })
  })

  it('reject an unknown option', () => {
    // @ts-expect-error The operation takes no idempotency key.
    client.observability.payments.create(leastExternalPayment, { idempotencyKey: 'key-1' })
    // @ts-expect-error The option `resend` is a boolean.
    client.observability.payments.update('external-1', {}, { resend: 'yes' })
  })
})
