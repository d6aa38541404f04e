import { expectTypeOf, it } from 'vitest'
import { isPaymentsError, type Outcome, type Retry } from '../../../src/index.js'

it('isPaymentsError narrows to the fields of an error that was revived from JSON', () => {
  const error: unknown = undefined
  if (!isPaymentsError(error)) return
  expectTypeOf(error.retry).toEqualTypeOf<Retry | undefined>()
  expectTypeOf(error.outcome).toEqualTypeOf<Outcome | undefined>()
  expectTypeOf(error.httpStatus).toEqualTypeOf<number | undefined>()
  // @ts-expect-error
  void error.headers
  // @ts-expect-error
  void error.toJSON
})
