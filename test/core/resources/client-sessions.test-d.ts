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
} from '../../../src/index.js'

describe('client.clientSessions', () => {
  it('uses the types of the client’s API version in every method', () => {
    type Newer = ClientSessions<'2.1'>
    expectTypeOf<ClientSessions['create']>().toExtend<(body?: CreateClientSessionBody) => Call<CreatedClientSession>>()
    expectTypeOf<Newer['create']>().toExtend<(body: CreateClientSessionBodyV21) => Call<CreatedClientSessionV21>>()
    expectTypeOf<Newer['get']>().returns.resolves.toEqualTypeOf<ClientSessionV21>()
    expectTypeOf<Parameters<Newer['update']>[1]>().toEqualTypeOf<ClientSessionChangesV21>()
    expectTypeOf<Parameters<Newer['merge']>[1]>().toEqualTypeOf<ClientSessionChangesV21 | ClientSessionV21>()
  })
})

describe('the type of session changes', () => {
  it('accepts null for any field of session changes, at any depth', () => {
    assertType<ClientSessionChanges>({ amount: null, orderId: null, metadata: null, customer: null })
    assertType<ClientSessionChanges>({ customer: { billingAddress: { city: null } }, order: { lineItems: null } })
    assertType<ClientSessionChanges>({ paymentMethod: { vaultOnSuccess: null } })
    assertType<ClientSessionChangesV21>({ lineItems: null, orderDetails: { shipping: { amount: null } } })
  })

  it('rejects null inside arrays of session changes', () => {
    // @ts-expect-error Arrays cannot contain null.
    assertType<ClientSessionChanges>({ order: { lineItems: [{ amount: null }] } })
  })

  it('accepts a fetched session without its payment method options as changes', () => {
    expectTypeOf<Omit<ClientSession, 'paymentMethod'>>().toExtend<ClientSessionChanges>()
    expectTypeOf<Omit<ClientSessionV21, 'paymentMethod'>>().toExtend<ClientSessionChangesV21>()
  })

  it('rejects the client token, call options and other versions’ fields as changes', () => {
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
