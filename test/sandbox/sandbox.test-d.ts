import { describe, expectTypeOf, it } from 'vitest'
import type * as operations from '../../src/contract/index.js'
import { PaymentsClient } from '../../src/index.js'
import type { Handlers } from '../../src/sandbox/domain/context.js'
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
  it('cover every operation', () => {
    // @ts-expect-error: the handlers of payments are missing
    const incomplete: Handlers<typeof operations> = {} as Omit<Handlers<typeof operations>, 'payments'>

    expectTypeOf(incomplete).toExtend<object>()
  })
})
