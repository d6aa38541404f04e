import { describe, expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import type * as contract from '../../../src/core/contract/index.js'
import type { AnyOperation } from '../../../src/core/contract/operation.js'
import type { Cart } from '../../../src/core/contract/version.js'
import type * as schemas from '../../../src/core/schemas/index.js'
import type * as types from '../../../src/index.js'

/** Types that zod infers from the schemas, such as `PaymentSchema`. */
type Inferred = {
  [Name in keyof typeof schemas as Name extends `${infer Type}Schema` ? Type : never]: z.infer<(typeof schemas)[Name]>
}

/** Public interfaces by schema name, for example `Payment` for `PaymentSchema`. */
interface Interfaces {
  Payment: types.Payment
  PaymentV21: types.PaymentV21
  PaymentSummary: types.PaymentSummary
  Transaction: types.Transaction
  StatusReason: types.StatusReason
  Processor: types.Processor
  RequiredAction: types.RequiredAction
  RiskData: types.RiskData
  PaymentMethod: types.PaymentMethod
  PaymentMethodData: types.PaymentMethodData
  BinData: types.BinData
  ThreeDSecureAuthentication: types.ThreeDSecureAuthentication
  Order: types.Order
  OrderDetails: types.OrderDetails
  LineItem: types.LineItem
  ProductData: types.ProductData
  Fee: types.Fee
  Shipping: types.Shipping
  Customer: types.Customer
  Address: types.Address
  ClientSession: types.ClientSession
  ClientSessionV21: types.ClientSessionV21
  CreatedClientSession: types.CreatedClientSession
  CreatedClientSessionV21: types.CreatedClientSessionV21
  SessionWarning: types.SessionWarning
  PaymentInstrument: types.PaymentInstrument
  ExternalPayment: types.ExternalPayment
  LoyaltyTransaction: types.LoyaltyTransaction
  LoyaltyCustomer: types.LoyaltyCustomer
  PaymentStatusEvent: types.PaymentStatusEvent
  PaymentRefundEvent: types.PaymentRefundEvent
  DisputeStatusEvent: types.DisputeStatusEvent
}

describe('the entry point payments-client/schemas', () => {
  it('exports exactly one schema for each public interface', () => {
    expectTypeOf<keyof Inferred>().toEqualTypeOf<keyof Interfaces>()
  })

  it('exports a schema for each event type', () => {
    type Events = Extract<Inferred[keyof Inferred], { eventType: string }>
    expectTypeOf<Events['eventType']>().toEqualTypeOf<types.KnownEvent['eventType']>()
  })

  it('exports schemas whose inferred types match the public interfaces', () => {
    type Differing = {
      [Name in keyof Interfaces]: [Inferred[Name], Interfaces[Name]] extends [Interfaces[Name], Inferred[Name]]
        ? never
        : Name
    }[keyof Interfaces]
    expectTypeOf<Differing>().toBeNever()
  })

  it('exports schemas whose inferred types have no misspelled fields', () => {
    expectTypeOf<Inferred['Payment']>().not.toHaveProperty('staus')
    expectTypeOf<NonNullable<Inferred['Payment']['customer']>>().not.toHaveProperty('email')
  })
})

describe('the body types in the contract', () => {
  type Body<Operation extends AnyOperation, Format extends Cart> = z.output<NonNullable<Operation['body']>[Format]>
  type Payments = typeof contract.payments
  type Sessions = typeof contract.clientSessions
  type Instruments = typeof contract.paymentInstruments
  type External = typeof contract.observability.payments
  type Points = typeof contract.loyalty.transactions
  type Old = 'order'
  type New = 'lineItems'

  it('defines body types that match the client’s methods', () => {
    expectTypeOf<Body<Payments['create'], Old>>().toEqualTypeOf<types.CreatePaymentBody>()
    expectTypeOf<types.CreatePaymentBodyV21>().toExtend<Body<Payments['create'], New>>()
    expectTypeOf<Body<Payments['authorize'], Old>>().toEqualTypeOf<types.AuthorizeBody>()
    expectTypeOf<Body<Payments['capture'], Old>>().toEqualTypeOf<types.CaptureBody>()
    expectTypeOf<Body<Payments['capture'], New>>().toEqualTypeOf<types.CaptureBodyV21>()
    expectTypeOf<Body<Payments['cancel'], New>>().toEqualTypeOf<types.CancelBody>()
    expectTypeOf<Body<Payments['refund'], New>>().toEqualTypeOf<types.RefundBody>()
    expectTypeOf<Body<Payments['adjustAuthorization'], New>>().toEqualTypeOf<types.AdjustAuthorizationBody>()
    expectTypeOf<Body<Payments['resume'], New>>().toEqualTypeOf<types.ResumeBody>()
    expectTypeOf<Body<Sessions['create'], Old>>().toEqualTypeOf<types.CreateClientSessionBody>()
    expectTypeOf<Body<Sessions['create'], New>>().toEqualTypeOf<types.CreateClientSessionBodyV21>()
    expectTypeOf<Body<Instruments['vault'], New>>().toEqualTypeOf<types.VaultBody>()
    expectTypeOf<Body<External['create'], New>>().toEqualTypeOf<types.CreateExternalPaymentBody>()
    expectTypeOf<Body<External['update'], New>>().toEqualTypeOf<types.ExternalPaymentChanges>()
    expectTypeOf<Body<Points['create'], New>>().toEqualTypeOf<types.CreateLoyaltyTransactionBody>()
  })

  it('defines types of session changes that match, except for the client token', () => {
    expectTypeOf<Omit<Body<Sessions['update'], Old>, 'clientToken'>>().toEqualTypeOf<
      Omit<types.ClientSessionChanges, never>
    >()
    expectTypeOf<Omit<Body<Sessions['update'], New>, 'clientToken'>>().toEqualTypeOf<
      Omit<types.ClientSessionChangesV21, never>
    >()
  })
})
