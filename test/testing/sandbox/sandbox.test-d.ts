import { describe, expectTypeOf, it } from 'vitest'
import type * as operations from '../../../src/core/contract/index.js'
import { PaymentsClient } from '../../../src/index.js'
import { createSandbox, type OperationName } from '../../../src/testing/index.js'
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
})

describe('sandbox.faults.add', () => {
  it('accepts only the names of operations', () => {
    expectTypeOf<OperationName>().toEqualTypeOf<ContractOperationName>()
    // @ts-expect-error No such operation.
    sandbox.faults.add({ operation: 'payments.captrue' })
  })
})

describe('the msw handlers', () => {
  it('covers every operation of the contract', () => {
    // @ts-expect-error The handlers for payments are missing.
    const incomplete: Handlers<typeof operations> = {} as Omit<Handlers<typeof operations>, 'payments'>

    expectTypeOf(incomplete).toExtend<object>()
  })
})
