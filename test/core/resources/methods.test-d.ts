import { describe, expectTypeOf, it } from 'vitest'
import type * as clientSessions from '../../../src/core/contract/client-sessions.js'
import type * as loyalty from '../../../src/core/contract/loyalty.js'
import type * as observability from '../../../src/core/contract/observability.js'
import type * as paymentInstruments from '../../../src/core/contract/payment-instruments.js'
import type * as payments from '../../../src/core/contract/payments.js'
import type { PaymentsClient } from '../../../src/index.js'

type Client = PaymentsClient

describe('the client', () => {
  it('provides a method for every operation of the contract', () => {
    expectTypeOf<keyof typeof clientSessions>().toExtend<keyof Client['clientSessions']>()
    expectTypeOf<keyof typeof payments>().toExtend<keyof Client['payments']>()
    expectTypeOf<keyof typeof paymentInstruments>().toExtend<keyof Client['paymentInstruments']>()
    expectTypeOf<keyof typeof observability.payments>().toExtend<keyof Client['observability']['payments']>()
    expectTypeOf<keyof typeof loyalty.transactions>().toExtend<keyof Client['loyalty']['transactions']>()
    expectTypeOf<keyof typeof loyalty.customers>().toExtend<keyof Client['loyalty']['customers']>()
  })
})
