import { describe, expectTypeOf, it } from 'vitest'
import type * as operations from '../../src/contract/index.js'
import { PaymentsClient } from '../../src/index.js'
import type { Handlers } from '../../src/sandbox/handlers/handler.js'
import { handlers } from '../../src/sandbox/handlers/index.js'
import { createSandbox, type ScenarioName } from '../../src/sandbox/index.js'

const sandbox = createSandbox()

describe('sandbox.clientOptions', () => {
  it('makes a client of the version that is asked for', () => {
    expectTypeOf(new PaymentsClient(sandbox.clientOptions())).toEqualTypeOf<PaymentsClient<'2021-09-27'>>()
    expectTypeOf(new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))).toEqualTypeOf<
      PaymentsClient<'2021-09-27'>
    >()
    expectTypeOf(new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' }))).toEqualTypeOf<
      PaymentsClient<'2.1'>
    >()
  })

  it('refuses options that no client has', () => {
    // @ts-expect-error: it is maxRetries
    sandbox.clientOptions({ retries: 0 })
  })
})

describe('the names in a sandbox', () => {
  it('are checked', () => {
    expectTypeOf<'softDecline'>().toExtend<ScenarioName>()
    // @ts-expect-error: there is no such scenario
    sandbox.tokens.refused
    // @ts-expect-error: there is no such scope
    sandbox.createApiKey({ scopes: ['transactions:everything'] })
    // @ts-expect-error: a refund ends one way or the other
    sandbox.processor.finishRefund('pay_1', 'PENDING')
    // @ts-expect-error: not a length of time
    sandbox.clock.advance('a while')
  })
})

describe('the handlers', () => {
  it('are there for every operation', () => {
    const { payments, ...others } = handlers

    // @ts-expect-error: nobody performs the payments
    const incomplete: Handlers<typeof operations> = others

    expectTypeOf(incomplete.payments).toEqualTypeOf(payments)
  })
})
