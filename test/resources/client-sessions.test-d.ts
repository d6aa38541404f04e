import { assertType, describe, expectTypeOf, it } from 'vitest'
import type {
  Call,
  ClientSession,
  ClientSessionChanges,
  ClientSessionChangesV21,
  ClientSessions,
  ClientSessionV21,
  CreateClientSessionBody,
  CreateClientSessionBodyV21,
  CreatedClientSession,
  CreatedClientSessionV21,
  PaymentsClient,
  SessionWarning,
} from '../../src/index.js'

declare const client: PaymentsClient
declare const newer: PaymentsClient<'2.1'>

describe('clientSessions.create', () => {
  it('takes a body and returns a session, both typed for the client’s API version', () => {
    expectTypeOf<Parameters<ClientSessions['create']>[0]>().toEqualTypeOf<CreateClientSessionBody | undefined>()
    expectTypeOf<Parameters<ClientSessions<'2.1'>['create']>[0]>().toEqualTypeOf<CreateClientSessionBodyV21>()
    expectTypeOf(client.clientSessions.create()).resolves.toEqualTypeOf<CreatedClientSession>()
    expectTypeOf(newer.clientSessions.create({ lineItems: [] })).resolves.toEqualTypeOf<CreatedClientSessionV21>()
    client.clientSessions.create({ amount: 5, order: { fees: [{ amount: 1 }] } }, { resend: true })
  })

  it('rejects a misspelled field', () => {
    // @ts-expect-error Misspelled.
    client.clientSessions.create({ currency: 'EUR' })
    // @ts-expect-error A nested field is misspelled.
    client.clientSessions.create({ order: { lineItems: [{ price: 5 }] } })
  })

  it('rejects a body in the format of the other API version', () => {
    // @ts-expect-error In version 2021-09-27, line items are in `order`.
    client.clientSessions.create({ lineItems: [] })
    // @ts-expect-error Version 2.1 has `lineItems` and `orderDetails` instead of `order`.
    newer.clientSessions.create({ lineItems: [], order: {} })
    // @ts-expect-error In version 2.1, the service computes the amount.
    newer.clientSessions.create({ lineItems: [], amount: 5 })
    // @ts-expect-error Line items are required.
    newer.clientSessions.create({ orderId: 'order-17' })
    // @ts-expect-error Line items are required.
    newer.clientSessions.create()
  })

  it('rejects fields and options of the wrong type', () => {
    // @ts-expect-error An amount is a number.
    client.clientSessions.create({ amount: '5' })
    // @ts-expect-error Metadata cannot contain arrays.
    client.clientSessions.create({ metadata: { tags: ['a'] } })
    // @ts-expect-error The operation takes no idempotency key.
    client.clientSessions.create({}, { idempotencyKey: 'key-1' })
    // @ts-expect-error Misspelled.
    client.clientSessions.create({}, { resent: true })
  })
})

describe('clientSessions.get', () => {
  it('returns the session of the client’s API version', () => {
    expectTypeOf(client.clientSessions.get('client_token_1')).resolves.toEqualTypeOf<ClientSession>()
    expectTypeOf(newer.clientSessions.get('client_token_1')).resolves.toEqualTypeOf<ClientSessionV21>()
  })

  it('rejects wrong arguments and options', () => {
    // @ts-expect-error The token is a string, not an object.
    client.clientSessions.get({ clientToken: 'client_token_1' })
    // @ts-expect-error Reads take no resend option.
    client.clientSessions.get('client_token_1', { resend: true })
  })
})

describe('clientSessions.update and clientSessions.merge', () => {
  it('take changes and return the session of the client’s API version', () => {
    expectTypeOf<Parameters<ClientSessions['update']>[1]>().toEqualTypeOf<ClientSessionChanges>()
    expectTypeOf<Parameters<ClientSessions<'2.1'>['update']>[1]>().toEqualTypeOf<ClientSessionChangesV21>()
    expectTypeOf<Parameters<ClientSessions['merge']>>().toEqualTypeOf<Parameters<ClientSessions['update']>>()
    expectTypeOf(client.clientSessions.update('t', {})).resolves.toEqualTypeOf<ClientSession>()
    expectTypeOf(newer.clientSessions.merge('t', {})).resolves.toEqualTypeOf<ClientSessionV21>()
    expectTypeOf(client.clientSessions.merge('t', {})).toEqualTypeOf<Call<ClientSession>>()
  })

  it('accept null for any field, at any depth', () => {
    assertType<ClientSessionChanges>({ amount: null, orderId: null, metadata: null, customer: null })
    assertType<ClientSessionChanges>({ customer: { billingAddress: { city: null } }, order: { lineItems: null } })
    assertType<ClientSessionChanges>({ paymentMethod: { vaultOnSuccess: null } })
    assertType<ClientSessionChangesV21>({ lineItems: null, orderDetails: { shipping: { amount: null } } })
  })

  it('reject null inside arrays and metadata', () => {
    // @ts-expect-error Arrays cannot contain null.
    client.clientSessions.update('t', { order: { lineItems: [{ amount: null }] } })
    // @ts-expect-error Metadata cannot contain null.
    client.clientSessions.update('t', { metadata: { basket: null } })
  })

  it('reject wrong arguments and options', () => {
    // @ts-expect-error Misspelled.
    client.clientSessions.update('t', { orderid: 'order-17' })
    // @ts-expect-error The token is the first argument.
    client.clientSessions.update('t', { clientToken: 't' })
    // @ts-expect-error Payment method options cannot be updated.
    client.clientSessions.update('t', { paymentMethod: { options: {} } })
    // @ts-expect-error Only version 2.1 has top-level `lineItems`.
    client.clientSessions.update('t', { lineItems: [] })
    // @ts-expect-error Version 2.1 has no `amount`.
    newer.clientSessions.update('t', { amount: 5 })
    // @ts-expect-error Version 2.1 has no `order`, so it cannot be cleared.
    newer.clientSessions.update('t', { order: null })
    // @ts-expect-error An amount is a number.
    client.clientSessions.merge('t', { amount: '5' })
    // @ts-expect-error The operation takes no idempotency key.
    client.clientSessions.update('t', {}, { idempotencyKey: 'key-1' })
  })
})

describe('the type of a session', () => {
  it('has a client token only in the result of create', () => {
    expectTypeOf<CreatedClientSession['clientToken']>().toEqualTypeOf<string>()
    expectTypeOf<ClientSession>().not.toHaveProperty('clientToken')
  })

  it('has an amount only in version 2021-09-27', () => {
    expectTypeOf<ClientSession['amount']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<ClientSessionV21>().not.toHaveProperty('amount')
    expectTypeOf<CreatedClientSessionV21>().not.toHaveProperty('amount')
  })

  it('has one warning or an array of warnings', () => {
    expectTypeOf<CreatedClientSession['warnings']>().toEqualTypeOf<SessionWarning | SessionWarning[] | undefined>()
  })
})
