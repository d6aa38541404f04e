import { describe, expectTypeOf, it } from 'vitest'
import type * as operations from '../../../src/core/contract/index.js'
import { PaymentsClient } from '../../../src/index.js'
import { createSandbox, type OperationName, type ScenarioName } from '../../../src/testing/index.js'
import type { Handlers } from '../../../src/testing/sandbox/domain/context.js'
import type { OperationName as ContractOperationName } from '../../support/operations.js'

const sandbox = createSandbox()

describe('sandbox.clientOptions', () => {
  it('returns options for a client of the given API version', () => {
    expectTypeOf(new PaymentsClient(sandbox.clientOptions())).toEqualTypeOf<PaymentsClient<'2021-09-27'>>()
    expectTypeOf(new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))).toEqualTypeOf<
      PaymentsClient<'2021-09-27'>
    >()
    expectTypeOf(new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' }))).toEqualTypeOf<
      PaymentsClient<'2.1'>
    >()
  })

  it('rejects unknown options', () => {
    // @ts-expect-error The option is `maxRetries`.
    sandbox.clientOptions({ retries: 0 })
  })
})

describe('the names of tokens, scenarios, scopes and statuses', () => {
  it('are typed as string literals', () => {
    expectTypeOf<'softDecline'>().toExtend<ScenarioName>()
    // @ts-expect-error No such scenario.
    sandbox.tokens.refused
    // @ts-expect-error No such scope.
    sandbox.createApiKey({ scopes: ['transactions:everything'] })
    // @ts-expect-error A refund cannot end as PENDING.
    sandbox.processor.finishRefund('pay_1', 'PENDING')
    // @ts-expect-error This string is not a duration.
    sandbox.clock.advance('a while')
  })
})

describe('sandbox.faults.add', () => {
  it('accepts only the names of operations', () => {
    expectTypeOf<OperationName>().toEqualTypeOf<ContractOperationName>()
    // @ts-expect-error No such operation.
    sandbox.faults.add({ operation: 'payments.captrue' })
  })
})

describe('sandbox.fetch', () => {
  it('accepts a Request, or a URL and an init object', () => {
    expectTypeOf(sandbox.fetch).toBeCallableWith(new Request('https://sandbox.invalid'))
    expectTypeOf(sandbox.fetch).toBeCallableWith('https://sandbox.invalid', { method: 'POST' })
    expectTypeOf(sandbox.fetch).toBeCallableWith(new URL('https://sandbox.invalid'))
  })
})

describe('the msw handlers', () => {
  it('cover every operation of the contract', () => {
    // @ts-expect-error The handlers for payments are missing.
    const incomplete: Handlers<typeof operations> = {} as Omit<Handlers<typeof operations>, 'payments'>

    expectTypeOf(incomplete).toExtend<object>()
  })
})
