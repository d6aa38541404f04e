import fc from 'fast-check'
import type { Fault, SandboxOptions } from '../../../src/testing/index.js'
import { plenty } from '../ledger/operations.js'
import { fault } from '../ledger/schedule.js'

/** A random sequence of faults, crashes, operations and time. */
export interface Schedule {
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  readonly listDelay: '0s' | '60s'
  /** How the journal's clock differs from the service's clock. */
  readonly clock: 'same' | 'ahead' | 'behind' | 'slow'
  readonly resendFor: number
  readonly jitter: number
  readonly rounds: readonly Round[]
}

/** Faults, followed by actions that start at the same time, and then by a pause. */
export interface Round {
  readonly faults: readonly Fault[]
  readonly actions: readonly Action[]
  readonly pause: '0s' | '5s' | '61s' | '10m' | '25h'
  /** Whether a pause of 25 hours follows, after which the service has forgotten all earlier keys. */
  readonly forgets: boolean
}

export interface Action {
  /**
   * What the shop does. `call` is a direct client call. `run again` and `call again` use the key of an earlier action.
   */
  readonly kind: 'call' | 'plan' | 'plan and run' | 'run again' | 'call again' | 'settle'
  readonly operation:
    | 'payments.create'
    | 'payments.authorize'
    | 'payments.capture'
    | 'payments.cancel'
    | 'payments.refund'
  readonly which: 0 | 1
  readonly amount: number
  /** The process that performs the action. */
  readonly process: 0 | 1 | 2
  /** Kills the process before or after this request. */
  readonly crash?: { readonly request: 1 | 2; readonly at: 'before' | 'after' } | undefined
  /** Whether `onSettled` throws. */
  readonly hookThrows: boolean
}

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom('call', 'call', 'plan', 'plan and run', 'plan and run', 'run again', 'call again', 'settle'),
  operation: fc.constantFrom(
    'payments.create',
    'payments.create',
    'payments.capture',
    'payments.capture',
    'payments.refund',
    'payments.refund',
    'payments.refund',
    'payments.cancel',
    'payments.authorize',
  ),
  which: fc.constantFrom(0, 1),
  amount: fc.constantFrom(100, 100, 200, 2 * plenty),
  process: fc.constantFrom(0, 1, 2),
  crash: fc.option(fc.record({ request: fc.constantFrom(1, 1, 2), at: fc.constantFrom('before', 'after') }), {
    freq: 3,
    nil: undefined,
  }),
  hookThrows: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 9),
})

export const schedule: fc.Arbitrary<Schedule> = fc.record({
  idempotency: fc.constantFrom('replay', 'conflict', 'conflict-400'),
  listDelay: fc.constantFrom('0s', '60s'),
  clock: fc.constantFrom('same', 'same', 'ahead', 'behind', 'slow'),
  resendFor: fc.constantFrom(60_000, 60_000, 0, 300_000),
  jitter: fc.constantFrom(0, 0.01, 0.5),
  rounds: fc.array(
    fc.record({
      faults: fc.array(fault, { maxLength: 4, size: 'max' }),
      actions: fc.array(action, { minLength: 1, maxLength: 5, size: 'max' }),
      pause: fc.constantFrom('0s', '0s', '5s', '61s', '10m', '25h'),
      forgets: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5, size: 'max' },
  ),
})
