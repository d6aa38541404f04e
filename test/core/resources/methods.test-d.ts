import { assertType, describe, expectTypeOf, it } from 'vitest'
import type * as clientSessions from '../../../src/core/contract/client-sessions.js'
import type * as loyalty from '../../../src/core/contract/loyalty.js'
import type * as observability from '../../../src/core/contract/observability.js'
import type * as paymentInstruments from '../../../src/core/contract/payment-instruments.js'
import type * as payments from '../../../src/core/contract/payments.js'
import type {
  CreateExternalPaymentBody,
  ExternalPaymentChanges,
  ListLoyaltyTransactionsParams,
  LoyaltyTransactionType,
  PaymentInstrument,
  PaymentInstruments,
  PaymentsClient,
} from '../../../src/index.js'
import { leastExternalPayment } from '../../support/external-payment.js'

type Client = PaymentsClient
type Newer = PaymentsClient<'2.1'>

describe('the methods of the client', () => {
  it('exist for every operation of the contract', () => {
    expectTypeOf<keyof typeof clientSessions>().toExtend<keyof Client['clientSessions']>()
    expectTypeOf<keyof typeof payments>().toExtend<keyof Client['payments']>()
    expectTypeOf<keyof typeof paymentInstruments>().toExtend<keyof Client['paymentInstruments']>()
    expectTypeOf<keyof typeof observability.payments>().toExtend<keyof Client['observability']['payments']>()
    expectTypeOf<keyof typeof loyalty.transactions>().toExtend<keyof Client['loyalty']['transactions']>()
    expectTypeOf<keyof typeof loyalty.customers>().toExtend<keyof Client['loyalty']['customers']>()
  })
})

describe('the methods of client.paymentInstruments', () => {
  it('have the same types in every API version', () => {
    expectTypeOf<Newer['paymentInstruments']>().toEqualTypeOf<PaymentInstruments>()
  })

  it('return objects in which every property except the token is optional', () => {
    expectTypeOf<PaymentInstrument['token']>().toEqualTypeOf<string>()
    expectTypeOf<PaymentInstrument['default']>().toEqualTypeOf<boolean | undefined>()
  })
})

describe('the methods of client.observability.payments', () => {
  it('have the same types in every API version', () => {
    expectTypeOf<Newer['observability']>().toEqualTypeOf<Client['observability']>()
  })

  it('take only the fields that a request may contain', () => {
    assertType<CreateExternalPaymentBody>({ ...leastExternalPayment, paymentType: 'MOTO', metadata: { till: 4 } })
    // @ts-expect-error Only responses have the field `merchantId`.
    assertType<CreateExternalPaymentBody['processor']>({ name: 'PROCESSOR_B', merchantId: 'm' })
    assertType<ExternalPaymentChanges>({ processor: { name: 'PROCESSOR_C' } })
    // @ts-expect-error The creation time cannot be changed.
    assertType<ExternalPaymentChanges>({ createdAt: '2026-03-01T09:30:00Z' })
    // @ts-expect-error No field can be cleared.
    assertType<ExternalPaymentChanges>({ descriptor: null })
  })
})

describe('the methods of client.loyalty', () => {
  it('have the same types in every API version', () => {
    expectTypeOf<Newer['loyalty']>().toEqualTypeOf<Client['loyalty']>()
    // @ts-expect-error This list uses offsets instead of cursors.
    assertType<ListLoyaltyTransactionsParams>({ cursor: 'two' })
  })

  it('accept unknown transaction types in responses', () => {
    assertType<LoyaltyTransactionType>('SOMETHING_NEW')
    expectTypeOf<LoyaltyTransactionType>().not.toEqualTypeOf<string>()
  })
})
