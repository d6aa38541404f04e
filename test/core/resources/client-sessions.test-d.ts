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
  SessionWarning,
} from '../../../src/index.js'

describe('the methods of client.clientSessions', () => {
  it('take and return the types of the client’s API version', () => {
    type Newer = ClientSessions<'2.1'>
    expectTypeOf<ClientSessions['create']>().toExtend<(body?: CreateClientSessionBody) => Call<CreatedClientSession>>()
    expectTypeOf<Newer['create']>().toExtend<(body: CreateClientSessionBodyV21) => Call<CreatedClientSessionV21>>()
    expectTypeOf<Newer['get']>().returns.resolves.toEqualTypeOf<ClientSessionV21>()
    expectTypeOf<Parameters<Newer['update']>[1]>().toEqualTypeOf<ClientSessionChangesV21>()
    expectTypeOf<Parameters<Newer['merge']>[1]>().toEqualTypeOf<ClientSessionChangesV21 | ClientSessionV21>()
  })
})

describe('the body of clientSessions.create', () => {
  it('has the order in the format of the API version', () => {
    // @ts-expect-error In version 2021-09-27, line items are in `order`.
    assertType<CreateClientSessionBody>({ lineItems: [] })
    // @ts-expect-error Version 2.1 has `lineItems` and `orderDetails` instead of `order`.
    assertType<CreateClientSessionBodyV21>({ lineItems: [], order: {} })
    // @ts-expect-error In version 2.1, the service computes the amount.
    assertType<CreateClientSessionBodyV21>({ lineItems: [], amount: 5 })
    // @ts-expect-error Line items are required.
    assertType<CreateClientSessionBodyV21>({ orderId: 'order-17' })
  })

  it('rejects fields that are misspelled or have the wrong type', () => {
    // @ts-expect-error A nested field is misspelled.
    assertType<CreateClientSessionBody>({ order: { lineItems: [{ price: 5 }] } })
    // @ts-expect-error Metadata cannot contain arrays.
    assertType<CreateClientSessionBody>({ metadata: { tags: ['a'] } })
  })
})

describe('the changes of clientSessions.update and clientSessions.merge', () => {
  it('can contain null for any field, at any depth', () => {
    assertType<ClientSessionChanges>({ amount: null, orderId: null, metadata: null, customer: null })
    assertType<ClientSessionChanges>({ customer: { billingAddress: { city: null } }, order: { lineItems: null } })
    assertType<ClientSessionChanges>({ paymentMethod: { vaultOnSuccess: null } })
    assertType<ClientSessionChangesV21>({ lineItems: null, orderDetails: { shipping: { amount: null } } })
  })

  it('cannot contain null inside arrays', () => {
    // @ts-expect-error Arrays cannot contain null.
    assertType<ClientSessionChanges>({ order: { lineItems: [{ amount: null }] } })
  })

  it('can be a session without its payment method options', () => {
    expectTypeOf<Omit<ClientSession, 'paymentMethod'>>().toExtend<ClientSessionChanges>()
    expectTypeOf<Omit<ClientSessionV21, 'paymentMethod'>>().toExtend<ClientSessionChangesV21>()
  })

  it('cannot contain the client token, payment method options, or fields of the other API version', () => {
    // @ts-expect-error The token is the first argument.
    assertType<ClientSessionChanges>({ clientToken: 't' })
    // @ts-expect-error Payment method options cannot be updated.
    assertType<ClientSessionChanges>({ paymentMethod: { options: {} } })
    // @ts-expect-error Only version 2.1 has top-level `lineItems`.
    assertType<ClientSessionChanges>({ lineItems: [] })
    // @ts-expect-error Version 2.1 has no `amount`.
    assertType<ClientSessionChangesV21>({ amount: 5 })
    // @ts-expect-error Version 2.1 has no `order`, so it cannot be cleared.
    assertType<ClientSessionChangesV21>({ order: null })
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
