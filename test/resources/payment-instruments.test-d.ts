import { describe, expectTypeOf, it } from 'vitest'
import type { PaymentInstrument, PaymentsClient } from '../../src/index.js'

declare const client: PaymentsClient
declare const newer: PaymentsClient<'2.1'>
declare const instrument: PaymentInstrument

describe('the methods of client.paymentInstruments', () => {
  it('take and return the same types in every API version', () => {
    expectTypeOf(newer.paymentInstruments).toEqualTypeOf(client.paymentInstruments)
    expectTypeOf(client.paymentInstruments.vault('t', { customerId: 'c' })).resolves.toEqualTypeOf<PaymentInstrument>()
    expectTypeOf(client.paymentInstruments.setDefault('t')).resolves.toEqualTypeOf<PaymentInstrument>()
    expectTypeOf(client.paymentInstruments.delete('t')).resolves.toEqualTypeOf<PaymentInstrument>()
    expectTypeOf(client.paymentInstruments.list({ customerId: 'c' })).resolves.toEqualTypeOf<PaymentInstrument[]>()
  })

  it('reject a misspelled field', () => {
    // @ts-expect-error The parameter is `customerId`, although the query has `customer_id`.
    client.paymentInstruments.list({ customer_id: 'c' })
    // @ts-expect-error Misspelled.
    client.paymentInstruments.vault('t', { customerId: 'c', verified: true })
    // @ts-expect-error The customer is required.
    client.paymentInstruments.vault('t', {})
    // @ts-expect-error The customer is required.
    client.paymentInstruments.list()
  })

  it('reject a field of the wrong type', () => {
    // @ts-expect-error The field `verify` is a boolean.
    client.paymentInstruments.vault('t', { customerId: 'c', verify: 'yes' })
    // @ts-expect-error A token is a string.
    client.paymentInstruments.delete(5)
    // @ts-expect-error The operation takes no body.
    client.paymentInstruments.setDefault('t', { customerId: 'c' })
  })

  it('reject an unknown option', () => {
    client.paymentInstruments.delete('t', { maxRetries: 0 })
    // @ts-expect-error The operation takes no idempotency key.
    client.paymentInstruments.vault('t', { customerId: 'c' }, { idempotencyKey: 'key-1' })
    // @ts-expect-error The operation does not take the option `resend`.
    client.paymentInstruments.delete('t', { resend: true })
    // @ts-expect-error Misspelled.
    client.paymentInstruments.list({ customerId: 'c' }, { timeOut: 5 })
  })

  it('return objects in which every property except the token is optional', () => {
    expectTypeOf(instrument.token).toEqualTypeOf<string>()
    expectTypeOf(instrument.default).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(instrument.paymentMethodData?.last4Digits).toEqualTypeOf<string | undefined>()
    // @ts-expect-error Misspelled.
    instrument.isDefault
  })
})
